"""Events played by workers without a server: a match of two, and an event played to its end."""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from mancala.files import write_whole

from ...config.events import Format
from ...rating.sprt import Sprt
from .disabled_players import NEVER, EventProgress, progress_of
from .event import Contender, Event, plan
from .executor import GameExecutor, PlayChunk
from .game import Conditions, Task
from .journal import GameJournal, JournalError, writing
from .played_game import PlayedGame
from .score import MatchScore
from .standings import STANDINGS_FILE, EventStandings, standings_of, to_bytes

Games = Sequence[PlayedGame]


def match_event(
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    *,
    games: int,
    openings: Sequence[str] = (),
) -> Event:
    return Event(
        format=Format.ROUND_ROBIN,
        contenders=contenders,
        games=games,
        rounds=1,
        conditions=conditions,
        openings=tuple(openings),
        disable_after=NEVER,
    )


class EventRun:
    def __init__(self, event: Event, journal: GameJournal | None = None) -> None:
        self.event = event
        self.journal = journal or GameJournal()
        self.seconds = 0.0

    @property
    def missing(self) -> list[Task]:
        """The games of the rounds so far that are still to be played."""
        raise NotImplementedError

    def resume(self) -> Iterator[Games]:
        """Take up the games of the journal; yield them."""
        return self._counted([game for _, game in sorted(self.journal.games.items())])

    def play(
        self, executor: GameExecutor, work: PlayChunk | None = None
    ) -> Generator[Games, None, None]:
        """Play what is missing; yield games that are in the journal and count.

        Raises:
            WriteError: when the journal cannot be written.
            WorkerLostError: when workers keep dying between games.
        """
        began = time.monotonic()
        try:
            while tasks := self.missing:
                with closing(executor.play(tasks, work)) as batches:
                    for batch in batches:
                        self.journal.add(batch.games)
                        self.seconds = time.monotonic() - began
                        yield from self._counted(batch.games)
                        if self._is_enough(batch.games):
                            break
        finally:
            self.seconds = time.monotonic() - began

    def _counted(self, games: Games) -> Iterator[Games]:
        yield games

    def _is_enough(self, games: Games) -> bool:
        """Return whether games have ended after which others need not be played."""
        raise NotImplementedError


class MatchRun(EventRun):
    """A match of two that is being played, until its games or a test are over."""

    def __init__(
        self, event: Event, test: Sprt | None = None, journal: GameJournal | None = None
    ) -> None:
        super().__init__(event, journal)
        self.score = MatchScore(event.names[0], test, event.conditions.margin_ms)
        self.resumed_games = self.resumed_plies = 0
        self._resumed = frozenset(self.journal.games)

    @property
    def missing(self) -> list[Task]:
        """The games that are still to be played; none once the test has a verdict."""
        if self.score.verdict is not None:
            return []
        tasks = plan(self.event, {}).tasks
        return [task for task in tasks if task.number not in self.journal.games]

    def _counted(self, games: Games) -> Iterator[Games]:
        for whole in filter(None, map(self.score.add, games)):
            for pair in zip(whole[::2], whole[1::2], strict=True):
                if not any(game.is_void for game in pair):
                    before = [game for game in pair if game.number in self._resumed]
                    self.resumed_games += len(before)
                    self.resumed_plies += sum(game.facts.plies for game in before)
            yield whole

    def _is_enough(self, _games: Games) -> bool:
        if self.score.verdict is None:
            return False
        self.journal.keep_only(range(self.score.taken))
        return True

    @property
    def speed(self) -> float:
        """Plies a second of the games that were played, not taken up."""
        return (self.score.plies - self.resumed_plies) / max(self.seconds, 1e-3)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, as ``mancala match --json`` prints it."""
        event = self.event
        return {
            "players": list(event.names),
            **self.score.summary(),
            "seed": event.conditions.seed,
            "rules": str(event.conditions.rules),
            "seconds": round(self.seconds, 3),
            "plies_per_second": round(self.speed, 1),
        }


class TournamentRun(EventRun):
    """An event of two or more players that is being played, round after round.

    Raises:
        JournalError: when an earlier version paired the journal's games in another way.
    """

    def __init__(self, event: Event, journal: GameJournal | None = None) -> None:
        super().__init__(event, journal)
        for task in self.progress.plan.tasks:
            game = self.journal.games.get(task.number)
            if game and game.facts.players != task.players:
                raise JournalError(
                    f"game {task.number} is of other players than this version pairs; "
                    f"the event can be ended by the version that began it"
                )

    @property
    def progress(self) -> EventProgress:
        """The rounds and games so far, and the disabled players."""
        return progress_of(self.event, self.journal.games)

    @property
    def missing(self) -> list[Task]:
        return self.progress.missing

    def _is_enough(self, games: Games) -> bool:
        """Return whether a player became disabled, which makes further games unnecessary."""
        failed = {game.failed for game in games if game.failed}
        return bool(failed) and not failed.isdisjoint(self.progress.disabled)

    @property
    def first_forfeits(self) -> dict[str, str]:
        """Why each player that forfeited games lost the first of them."""
        found: dict[str, str] = {}
        for _, game in sorted(self.journal.games.items()):
            if game.forfeiter:
                found.setdefault(game.forfeiter, game.evidence)
        return found

    @property
    def standings(self) -> EventStandings:
        return standings_of(self.event, self.journal.games)

    def write_standings(self, home: Path) -> EventStandings:
        table = self.standings
        with writing(home / STANDINGS_FILE):
            write_whole(home / STANDINGS_FILE, to_bytes(table))
        return table
