"""An event of two or more players without a server, played by workers to its end.

An event that was interrupted is resumed from its journal, and ends the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from .disabled_players import EventProgress, progress_of
from .event import Event, most_pairs
from .executor import GameExecutor
from .game import Task
from .journal import GameJournal, JournalError, WriteError, write_whole
from .played_game import PlayedGame
from .standings import STANDINGS_FILE, EventStandings, standings_of, to_bytes


def with_openings(event: Event, openings: Callable[[int], Sequence[str]]) -> Event:
    """Return an event with an opening for each pair of its games, of which there are at most N."""
    return replace(event, openings=tuple(openings(most_pairs(event))))


class TournamentRun:
    """An event that is being played.

    Args:
        event: its settings.
        journal: keeps each game when it ends; those that it holds are not played again.

    Raises:
        JournalError: when an earlier version paired the journal's games in another way.
    """

    def __init__(self, event: Event, journal: GameJournal | None = None) -> None:
        self.event = event
        self.journal = journal or GameJournal()
        for task in self.progress.plan.tasks:
            game = self.journal.games.get(task.number)
            if game and game.facts.players != task.players:
                raise JournalError(
                    f"game {task.number} is of other players than this version pairs; "
                    f"the event can be ended by the version that began it"
                )

    def resume(self) -> Iterator[Sequence[PlayedGame]]:
        """Yield the games of the journal in one sequence."""
        yield tuple(self.journal.games.values())

    @property
    def progress(self) -> EventProgress:
        """The rounds and games so far, and the disabled players."""
        return progress_of(self.event, self.journal.games)

    @property
    def missing(self) -> list[Task]:
        """The games of the rounds so far that are still to be played."""
        return self.progress.missing

    @property
    def standings(self) -> EventStandings:
        """The standings so far."""
        return standings_of(self.event, self.journal.games)

    def play(self, executor: GameExecutor) -> Generator[Sequence[PlayedGame], None, None]:
        """Play what is missing, round after round; yield games when they are in the journal.

        Raises:
            WriteError: when the journal cannot be written.
            WorkersDiedError: when workers keep dying between games.
        """
        while (known := self.progress).missing:
            with closing(executor.play(known.missing)) as batches:
                for batch in batches:
                    self.journal.add(batch.games)
                    yield batch.games
                    if self._disables(batch.games, len(known.disabled)):
                        break

    def _disables(self, games: Sequence[PlayedGame], before: int) -> bool:
        """Return whether a player became disabled, which makes further games unnecessary."""
        return any(game.forfeiter for game in games) and len(self.progress.disabled) > before

    def write_standings(self, home: Path) -> EventStandings:
        """Write the standings into the event's directory, and return them.

        Raises:
            WriteError: when they cannot be written.
        """
        table = self.standings
        try:
            write_whole(home / STANDINGS_FILE, to_bytes(table))
        except OSError as error:
            raise WriteError(f"{home / STANDINGS_FILE}: {error.strerror}") from error
        return table
