"""Twins: a world is played twice, with restarts and without, and both come to the same.

Two bots whose answers follow from the position meet in a ladder, from one opening after another.
The server is killed or stopped in the middle of games, and a bot of the house comes late then.
Nothing else befalls them, so no result and no rating may depend on the restarts.

`python -m tests.simulate.twins --seeds 100` plays new twins.
"""

from __future__ import annotations

import random
import secrets
import zlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Join, Move, Turn, Welcome
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Reviewers
from tests.simulate import reading
from tests.simulate.bots import SimBot
from tests.simulate.campaign import make_template, temporary
from tests.simulate.faults import LADDER, POLITE, POLITE_NAME, BotFaults
from tests.simulate.loop import VirtualLoop, run
from tests.simulate.plan import WHOLE, FaultPlan
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.reviewers import PATIENCE_S
from tests.simulate.trace import RareEvent
from tests.simulate.wire import SimulatedLine
from tests.simulate.world import World

MATCHES: Final = 4
KILLS: Final = 4
LONGEST_S: Final = 1800.0
"""The matches take a minute or two, and some more where a bot of the house is late."""
RULES: Final = "kalah:pits=3,seeds=2"
OPENINGS: Final = (
    *("<3,0,0,2,2,2,2,2,2>", "<3,0,0,3,1,2,1,2,3>", "<3,0,0,1,2,3,3,2,1>"),
    *("<3,0,0,3,3,0,2,2,2>", "<3,0,0,0,2,4,4,0,2>"),
)
FOUND: Final = "select count(*) from matches where ended_at is not null"
RATINGS: Final = "select name, elo from entrants order by name"
UNCHANGED_ELO: Final = 0.2
"""A fit leaves ratings as they are that it would change by less than half of this."""

MatchResult = dict[tuple[str, str], tuple[int | None, tuple[int, int], str, tuple[int, ...]]]
"""Of each game of a match, by its bots in seat order: winner, stores, reason and pits."""


@dataclass(frozen=True, slots=True)
class TwinOutcome:
    """What a twin came to."""

    matches: tuple[MatchResult, ...]
    elos: dict[str, float]
    restarts: int

    def differs_from(self, other: TwinOutcome) -> str:
        """Return how it differs from its twin; empty if it does not."""
        for number, (one, two) in enumerate(zip(self.matches, other.matches, strict=False)):
            if one != two:
                return f"match {number}: {one}, not {two}"
        if len(self.matches) != len(other.matches):  # the last one began just before the end
            return ""
        for name, elo in other.elos.items():
            if abs(self.elos.get(name, 0.0) - elo) > UNCHANGED_ELO:
                return f"{name} is rated {self.elos.get(name)}, not {elo}"
        return ""


class TwinBot(SimBot):
    """A bot whose answer follows from the position, and from its name."""

    def _begin(self, line: SimulatedLine, _welcome: Welcome) -> None:
        """Join at each welcome: a kill may have come between the first one and the join."""
        line.say(Join(LADDER))

    def _answer(self, line: SimulatedLine, turn: Turn) -> None:
        key = zlib.crc32(f"{self.name} {turn.ply} {turn.state.pits}".encode())
        line.say(Move(turn.game, turn.ply, turn.legal[key % len(turn.legal)]))


class TwinWorld(World):
    """A world of two such bots, in which nothing happens but restarts."""

    steps_a_kill = 60

    def _draw(self, rng: random.Random) -> list[BotFaults]:
        clock = TimeControl(move_ms=rng.choice((2000, 5000)))
        ladder = LadderSettings(
            name=LADDER,
            rules=RULES,
            clock=clock,
            openings=OPENINGS,
            patience_s=5.0,
            house=rng.choice(({}, {POLITE_NAME: "random"})),
        )
        reviewers = Reviewers(patience_s=PATIENCE_S)
        self.config = Config(
            name="simulated", rules=RULES, clock=clock, ladder=(ladder,), reviewers=reviewers
        )
        self.enters = {}
        return [POLITE, POLITE]

    def _make_bot(self, number: int, faults: BotFaults) -> SimBot:
        return TwinBot(self, f"{faults.name}{number}", faults)

    async def _storm(self) -> None:
        end = self.trace.now() + LONGEST_S
        while reading.rows(self.path, FOUND)[0][0] < MATCHES:
            await self._course.wait(1.0)
            if self.trace.now() > end:
                raise BrokenPromiseError(Promise.LIVE, f"no {MATCHES} matches in {LONGEST_S} s")

    async def _leave(self) -> None:
        """Stay; other worlds check what is left of bots that leave."""

    async def _check(self) -> None:
        await self._server.stop()
        self._course.check()

    @property
    def outcome(self) -> TwinOutcome:
        stored, counts = reading.read(self.path), self.trace.counts
        matches: dict[str, MatchResult] = {
            each.match: {} for each in sorted(stored.matches, key=lambda each: each.began_at)
        }
        for game in stored.games:
            result = game.winner, game.stores, game.reason.value, game.pits
            matches[game.match][game.names] = result
        restarts = counts[RareEvent.KILL] + counts[RareEvent.RESTART_IN_PLAY]
        elos = dict(reading.rows(self.path, RATINGS))
        return TwinOutcome(tuple(matches.values()), elos, restarts)


def twins(seed: int, template: Path) -> tuple[TwinOutcome, TwinOutcome]:
    """Return what the twins of a seed came to: the one with restarts, and the other one."""
    plan = replace(FaultPlan.of(seed), bots=2, stalls=False, without=WHOLE)
    return _played(replace(plan, kills=KILLS), template), _played(replace(plan, kills=0), template)


def _played(plan: FaultPlan, template: Path) -> TwinOutcome:
    with temporary() as folder:
        return run(partial(_play, plan, template, Path(folder)), VirtualLoop)


async def _play(plan: FaultPlan, template: Path, folder: Path, loop: VirtualLoop) -> TwinOutcome:
    world = TwinWorld(loop, plan, template, folder)
    await world.play()
    return world.outcome


def main(
    *,
    seed: Annotated[int | None, typer.Option(help="The first seed; by default a new one.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds to play.")] = 20,
) -> None:
    """Play twins, and print what differs."""
    first = secrets.randbelow(1 << 32) if seed is None else seed
    restarts = differing = 0
    with temporary() as folder:
        template = make_template(Path(folder))
        for number in range(first, first + seeds):
            restarted, other = twins(number, template)
            restarts += restarted.restarts
            if found := restarted.differs_from(other):
                differing += 1
                typer.echo(f"seed {number}: {found}")
    typer.echo(f"{seeds} twins from seed {first}, {restarts} restarts, {differing} differ")
    raise typer.Exit(int(differing > 0))


if __name__ == "__main__":
    typer.run(main)
