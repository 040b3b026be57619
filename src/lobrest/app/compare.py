"""Playing flows on a second service beside the first, and finding out where they differ."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from lobrest.app.clock import SystemClock, today
from lobrest.app.people import ask_people
from lobrest.app.pipeline import Prepared
from lobrest.app.target import base_path, origin
from lobrest.errors import CredentialsError, TargetError
from lobrest.fuzz.compare import Comparison, confirmed, differences
from lobrest.fuzz.play import Ask, Performance, Plan, Player, Plays, Reply, Send, Wait
from lobrest.fuzz.render import Renderer
from lobrest.model.operation import Json
from lobrest.ports import Transport
from lobrest.spec.router import Router
from lobrest.transport import Credentials, HttpTransport

_LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Service:
    """One of the two: where it is, and who is known there."""

    target: str
    credentials: Credentials


class Counterpart:
    """Plays every plan on a second service as well; where the answers differ, on both once more.

    Each play binds its own run-time values. A difference counts when it shows twice and neither service shows
    it by itself.
    """

    def __init__(self, here: Service, there: Service, prepared: Prepared, *, concurrency: int = 8) -> None:
        self.comparison = Comparison()
        self.here, self.there = here, there
        self._here = _Side(here, prepared, concurrency)
        self._there = _Side(there, prepared, concurrency)

    async def meet(self) -> None:
        """Reach both services. Raises ``TargetError`` or ``CredentialsError`` where the second cannot be used."""
        await self._here.meet()
        await self._there.meet()

    def beside(self, player: Plays) -> Plays:
        """A player whose plays end when the second service has played them too."""
        return _Paired(player, self)

    async def close(self) -> None:
        """Let connections go."""
        await self._here.close()
        await self._there.close()

    async def compare(self, plan: Plan, here: Performance) -> None:
        """Play a plan on the second service and take in what differs from the performance on the first."""
        comparison = self.comparison
        there = await self._there.play(plan, "b", like=self._here)
        first = differences(here, there, comparison.volatility)
        if not first:
            comparison.settled(here, there, ())
            return
        comparison.repeated += 1
        again = await self._here.play(plan, "c", like=self._here)
        over = await self._there.play(plan, "d", like=self._here)
        own = [*differences(here, again), *differences(there, over)]
        comparison.volatility.learn(own)
        unsteady = {one.step for one in own if one.aspect == "status"}
        lasting = confirmed(
            differences(here, there, comparison.volatility),
            differences(again, over, comparison.volatility),
        )
        # After a step that goes one way or the other on one service, nothing can be said of a flow.
        steady = min(unsteady, default=len(here.results))
        certain = [one for one in lasting if one.step < steady]
        comparison.unconfirmed += len(first) - len(certain)
        comparison.settled(here, there, certain)


class _Paired:
    def __init__(self, player: Plays, counterpart: Counterpart) -> None:
        self._player = player
        self._counterpart = counterpart

    def play(self, plan: Plan) -> Generator[Ask, Sequence[Reply], Performance]:
        performance = yield from self._player.play(replace(plan, luck=plan.token))
        task = asyncio.get_running_loop().create_task(self._counterpart.compare(plan, performance))
        try:
            while not task.done():
                yield Wait(_LOOK_SECONDS)
        finally:
            task.cancel()
        task.result()
        return performance


class _Side:
    """A service and how plans are played on it."""

    def __init__(self, service: Service, prepared: Prepared, concurrency: int) -> None:
        self._service = service
        self._prepared = prepared
        spec, model = prepared.spec, prepared.model
        self._base = base_path(service.target, spec)
        self._router = Router(spec)
        renderer = Renderer(spec, self._router, base_path=self._base)
        self._player = Player(spec, model, renderer, now=today())
        self._transport = HttpTransport(origin(service.target), service.credentials, concurrency=concurrency)
        self._clock = SystemClock()
        self._people: Mapping[str, Json] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return self._service.credentials.names

    async def meet(self) -> None:
        target, credentials = self._service.target, self._service.credentials
        reached = await self._transport.probe()
        if credentials.names and set(reached.refused) >= set(credentials.names):
            raise CredentialsError(
                "the service refuses every credential", source=target, hint="check --against-auth"
            )
        if reached.status == 0:
            raise TargetError("nobody answers", source=target, hint="is the second service up?")
        people = await ask_people(
            self._prepared.spec,
            self._prepared.model,
            self._router,
            self._transport,
            self.names,
            base_path=self._base,
        )
        for one in credentials:
            if one.name not in people and one.username:
                people[one.name] = {"username": one.username, "name": one.username}
        self._people = people

    async def close(self) -> None:
        await self._transport.close()

    async def play(self, plan: Plan, mark: str, *, like: _Side) -> Performance:
        """A plan made for the service ``like``, here, with names and identities of its own."""
        mine = self.names
        stand_in = {name: mine[index % len(mine)] if mine else "" for index, name in enumerate(like.names)}
        own = replace(
            plan,
            token=f"{plan.token}{mark}",
            luck=plan.token,
            actors=tuple(stand_in.get(name, name) for name in plan.actors),
            everybody=mine,
            cast={user: stand_in.get(name, name) for user, name in plan.cast.items()},
            people=self._people,
        )
        return await played(self._player, own, self._transport, self._clock)


async def played(player: Plays, plan: Plan, transport: Transport, clock: SystemClock) -> Performance:
    """A play to its end, with nothing between it and the service."""
    conversation = player.play(plan)
    began = clock.now()
    replies: Sequence[Reply] | None = None
    while True:
        try:
            ask = next(conversation) if replies is None else conversation.send(replies)
        except StopIteration as ended:
            performance: Performance = ended.value
            return performance
        match ask:
            case Wait(seconds=seconds):
                await asyncio.sleep(seconds)
                replies = ()
            case Send(requests=requests):
                outcomes = await asyncio.gather(*(transport.send(one) for one in requests))
                replies = tuple(Reply(outcome, clock.now() - began) for outcome in outcomes)
