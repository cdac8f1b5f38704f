"""``mancala tournament``: an event without a server that survives anything.

Everything is in one directory: what was settled beforehand, every game as it was played, and at
the end the tables. Killed at any moment, it is taken up with ``--resume`` and ends the same.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from scripts.commands.openings import openings_for
from scripts.console import output as console
from scripts.console.options import JsonOption, RulesOption
from scripts.processes import contest
from scripts.processes.contest import (
    MARGIN_S,
    ClusterOption,
    ConcurrencyOption,
    DepthOption,
    MarginOption,
    MovetimeOption,
    NodesOption,
    OpeningsOption,
    SeedOption,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as Drawing

    from server.headless.event import Contender, Event
    from server.headless.executor import Batch
    from server.headless.game import Conditions
    from server.headless.journal import Journal
    from server.headless.tables import Table

MOST_GAMES: Final = 10_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tournament")(_tournament)


def play_event(event: Event, journal: Journal, where: contest.Place, *, quiet: bool) -> Table:
    """Play what is left of an event, keeping every game as it comes back.

    Args:
        event: what was settled beforehand.
        journal: its games so far.
        where: the workers.
        quiet: draw no live view.

    Raises:
        typer.Exit: when it cannot be played.
    """
    from server.headless.disabling import course_of
    from server.headless.tables import table_of

    def view() -> RenderableType:
        return drawing(table_of(event, journal.games))

    if course_of(event, journal.games).missing:
        with contest.hired(event.contenders, event.conditions, where) as team:
            while (course := course_of(event, journal.games)).missing:
                with closing(contest.played(team, course.missing, view, quiet=quiet)) as batches:
                    for batch in batches:
                        journal.add(batch.games)
                        if _disables(batch, event, journal, course.disabled):
                            break
    return table_of(event, journal.games)


def _disables(batch: Batch, event: Event, journal: Journal, known: Collection[str]) -> bool:
    """Tell whether somebody is disabled that was not, so that fewer games are to be played."""
    from server.headless.disabling import course_of, forfeiter_of

    if not any(map(forfeiter_of, batch.games)):
        return False
    return len(course_of(event, journal.games).disabled) > len(known)


def _tournament(
    players: Annotated[
        list[str] | None, typer.Argument(help="Two or more players: SPEC or NAME=SPEC.")
    ] = None,
    *,
    format_: Annotated[
        str, typer.Option("--format", help="rr, gauntlet (the first against all), swiss, knockout.")
    ] = "rr",
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Games of each encounter, in pairs.")
    ] = 2,
    rounds: Annotated[
        int | None, typer.Option(min=1, max=MOST_GAMES, help="Swiss rounds; or laps of rr.")
    ] = None,
    directory: Annotated[Path | None, typer.Option("--dir", help="Where to keep it; new.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Take up the event in this directory, or begin it there.")
    ] = None,
    movetime: MovetimeOption = None,
    margin: MarginOption = MARGIN_S,
    depth: DepthOption = None,
    nodes: NodesOption = None,
    openings: OpeningsOption = None,
    rules: RulesOption = "kalah",
    seed: SeedOption = 1,
    disable_after: Annotated[
        int, typer.Option(min=0, help="Forfeits in a row that end a player's event; 0: never.")
    ] = 3,
    concurrency: ConcurrencyOption = None,
    cluster: ClusterOption = None,
    report: Annotated[
        Path | None, typer.Option(help="A page of tables and plots, one file of HTML.")
    ] = None,
    review: Annotated[
        float, typer.Option(min=0.0, help="Seconds a game to review its moves for the report.")
    ] = 0.0,
    json: JsonOption = False,
) -> None:
    """Hold an event: everyone against everyone, one against all, Swiss rounds, or a knockout.

    Every game is kept as it is played; after a crash, go on with --resume.
    """
    from server.headless import journal

    limits = contest.Limits(movetime, margin, depth, nodes)
    event = None
    if players:
        conditions = contest.conditions_of(rules, limits, seed=seed)
        contenders = contest.contenders_of(players, limits)
        event = _event(format_, contenders, games, rounds, conditions)
        event = _settled(event, openings, disable_after)
    place = contest.Place(concurrency, cluster)
    try:
        home, event = _begin(event, directory, resume)
        kept = journal.Journal(home)
    except (journal.JournalError, OSError) as error:
        console.fail(str(error))
    with closing(kept):
        table = play_event(event, kept, place, quiet=json)
        _conclude(home, table)
        if report is not None:
            _write_report(report, event, kept, table, review)
    if json:
        console.emit(table)
    else:
        _print(table, home)


def _event(
    format_: str,
    contenders: tuple[Contender, ...],
    games: int,
    rounds: int | None,
    conditions: Conditions,
) -> Event:
    from server.headless.event import Event, Format, usual_rounds

    if format_ not in list(Format):
        console.fail(f"no format {format_!r}; known: {', '.join(Format)}")
    kind = Format(format_)
    usual = usual_rounds(kind, len(contenders))
    try:
        return Event(kind, contenders, contest.even(games), rounds or usual, conditions)
    except ValueError as error:
        console.fail(str(error))


def _settled(event: Event, source: str | None, disable_after: int) -> Event:
    """Settle what is left to be: the openings, and when a player is disabled."""
    from msgspec import structs

    from server.headless.event import pairs_in_all

    conditions = event.conditions
    pairs = pairs_in_all(event)
    chosen = openings_for(conditions.rules, pairs, seed=conditions.seed, source=source)
    boards = tuple(opening.board for opening in chosen)
    return structs.replace(event, openings=boards, disable_after=disable_after)


def _begin(event: Event | None, directory: Path | None, resume: Path | None) -> tuple[Path, Event]:
    """Begin an event in a new directory, or find the one to be taken up.

    Raises:
        JournalError: when there is none to take up, or another one where it should begin.
    """
    from server.headless import journal

    if resume is None:
        if event is None:
            console.fail("name two players or more, or an event with --resume")
        home = directory or _new_home()
        journal.create(home, event)
        return home, event
    if event is not None and not (resume / journal.EVENT).exists():
        journal.create(resume, event)
    begun = journal.read_event(resume)
    if event is not None and event != begun:
        console.fail(f"{resume} holds an event of other players, games or conditions")
    return resume, begun


def _new_home() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    home = Path(state) / "mancala-arena" / "tournaments" / f"{now}-{os.getpid()}"
    typer.echo(f"mancala: the event is kept in {home}", err=True)
    return home


def _conclude(home: Path, table: Table) -> None:
    from server.headless import journal, tables

    try:
        journal.write_whole(home / tables.TABLE, tables.to_bytes(table))
    except OSError as error:
        console.fail(str(error), code=console.FAILED)


def _write_report(path: Path, event: Event, kept: Journal, table: Table, review_s: float) -> None:
    from scripts.views.report import write_report

    try:
        write_report(path, event, kept.games, table, review_s=review_s)
    except OSError as error:
        console.fail(str(error), code=console.FAILED)


def _print(table: Table, home: Path) -> None:
    from rich.console import Console

    terminal = Console()
    terminal.print(drawing(table))
    for name, number in table.disabled.items():
        terminal.print(
            f"{name} was disabled after game {number}; its later games are lost",
            markup=False,
            soft_wrap=True,
        )
    terminal.print(f"{table.games} games, kept in {home}", markup=False, soft_wrap=True)


def drawing(table: Table) -> Drawing:
    """Draw the standings, each against each beside them."""
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
