"""``mancala rate``: how strong a player is, without a server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.loss import NORMAL_95, OPENING
from mancala.protocol.rules import KALAH
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption
from ...console.playing import (
    ExecutorOptions,
    PlayerArgument,
    PlayerLimits,
    RunOption,
    even,
    failures,
    with_bots,
)
from ...console.processes.table_advice import ready_engine

if TYPE_CHECKING:
    from mancala.server.contest.rate.gauntlet import GauntletLimits
    from mancala.server.contest.rate.rating import PlayerRating

MOVETIME_S: Final = 0.1
MOST_GAMES: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GauntletOptions:
    """Options: when the games against the levels end."""

    error: Annotated[
        float | None, typer.Option(min=1.0, help="Stop at this error of the Elo. [default: 25]")
    ] = None
    minutes: Annotated[
        float | None, typer.Option(min=0.0, help="Stop the games after this time. [default: 10]")
    ] = None
    games: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST_GAMES, help="Games against the levels, whatever their error and time."
        ),
    ] = None

    def limits(self) -> GauntletLimits:
        """Return them as limits; games come in pairs."""
        from mancala.gauntlet import gauntlet_limits

        games = None if self.games is None else even(self.games)
        return gauntlet_limits(self.error, self.minutes, games)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions:
    """Options: what the player is asked beside its games, and how long those are reviewed."""

    positions: Annotated[
        int,
        typer.Option(min=0, max=10_000, help="Proven positions; a third as many openings besides."),
    ] = 120
    hard: Annotated[
        int,
        typer.Option(
            min=0,
            max=100,
            help="Times in each hard position of mancala.yardstick, instead of --positions.",
        ),
    ] = 0
    review: Annotated[
        float,
        typer.Option(
            min=0.0,
            help="Seconds to review the moves of each game, as many games at a time as are played;"
            " 0 for none. They come after --minutes.",
        ),
    ] = 0.0


def command(
    player: PlayerArgument = None,
    *,
    run: RunOption = None,
    bounds: GauntletOptions,
    asked: QuestionOptions,
    limits: PlayerLimits,
    seed: Annotated[
        int, typer.Option(help="The same seed makes the same positions and openings.")
    ] = 1,
    place: ExecutorOptions,
    report: Annotated[Path | None, typer.Option(help="HTML file to show the rating on.")] = None,
    json: JsonOption = False,
) -> None:
    """Report how strong a player is: what its moves lose, and its Elo among the levels.

    The player answers in positions whose values are proven, by phase of the game, and plays the
    engine's levels 1 to 10, each opponent chosen by what is known so far. Elo is on the levels'
    fixed scale, of Kalah(6,4), where level 1 is 0. Every ± is half
    of a 95 % interval. A player without
    a limit of its own gets --movetime, 0.1 s if it is not given. The games end when the Elo is
    known to --error, or after --minutes; with --games only those of the two count that are given.
    No clock runs for the levels; a pair in which one of them forfeits a game all the same is void,
    and so is one that the player forfeits since a service failed that it asks.
    """
    from mancala.gauntlet import rate as rated
    from mancala.gauntlet import steps_in

    if report is not None:
        console.expect_writable(report)
    players = with_bots(run, (player,))
    if len(players) != 1:
        console.fail(f"name one player, by a SPEC or by --run, not {len(players)}")
    limits = replace(limits, movetime=limits.movetime or MOVETIME_S)
    (contender,) = limits.contenders(players)
    ends = bounds.limits()
    total = steps_in(asked.positions, asked.hard, ends, asked.review)
    if not total:
        console.fail("without --games and --positions there is nothing to rate the player by")
    ready_engine(KALAH, [contender])
    began = time.monotonic()
    rating: PlayerRating | None = None
    with (
        until_interrupted() as interruption,
        failures(),
        console.counted("answers and games", total, quiet=json) as show,
    ):
        conditions = limits.conditions(KALAH, seed=seed)
        for rating in rated(
            *(contender, conditions),
            positions=asked.positions,
            hard=asked.hard,
            review_s=asked.review,
            limits=ends,
            workers=place.workers,
            cluster=place.cluster,
        ):
            show(rating.steps)
    seconds = round(time.monotonic() - began, 3)
    if rating is None or (interruption.happened and not (rating.answers or rating.meetings)):
        end_interrupted("nothing is known yet", json=json)
    write_page(rating, report)
    result, text = {**rating.to_dict(), "seconds": seconds}, f"{_text(rating)}\n{seconds:.0f} s"
    interruption.conclude(result, text, "this is what is known so far", json=json)
    if rating.silence:
        raise typer.Exit(console.FAILED)


def write_page(rating: PlayerRating, report: Path | None) -> None:
    """Write the page of a rating, if one is asked for: one HTML file, readable offline."""
    if report is None:
        return
    from mancala.files import write_whole

    from ...console.views.document import document

    data = {**rating.to_dict(), "scale": LEVEL_ELO}
    with console.failing_on(OSError, at=report):
        write_whole(report, document("rating", f"How strong is {rating.player}?", data).encode())


def _text(rating: PlayerRating) -> str:
    if rating.silence:
        return f"{rating.player}\n{rating.silence}"
    lines = [rating.player]
    if rating.loss is not None:
        phases = [
            *rating.phases.items(),
            ("later" if OPENING.name in rating.phases else "all", rating.loss),
            *rating.rule_sets.items(),
        ]
        lines += [
            f"{name:>8}: {it.loss:.2f} seeds lost a move "
            f"({it.interval.low:.2f} to {it.interval.high:.2f}), {it.share:.0%} of what could be "
            f"lost, {it.best_share:.0%} best moves, {quantity(it.positions, 'position')}"
            for name, it in phases
        ]
        lines.append(
            "    beside: "
            + "; ".join(
                f"{name} {it.loss:.2f} ({it.share:.0%}), {it.best_share:.0%} best"
                for name, it in rating.baselines.items()
            )
        )
        if rating.repeat_error is not None:
            lines.append(
                f"   again: ± {NORMAL_95 * rating.repeat_error:.1%} of what could be lost, "
                "if repeated"
            )
    lines += [
        f"   dear: {it.position.board}: {'no answer' if it.pit is None else f'pit {it.pit}'}"
        f" lost {it.lost}, best {it.position.best}"
        for it in rating.dearest
    ]
    lines += [
        f"level {it.level:2} ({it.elo:+5d}): +{it.wins} ={it.draws} -{it.losses}, {it.score:.0%}"
        for it in rating.levels
    ]
    if rating.place is not None:
        place = rating.place
        ended = ", ended by the time" if rating.ended_by == "time" else ""
        lines.append(
            f"Elo {place.elo:+.0f} ± {place.elo_error:.0f}, {2 * len(rating.counted)} games{ended}"
        )
    lines += [
        f"void games with {level}: {_counts(reasons)}" for level, reasons in rating.void.items()
    ]
    if rating.no_verdict:
        lines.append(rating.no_verdict)
    spent = rating.time()
    if spent["moves"]:
        lines.append(
            f"time: {spent['mean_ms']:.1f} ms a move, at most {spent['worst_ms']:.1f} ms, "
            f"{spent['late']} late; faults: {_counts(rating.faults) or 'none'}"
        )
    lines += _in_games(rating)
    if rating.outages:
        positions = quantity(rating.outages, "position")
        lines.append(f"{positions} without an answer: a service failed that the player asks")
    if rating.first_forfeit:
        lines.append(f"the first game forfeited: {rating.first_forfeit}")
    return "\n".join(lines)


def _in_games(rating: PlayerRating) -> Iterator[str]:
    """Yield what its moves in the games lost, and what a language model used."""
    if rating.regret is not None:
        kinds = ("where proven", rating.regret), ("by estimates", rating.regret["estimated"])
        losses = (
            f"{found['mean_loss']:.2f} seeds lost a move {how} ({found['judged']})"
            for how, found in kinds
            if found["judged"]
        )
        yield f"its moves in the games: {'; '.join(losses)}"
    for where, use in rating.models.items():
        cost = "unknown" if use.cost is None else f"{use.cost:g}"
        yield (
            f"model in {where}: {quantity(use.answers, 'answer')} in "
            f"{quantity(use.tries, 'try', 'tries')}, {use.cut} cut off, "
            f"{quantity(use.prompt_tokens, 'token')} read and {use.answer_tokens} written, "
            f"cost {cost}"
        )


def _counts(reasons: dict[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in reasons.items())
