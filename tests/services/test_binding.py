"""Tickets have a number inside their board and another one in the whole house.

Closing one needs the number inside the board, and the board it is on: with the wrong one nothing is ever found.
"""

from __future__ import annotations

from pathlib import Path

from tests.services.serving import Call, campaign, operation

TICKET = {"id": {"type": "integer"}, "iid": {"type": "integer"}, "title": {"type": "string"}}
PATHS = {
    "/boards": {"post": operation(answer={"id": {"type": "integer"}, "name": {"type": "string"}})},
    "/boards/{id}": {"get": operation("id", answer={"id": {"type": "integer"}, "name": {"type": "string"}})},
    "/boards/{id}/tickets": {"post": operation("id", answer=TICKET)},
    "/boards/{id}/tickets/{ticket_iid}": {"get": operation("id", "ticket_iid", answer=TICKET)},
    "/boards/{id}/tickets/{ticket_iid}/close": {"put": operation("id", "ticket_iid", answer=TICKET)},
}


class Boards:
    def __init__(self) -> None:
        self.boards: dict[str, int] = {}
        self.tickets = 0

    def __call__(self, call: Call) -> tuple[int, object]:
        match call.method, call.path:
            case "POST", ("boards",):
                number = str(7000 + 13 * len(self.boards))
                self.boards[number] = 0
                return 201, {"id": int(number), "name": "b"}
            case "POST", ("boards", board, "tickets") if board in self.boards:
                self.boards[board] += 1
                self.tickets += 1
                return 201, {"id": 90_000 + self.tickets, "iid": self.boards[board], "title": "t"}
            case "GET", ("boards", board) if board in self.boards:
                return 200, {"id": int(board), "name": "b"}
            case _, ("boards", board, "tickets", ticket, *_) if board in self.boards:
                if ticket.isdigit() and 0 < int(ticket) <= self.boards[board]:
                    return 200, {"iid": int(ticket)}
        return 404, {"message": "not found"}


def test_the_number_inside_the_parent_is_taken(tmp_path: Path):
    outcome = campaign(tmp_path, Boards(), PATHS, [], requests=80)
    covered = {one.op for one in outcome.summary.operations.list if "200" in one.statuses}
    assert "PUT /boards/{id}/tickets/{ticket_iid}/close" in covered
    assert "GET /boards/{id}/tickets/{ticket_iid}" in covered
