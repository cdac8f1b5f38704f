"""A headless event in a directory: played to its end, and drawn.

The directory holds the event's settings, every game as it was played, and at the end the standings.
An event that was killed is resumed from it and ends the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ...console import output as console
from ..workers import contest

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as Drawing

    from mancala.server.contest.headless.event import Event
    from mancala.server.contest.headless.event_standings import EventStandings
    from mancala.server.contest.headless.executor import Batch
    from mancala.server.contest.headless.journal import EventJournal


def play_event(
    event: Event,
    journal: EventJournal,
    where: contest.ExecutorOptions,
    *,
    quiet: bool,
    on_batch: Callable[[], None] = lambda: None,
) -> None:
    """Play the missing games of an event; add each to the journal when it ends.

    Args:
        event: the event's settings.
        journal: its games so far.
        where: the workers.
        quiet: draw no live view.
        on_batch: called whenever games were added to the journal.

    Raises:
        typer.Exit: when the workers cannot play.
    """
    from mancala.server.contest.headless.disabled_players import progress_of
    from mancala.server.contest.headless.event_standings import standings_of

    _expect_same_pairings(event, journal)

    def view() -> RenderableType:
        return drawing(standings_of(event, journal.games))

    if missing := progress_of(event, journal.games).missing:
        games = event.rounds * len(missing)
        with contest.open_executor(
            event.contenders, event.conditions, where, games=games
        ) as executor:
            while (course := progress_of(event, journal.games)).missing:
                with closing(
                    contest.played(executor, course.missing, view, quiet=quiet)
                ) as batches:
                    for batch in batches:
                        journal.add(batch.games)
                        on_batch()
                        if _disables(batch, event, journal, course.disabled):
                            break


def _expect_same_pairings(event: Event, journal: EventJournal) -> None:
    """Refuse to go on with games that were paired in another way, by an earlier version.

    Raises:
        typer.Exit: when there are such games.
    """
    from mancala.server.contest.headless.disabled_players import progress_of

    tasks = progress_of(event, journal.games).plan.tasks
    for task in tasks:
        game = journal.games.get(task.number)
        if game and tuple(player.name for player in game.record.players) != task.players:
            console.fail(
                f"game {task.number} is of other players than this version pairs; "
                f"the event can be ended by the version that began it"
            )


def _disables(batch: Batch, event: Event, journal: EventJournal, known: Collection[str]) -> bool:
    """Return whether a player became disabled, which makes further games unnecessary."""
    from mancala.server.contest.headless.disabled_players import progress_of
    from mancala.server.contest.headless.score import forfeiter_of

    if not any(map(forfeiter_of, batch.games)):
        return False
    return len(progress_of(event, journal.games).disabled) > len(known)


def write_standings(home: Path, table: EventStandings) -> None:
    """Write the standings of an event into its directory.

    Raises:
        typer.Exit: when they cannot be written.
    """
    from mancala.server.contest.headless import event_standings, journal

    try:
        journal.write_whole(home / event_standings.STANDINGS_FILE, event_standings.to_bytes(table))
    except OSError as error:
        console.fail(error, code=console.FAILED)


def drawing(table: EventStandings) -> Drawing:
    """Return a table of the standings with the crosstable beside it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as Drawing
    from rich.text import Text

    draft = Drawing(box=SIMPLE_HEAD)
    draft.add_column("#", justify="right")
    draft.add_column("player", overflow="fold")
    for heading in ("points", "games", "Elo", "±"):
        draft.add_column(heading, justify="right")
    for number in range(1, len(table.standings) + 1):
        draft.add_column(str(number), justify="right")
    for line, row in zip(table.standings, table.crosstable.points, strict=True):
        draft.add_row(
            str(line.rank),
            Text(line.name),
            f"{line.points:g}",
            str(line.games),
            f"{line.elo:+.0f}",
            f"{line.elo_error:.0f}",
            *("" if points is None else f"{points:g}" for points in row),
        )
    return draft
