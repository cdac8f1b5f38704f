"""``mancala tournament``: an event of two or more players, without a server; resumable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, spread_options
from ...console.processes.table_advice import advise_tables
from ...publishing.options import PublishingOptions, expect_published, publishing
from ...tournament.runs.directory import DirectoryOptions, begin, opened, resumption
from ...tournament.runs.openings import openings_for
from ...tournament.runs.pairing_options import PairingOptions
from ...tournament.runs.tournament import drawing, play_event, write_standings
from ...tournament.workers import contest
from ...tournament.workers.contest import (
    ExecutorOptions,
    OpeningsOption,
    PlayerLimits,
    RunOption,
    SeedOption,
)

if TYPE_CHECKING:
    from mancala.protocol.submission import Submission
    from mancala.server.contest.events.plan import Format
    from mancala.server.contest.headless.event import Contender, Event
    from mancala.server.contest.headless.event_standings import EventStandings
    from mancala.server.contest.headless.game import Conditions
    from mancala.server.contest.headless.journal import EventJournal

MOST_GAMES: Final = 10_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tournament")(spread_options(_tournament))


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatOptions:
    """Options: the format, and how much is played."""

    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="rr (round robin), drr (double), gauntlet (the first against all), swiss, "
            "knockout, double-knockout, arena (in waves) or match (of two).",
        ),
    ] = "rr"
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Games per encounter, in pairs.")
    ] = 2
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_GAMES, help="Rounds of swiss; waves of an arena; repetitions of rr."
        ),
    ] = None

    def kind(self) -> Format:
        """Return the format.

        Raises:
            typer.Exit: when it is unknown.
        """
        from mancala.server.contest.events.plan import FORMATS, Format

        if self.format_ not in FORMATS:
            console.fail(f"--format: {self.format_!r} is unknown; known: {', '.join(FORMATS)}")
        return Format(self.format_)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Options: the report of the event."""

    report: Annotated[Path | None, typer.Option(help="HTML file to write tables and plots to.")] = (
        None
    )
    review: Annotated[
        float, typer.Option(min=0.0, help="Seconds per game to review its moves for --report.")
    ] = 0.0

    def write(
        self, event: Event, kept: EventJournal, table: EventStandings, *, is_whole: bool
    ) -> None:
        """Write the report if one is asked for; review the games of a whole event only.

        Raises:
            typer.Exit: when the file cannot be written.
        """
        from ...publishing.report import write_report

        if self.report is None:
            return
        review_s = self.review if is_whole else 0.0
        try:
            write_report(self.report, event, kept.games, table, review_s=review_s)
        except OSError as error:
            console.fail(error, at=self.report, code=console.FAILED)


def _tournament(
    players: Annotated[
        list[str] | None, typer.Argument(help="Two or more players: SPEC or NAME=SPEC.")
    ] = None,
    *,
    run: RunOption = None,
    size: FormatOptions,
    pairing: PairingOptions,
    directory: DirectoryOptions,
    limits: PlayerLimits,
    openings: OpeningsOption = None,
    rules: RulesOption = "kalah",
    seed: SeedOption = 1,
    disable_after: Annotated[
        int, typer.Option(min=0, help="Disable a player after N forfeits in a row; 0: never.")
    ] = 3,
    leave_out_unusual: Annotated[
        bool,
        typer.Option(
            "--leave-out-unusual",
            help="Leave the games of unusual pairs out of the ratings: results that differ from "
            "what both score against all others by more than chance explains.",
        ),
    ] = False,
    place: ExecutorOptions,
    pages: PublishingOptions,
    reporting: ReportOptions,
    json: JsonOption = False,
) -> None:
    """Play a tournament without a server.

    Each game is written to disk when it ends; after a crash, continue with --resume.
    """
    from msgspec import structs

    from mancala.server.contest.headless.event_standings import standings_of

    from ...publishing.documents import event_submission

    pages.check()
    if reporting.report is not None:
        console.expect_writable(reporting.report)
    event = None
    if entrants := contest.with_bots(run, players or ()):
        conditions = contest.conditions_of(rules, limits, seed=seed)
        contenders = contest.contenders_of(entrants, limits)
        event = _event(size, contenders, conditions, pairing)
        event = _settled(event, openings, disable_after)
        event = structs.replace(event, leave_out_unusual=leave_out_unusual)
        advise_tables(conditions.rules, (each.spec for each in contenders))
    home, event = begin("tournament", event, directory)
    with opened(home, "tournament") as kept, publishing(pages, home) as shown:

        def state(*, stopped: bool = False) -> Submission:
            table = standings_of(event, kept.games)
            return event_submission(event, kept.games, table, title=pages.title, stopped=stopped)

        with until_interrupted() as interruption:
            shown.offer(state)
            play_event(event, kept, place, quiet=json, on_batch=partial(shown.offer, state))
        table = standings_of(event, kept.games)
        write_standings(home, table)
        reporting.write(event, kept, table, is_whole=not interruption.happened)
        problems = shown.finish(partial(state, stopped=interruption.happened))
    if json:
        console.emit(interruption.marked(table))
    else:
        _print(table, home)
    if interruption.happened:
        end_interrupted(resumption(home, "tournament"))
    expect_published(problems, home, "tournament")


def _event(
    size: FormatOptions,
    contenders: tuple[Contender, ...],
    conditions: Conditions,
    pairing: PairingOptions,
) -> Event:
    from mancala.server.contest.events.plan import BRACKETS, usual_rounds
    from mancala.server.contest.headless.event import Event

    kind = size.kind()
    usual = usual_rounds(kind, len(contenders))
    try:
        return Event(
            kind,
            contenders,
            contest.even(size.games),
            size.rounds or usual,
            conditions,
            tie_breaks=pairing.order_of_tie_breaks(),
            accelerated=pairing.accelerated,
            replays=pairing.replays if kind in BRACKETS else 0,
            attendance=pairing.attendance(),
        )
    except ValueError as error:
        console.fail(error)


def _settled(event: Event, source: str | None, disable_after: int) -> Event:
    """Return the event with its openings, and when players are disabled."""
    from msgspec import structs

    from mancala.server.contest.headless.event import most_pairs

    conditions = event.conditions
    pairs = most_pairs(event)
    chosen = openings_for(conditions.rules, pairs, seed=conditions.seed, source=source)
    boards = tuple(opening.board for opening in chosen)
    return structs.replace(event, openings=boards, disable_after=disable_after)


def _print(table: EventStandings, home: Path) -> None:
    from mancala.server.contest.headless.score import lateness_lines

    from ...console.terminal import Terminal

    terminal = Terminal()
    terminal.print(drawing(table))
    for tie in table.ties:
        terminal.print(tie.sentence(), markup=False, soft_wrap=True)
    for name, number in table.disabled.items():
        terminal.print(
            f"{name} was disabled after game {number} and forfeits its later games",
            markup=False,
            soft_wrap=True,
        )
    without = ", ".join(f"{name} {it.elo:+.0f}" for name, it in table.without_forfeits.items())
    if without:
        terminal.print(f"Elo without forfeits: {without}", markup=False, soft_wrap=True)
    for line in table.misfit.sentences() if table.misfit else ():
        terminal.print(line, markup=False, soft_wrap=True)
    for line in lateness_lines(table.lateness):
        terminal.print(line, markup=False, soft_wrap=True)
    terminal.print(f"{quantity(table.games, 'game')}, kept in {home}", markup=False, soft_wrap=True)
