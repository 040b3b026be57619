"""Everything a campaign made goes, innermost first, and nothing else does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.unit.app.test_campaign import Ticking
from tests.unit.fuzz.script import answer
from tests.unit.fuzz.test_cleanup import NOTES, ledger_of, shop

from lobrest.app.cleanup import Cleaner, Journal
from lobrest.fuzz.cleanup import Counts, Thing
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.resource import ResourceName


class Shop:
    """Projects with notes under ``/api``; a project with notes in it cannot be deleted."""

    def __init__(self, *, soft: bool = False, owners_only: bool = False) -> None:
        self.things: dict[str, dict] = {"/api/projects/1": {"id": 1}}
        self.notes = 100
        self.soft = soft
        self.owners_only = owners_only
        self.sent: list[Request] = []
        self.slow: asyncio.Event | None = None
        self.next = 1
        for number in range(1, 101):
            self.things[f"/api/projects/1/notes/{number}"] = {"id": 500 + number, "iid": number}

    async def close(self) -> None:
        pass

    async def send(self, request: Request) -> Response | Failure:
        self.sent.append(request)
        await asyncio.sleep(0)
        if self.slow is not None and request.method == "POST":
            await self.slow.wait()
        path = request.target.partition("?")[0]
        if request.method == "POST":
            return self._made(path, request)
        thing = self.things.get(path)
        if thing is None or (thing.get("deleted") and request.method == "DELETE" and not self.soft):
            return answer(404)
        if request.method == "GET":
            return answer(200, thing)
        if self.owners_only and thing.get("by") not in (None, request.actor):
            return answer(403)
        if any(one.startswith(f"{path}/") and not known.get("deleted") for one, known in self.things.items()):
            return answer(409, {"message": "has notes"})
        if self.soft and not thing.get("deleted"):
            thing["deleted"] = True
            return answer(200)
        del self.things[path]
        return answer(204)

    def _made(self, path: str, request: Request) -> Response:
        if path == "/api/projects":
            self.next += 1
            thing = {"id": self.next, "by": request.actor}
            self.things[f"/api/projects/{self.next}"] = thing
        else:
            self.notes += 1
            inside = sum(one.startswith(f"{path}/") for one in self.things) + 1
            thing = {"id": 500 + self.notes, "iid": inside, "by": request.actor}
            self.things[f"{path}/{inside}"] = thing
        return answer(201, thing)


def project(actor: str = "ann") -> Request:
    return Request(OperationId("POST /projects"), "POST", "/api/projects", (), b"{}", actor)


def note(number: int, actor: str = "ann") -> Request:
    return Request(OperationId(f"POST {NOTES}"), "POST", f"/api/projects/{number}/notes", (), b"{}", actor)


def cleaner_of(shop_: Shop, **more: object) -> Cleaner:
    settings: dict = {"everybody": ("ann", "bo"), "beyond": 1000, **more}
    return Cleaner(shop_, ledger_of(shop()), settings.pop("clock", Ticking(0.001)), **settings)


def swept(cleaner: Cleaner, play: Callable[[], Awaitable[None]], seconds: float = 30.0) -> Counts:
    async def run() -> Counts:
        await play()
        return await cleaner.sweep(seconds)

    return asyncio.run(run())


def test_children_go_first_and_what_was_there_stays():
    service = Shop()
    before = json.dumps(service.things)
    cleaner = cleaner_of(service)

    async def play() -> None:
        for _ in range(3):
            made = await cleaner.send(project())
            for _ in range(4):
                await cleaner.send(note(json.loads(made.body)["id"], "bo"))
        await cleaner.send(
            note(1)
        )  # in somebody else's project: its number 101 is nobody's id, 601 is its own

    counts = swept(cleaner, play)
    assert json.dumps(service.things) == before
    assert (counts.made, counts.deleted, counts.left, counts.refused) == (16, 16, 0, {})
    deletions = [one for one in service.sent if one.method == "DELETE"]
    assert [one.target.count("/") for one in deletions] == sorted(
        (one.target.count("/") for one in deletions), reverse=True
    )
    assert {one.actor for one in deletions if "/notes/" in one.target} == {"ann", "bo"}


def test_somebody_elses_note_with_our_number_is_left_alone():
    """Where only the wrong field could be taken, the thing that is there is looked at, and it is not ours."""
    service = Shop()
    world = shop()
    for operation in list(world.operations):
        if "{iid}" in operation:
            world.refers(operation, "path/iid", NOTES, "wrong")
    cleaner = Cleaner(service, ledger_of(world), Ticking(0.001), everybody=("ann",), beyond=1000)
    made = service._made

    def colliding(path: str, request: Request) -> Response:
        kept = json.loads(made(path, request).body)
        return answer(201, {**kept, "wrong": 57})

    service._made = colliding

    async def play() -> None:
        await cleaner.send(note(1))

    counts = swept(cleaner, play)
    assert "/api/projects/1/notes/57" in service.things
    assert len([one for one in service.things if "/notes/" in one]) == 100
    assert counts.deleted == 1, "the other field led to it"


def test_marked_as_deleted_is_deleted_once_more():
    service = Shop(soft=True)
    before = json.dumps(service.things)
    cleaner = cleaner_of(service)

    async def play() -> None:
        for _ in range(5):
            await cleaner.send(project())

    counts = swept(cleaner, play)
    assert json.dumps(service.things) == before
    assert counts.deleted == 5


def test_what_stays_marked_is_counted_as_such():
    service = Shop()

    async def marks(request: Request) -> Response:
        response = await Shop.send(service, request) if request.method != "DELETE" else None
        if response is None:
            service.things[request.target]["deleted_at"] = "now"
            return answer(200)
        return response

    service.send = marks
    cleaner = cleaner_of(service)

    async def play() -> None:
        for _ in range(4):
            await cleaner.send(project())

    counts = swept(cleaner, play)
    assert (counts.soft, counts.deleted, counts.left) == (4, 0, 0)


def test_refused_things_go_with_what_they_are_in():
    service = Shop()
    cleaner = cleaner_of(service)
    real = service.send

    async def keeps_notes(request: Request) -> Response:
        if request.method == "DELETE" and "/notes/" in request.target:
            return answer(405)
        if request.method == "DELETE":
            inside = [one for one in service.things if one.startswith(f"{request.target}/")]
            for one in inside:
                del service.things[one]
        return await real(request)

    service.send = keeps_notes

    async def play() -> None:
        made = await cleaner.send(project())
        await cleaner.send(note(json.loads(made.body)["id"]))
        await cleaner.send(note(1))

    counts = swept(cleaner, play)
    assert (counts.deleted, counts.with_parent) == (1, 1)
    assert counts.refused == {f"DELETE {NOTES}/{{iid}}: 405": 1}
    assert counts.left == 0


@pytest.mark.parametrize("mine", [True, False])
def test_a_renamed_thing_is_followed_if_it_is_the_same(mine: bool):
    service = Shop()
    cleaner = cleaner_of(service)
    real = service.send

    async def moved(request: Request) -> Response | Failure:
        if request.target == "/api/projects/2" and request.method in ("GET", "DELETE"):
            return answer(307, None, Location="/api/projects/20")
        return await real(request)

    async def play() -> None:
        await cleaner.send(project())
        thing = cleaner._ledger.things[0]
        cleaner._ledger.proved(thing)
        cleaner._ledger.proved(thing)
        kept = service.things.pop("/api/projects/2")
        service.things["/api/projects/20"] = kept if mine else {"id": 20}
        service.send = moved

    counts = swept(cleaner, play)
    assert ("/api/projects/20" in service.things) is not mine
    assert (counts.deleted, counts.uncertain) == ((1, 0) if mine else (0, 1))


def test_somebody_else_helps_where_the_maker_is_refused():
    service = Shop(owners_only=True)
    cleaner = cleaner_of(service)

    async def play() -> None:
        await cleaner.send(project("bo"))
        service.things["/api/projects/2"]["by"] = "ann"  # handed over

    assert swept(cleaner, play).deleted == 1


def test_a_creation_that_nobody_waits_for_any_more_is_cleaned_up_too():
    service = Shop()
    before = json.dumps(service.things)
    cleaner = cleaner_of(service)

    async def play() -> None:
        service.slow = asyncio.Event()
        task = asyncio.create_task(cleaner.send(project()))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        asyncio.get_running_loop().call_later(0.05, service.slow.set)

    assert swept(cleaner, play).deleted == 1
    assert json.dumps(service.things) == before


def test_a_long_campaign_does_not_drown_the_service():
    service = Shop()
    clock = Ticking(0.5)
    cleaner = cleaner_of(service, beyond=20, clock=clock)
    most = 0

    async def flow() -> None:
        made = await cleaner.send(project())
        await cleaner.send(note(json.loads(made.body)["id"]))

    async def play() -> None:
        nonlocal most
        for _ in range(100):
            await asyncio.create_task(flow())
            for _ in range(20):
                await asyncio.sleep(0)
            most = max(most, len(service.things) - 101)

    counts = swept(cleaner, play)
    assert most < 60
    assert counts.made == 200
    assert counts.deleted == 200
    assert len(service.things) == 101


def test_what_a_play_still_uses_is_not_trimmed():
    service = Shop()
    cleaner = cleaner_of(service, beyond=5, clock=Ticking(5.0))

    async def play() -> None:
        going_on = asyncio.Event()

        async def flow() -> Response | Failure:
            made = json.loads((await cleaner.send(project())).body)["id"]
            await going_on.wait()
            target = f"/api/projects/{made}"
            return await cleaner.send(
                Request(OperationId("GET /projects/{id}"), "GET", target, (), None, "ann")
            )

        task = asyncio.create_task(flow())
        for _ in range(40):
            await asyncio.create_task(cleaner.send(project()))
            await asyncio.sleep(0.001)
        assert len(service.things) < 130
        going_on.set()
        assert (await task).status == 200

    swept(cleaner, play)


@pytest.mark.parametrize("how", ["time", "skip"])
def test_it_ends_in_time_and_can_be_skipped(how: str):
    service = Shop()
    cleaner = cleaner_of(service, at_once=1)
    real = service.send

    async def slow(request: Request) -> Response | Failure:
        if request.method == "DELETE":
            await asyncio.sleep(0.03)
        return await real(request)

    service.send = slow

    async def play() -> None:
        for _ in range(60):
            await cleaner.send(project())
        if how == "skip":
            asyncio.get_running_loop().call_later(0.2, cleaner.skip)

    counts = swept(cleaner, play, seconds=0.2 if how == "time" else 30.0)
    assert 0 < counts.deleted < 60
    assert counts.deleted + counts.left == 60


def test_a_service_that_is_gone_refuses_everything_in_words():
    service = Shop()
    cleaner = cleaner_of(service)

    async def play() -> None:
        await cleaner.send(project())

        async def gone(request: Request) -> Failure:
            return Failure.CONNECT

        service.send = gone

    counts = swept(cleaner, play)
    assert counts.deleted == 0
    assert counts.uncertain + sum(counts.refused.values()) == 1


def test_a_campaign_that_was_killed_cleans_up_when_it_goes_on(tmp_path: Path):
    service = Shop()
    before = json.dumps(service.things)
    file = tmp_path / "things.jsonl"
    journal = Journal(file)
    first = Cleaner(
        service, ledger_of(shop(), changed=journal.changed), Ticking(0.001), everybody=("ann",), beyond=1000
    )

    async def until_killed() -> None:
        for _ in range(3):
            made = await first.send(project())
            await first.send(note(json.loads(made.body)["id"]))
        await first.send(
            Request(OperationId("DELETE /projects/{id}"), "DELETE", "/api/projects/9", (), None, "ann")
        )

    asyncio.run(until_killed())
    journal.close(done=False)
    with file.open("a") as lines:
        lines.write('{"made": {"number": 1, "resour')
    again = Journal(file)
    ledger = ledger_of(shop(), changed=again.changed)
    ledger.remember(again.things())
    assert len(ledger) == 6
    second = Cleaner(service, ledger, Ticking(0.001), everybody=("ann",), beyond=1000, journal=again)

    async def nothing() -> None:
        pass

    counts = swept(second, nothing)
    assert (counts.deleted, counts.left) == (6, 0)
    assert json.dumps(service.things) == before
    assert not file.exists()


def test_a_journal_keeps_no_keys_and_survives_a_full_disk(tmp_path: Path):
    journal = Journal(tmp_path / "things.jsonl")
    assert journal.things() == []
    thing = Thing(
        1,
        ResourceName("/keys"),
        OperationId("POST /keys"),
        "ann",
        None,
        "/keys/1",
        marks=(("id", "1"), ("key", "s3cret")),
    )
    journal.changed(thing, True)
    assert "s3cret" not in (tmp_path / "things.jsonl").read_text()
    assert [one.path for one in journal.things()] == ["/keys/1"]
    journal.changed(thing, False)
    assert journal.things() == []
    journal.close(done=False)
    assert (tmp_path / "things.jsonl").exists()
    Journal(tmp_path / "no" / "folder").changed(thing, True)
