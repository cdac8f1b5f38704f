"""A match of two players without a server: played by workers until its games or a test are over."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any

from ...rating.sprt import Sprt
from ..events.plan import Format
from .disabled_players import NEVER
from .event import Contender, Event, plan
from .executor import GameExecutor, PlayChunk
from .game import Conditions, Task
from .journal import GameJournal
from .played_game import PlayedGame
from .score import MatchScore


def match_event(
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    *,
    games: int,
    openings: Sequence[str] = (),
) -> Event:
    """Return a match of two players as an event, with an opening for each pair of games."""
    return Event(
        format=Format.ROUND_ROBIN,
        contenders=contenders,
        games=games,
        rounds=1,
        conditions=conditions,
        openings=tuple(openings),
        disable_after=NEVER,
    )


class MatchRun:
    """A match that is being played.

    Args:
        event: two players, their games and openings.
        test: what may end it early.
        journal: keeps each game when it ends; those that it holds are not played again.

    Attributes:
        score: what came of the games that count.
        seconds: how long it was played, in this run.
    """

    def __init__(
        self, event: Event, test: Sprt | None = None, journal: GameJournal | None = None
    ) -> None:
        self.event = event
        self.journal = journal or GameJournal()
        self.score = MatchScore(event.names[0], test, event.conditions.margin_ms)
        self.seconds = 0.0

    def resume(self) -> Iterator[Sequence[PlayedGame]]:
        """Count the games of the journal; yield those that count, pair by pair."""
        yield from self._counted(
            self.journal.games[number] for number in sorted(self.journal.games)
        )

    @property
    def missing(self) -> list[Task]:
        """The games that are still to be played; none once the test has a verdict."""
        if self.score.verdict is not None:
            return []
        tasks = plan(self.event, {}).tasks
        return [task for task in tasks if task.number not in self.journal.games]

    def play(
        self, executor: GameExecutor, work: PlayChunk | None = None
    ) -> Generator[Sequence[PlayedGame], None, None]:
        """Play what is missing; yield the games that count, pair by pair, when they have ended.

        Args:
            executor: the workers.
            work: plays a chunk of games; None for the workers' own function.

        Raises:
            WriteError: when the journal cannot be written.
            WorkersDiedError: when workers keep dying between games.
        """
        began = time.monotonic()
        try:
            with closing(executor.play(self.missing, work)) as batches:
                for batch in batches:
                    self.journal.add(batch.games)
                    self.seconds = time.monotonic() - began
                    yield from self._counted(batch.games)
                    if self.score.verdict is not None:
                        self.journal.keep_only(range(self.score.games))
                        break
        finally:
            self.seconds = time.monotonic() - began

    def _counted(self, games: Iterable[PlayedGame]) -> Iterator[Sequence[PlayedGame]]:
        return filter(None, map(self.score.add, games))

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, as ``mancala match --json`` prints it."""
        event, seconds = self.event, self.seconds
        return {
            "players": list(event.names),
            **self.score.summary(),
            "seed": event.conditions.seed,
            "rules": str(event.conditions.rules),
            "seconds": round(seconds, 3),
            "plies_per_second": round(self.score.plies / max(seconds, 1e-3), 1),
        }
