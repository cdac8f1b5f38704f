"""``mancala tournament``: an event of two or more players, without a server; resumable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity, whole_number

from ...console import output as console
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, RulesOption, rules_of
from ...console.playing import (
    DirectoryOptions,
    ExecutorOptions,
    OpeningsOption,
    PlayerLimits,
    RunOption,
    SeedOption,
    drawn,
    even,
    opened,
    resumption,
    setting_up,
    with_bots,
)
from ...console.processes.table_advice import ready_engine
from ...publishing.options import PublishingOptions, expect_published, publishing

if TYPE_CHECKING:
    from rich.console import RenderableType

    from mancala.protocol.submission import Submission
    from mancala.server.config.events import TieBreak
    from mancala.server.contest.events.terms import Attendance
    from mancala.server.contest.headless.runs import TournamentRun
    from mancala.server.contest.headless.standings import EventStandings

MOST_GAMES: Final = 10_000
MOST_REPLAYS: Final = 100


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingOptions:
    """How the event is paired, and what decides between equal points."""

    tie_breaks: Annotated[
        str | None,
        typer.Option(
            help="In order: direct, buchholz-1, buchholz, sonneborn-berger, wins, progressive, "
            "margin. Default: what suits the format."
        ),
    ] = None
    accelerated: Annotated[
        bool, typer.Option("--accelerated", help="Accelerate the first rounds of swiss (Baku).")
    ] = False
    replays: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_REPLAYS,
            help="Replays of a tied encounter of a knockout; then seeds ahead decide, then a lot.",
        ),
    ] = 1
    late: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=ROUND: enters swiss, with half-point byes before, or an arena in this round."
        ),
    ] = None
    leaves: Annotated[
        list[str] | None,
        typer.Option(help="NAME=ROUND: withdraws from swiss or an arena after this round."),
    ] = None
    bye: Annotated[
        list[str] | None, typer.Option(help="NAME=ROUND: has a half-point bye in a round of swiss.")
    ] = None

    def order_of_tie_breaks(self) -> tuple[TieBreak, ...]:
        """Return the tie-breaks asked for; none for those of the format."""
        from mancala.server.config.events import TieBreak

        names = [] if self.tie_breaks is None else self.tie_breaks.split(",")
        for name in names:
            if name not in list(TieBreak):
                known = ", ".join(TieBreak)
                console.fail(f"--tie-breaks: {name!r} is unknown; known: {known}")
        if len(set(names)) < len(names):
            console.fail(f"--tie-breaks: one is named twice in {self.tie_breaks!r}")
        return tuple(map(TieBreak, names))

    def attendance(self) -> dict[str, Attendance]:
        """Return the players that don't play every round."""
        from mancala.server.contest.events.terms import Attendance

        joins, leaves = dict(_rounds("--late", self.late)), dict(_rounds("--leaves", self.leaves))
        byes = [*_rounds("--bye", self.bye)]
        names = dict.fromkeys([*joins, *leaves, *(name for name, _ in byes)])
        return {
            name: Attendance(
                joins.get(name, 1),
                leaves.get(name, 0),
                tuple(number for who, number in byes if who == name),
            )
            for name in names
        }


def _rounds(option: str, texts: Iterable[str] | None) -> Iterator[tuple[str, int]]:
    for text in texts or ():
        name, _, digits = text.rpartition("=")
        try:
            number = whole_number(digits)
        except ValueError:
            number = 0
        if not name or number < 1:
            console.fail(f"{option}: {text!r} is not NAME=ROUND")
        yield name, number


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionOptions:
    """Options: who plays no further games, and what counts for no rating."""

    disable_after: Annotated[
        int, typer.Option(min=0, help="Disable a player after N forfeits in a row; 0: never.")
    ] = 3
    leave_out_unusual: Annotated[
        bool,
        typer.Option(
            "--leave-out-unusual",
            help="Leave the games of unusual pairs out of the ratings: results that differ from "
            "what both score against all others by more than chance explains.",
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """Options: the report of the event."""

    report: Annotated[Path | None, typer.Option(help="HTML file to write tables and plots to.")] = (
        None
    )
    review: Annotated[
        float, typer.Option(min=0.0, help="Seconds per game to review its moves for --report.")
    ] = 0.0

    def write(self, event: TournamentRun, table: EventStandings, *, is_whole: bool) -> None:
        """Write the report if one is asked for; review the games of a whole event only."""
        from ...publishing.report import write_report

        if self.report is None:
            return
        with console.failing_on(OSError, at=self.report):
            write_report(self.report, event, table, review_s=self.review if is_whole else 0.0)


def command(
    context: typer.Context,
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
    excluded: ExclusionOptions,
    place: ExecutorOptions,
    pages: PublishingOptions,
    reporting: ReportOptions,
    json: JsonOption = False,
) -> None:
    """Play a tournament without a server.

    Each game is written to disk when it ends; after a crash, continue with --resume.
    """
    import mancala.server.rating.fit  # noqa: F401  # needs an extra, before a game
    from mancala.headless import event_of, played
    from mancala.server.contest.headless.runs import TournamentRun

    from ...publishing.documents import event_submission

    pages.check()
    if reporting.report is not None:
        console.expect_writable(reporting.report)
    begun = None
    if entrants := with_bots(run, players or ()):
        conditions = limits.conditions(rules_of(rules), seed=seed)
        contenders = limits.contenders(entrants)
        with setting_up(openings) as on_few:
            begun = event_of(
                contenders,
                format=size.format_,
                games=even(size.games),
                rounds=size.rounds,
                conditions=conditions,
                source=openings,
                on_few=on_few,
                tie_breaks=pairing.order_of_tie_breaks(),
                accelerated=pairing.accelerated,
                replays=pairing.replays,
                attendance=pairing.attendance(),
                disable_after=excluded.disable_after,
                leave_out_unusual=excluded.leave_out_unusual,
            )
        ready_engine(conditions.rules, contenders)
    home, begun = directory.begin(context, begun)
    with opened(home, "tournament") as journal, publishing(pages, home) as shown:
        event = TournamentRun(begun, journal)

        def state(*, stopped: bool = False) -> Submission:
            return event_submission(event, event.standings, title=pages.title, stopped=stopped)

        chunks = played(event, workers=place.workers, cluster=place.cluster)
        with (
            until_interrupted() as interruption,
            drawn(chunks, lambda: _drawing(event.standings), quiet=json) as ended,
        ):
            for _ in ended:
                shown.offer(state)
        table = event.write_standings(home)
        reporting.write(event, table, is_whole=not interruption.happened)
        problems = shown.finish(partial(state, stopped=interruption.happened))
    if json:
        console.emit(interruption.marked(table))
    else:
        _print(table, event.first_forfeits, home)
    if interruption.happened:
        end_interrupted(resumption(home, "tournament"))
    expect_published(problems, home, "tournament")


def _drawing(table: EventStandings) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    draft = Table(box=SIMPLE_HEAD)
    draft.add_column("#", justify="right")
    draft.add_column("player", overflow="fold")
    numbers = range(1, len(table.standings) + 1)
    for heading in ("points", "games", "Elo", "±", *map(str, numbers)):
        draft.add_column(heading, justify="right")
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


def _print(table: EventStandings, forfeits: Mapping[str, str], home: Path) -> None:
    from mancala.server.contest.headless.score import lateness_lines

    from ...console.terminal import Terminal

    terminal = Terminal()
    terminal.print(_drawing(table))
    without = ", ".join(f"{name} {it.elo:+.0f}" for name, it in table.without_forfeits.items())
    lines = [
        *(tie.sentence() for tie in table.ties),
        *(
            f"{name} was disabled after game {number}; its later games are not played"
            for name, number in table.disabled.items()
        ),
        *(f"the first forfeit of {name}: {why}" for name, why in forfeits.items()),
        *(
            f"{quantity(count, 'game')} of {name} void: a service failed that it asks"
            for name, count in table.void.items()
        ),
        *([f"Elo without forfeits: {without}"] if without else []),
        *(table.misfit.sentences() if table.misfit else ()),
        *lateness_lines(table.lateness),
        f"{quantity(table.games, 'game')}, kept in {home}",
    ]
    for line in lines:
        terminal.print(line, markup=False, soft_wrap=True)
