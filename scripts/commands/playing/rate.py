"""``mancala rate``: how strong a player is, without a server."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import end_interrupted, until_interrupted
from ...console.options import JsonOption, spread_options
from ...console.processes.table_advice import advise_tables
from ...tournament.workers import contest
from ...tournament.workers.contest import ConcurrencyOption, PlayerLimits, RunOption

if TYPE_CHECKING:
    from mancala.server.contest.headless.event import Contender
    from mancala.server.contest.headless.game import Conditions

    from ...rating.gauntlet import GauntletLimits
    from ...rating.rating import PlayerRating

MOVETIME_S: Final = 0.1
ERROR_ELO: Final = 25.0
MINUTES: Final = 10.0
MOST_GAMES: Final = 100_000


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rate")(spread_options(_rate))


def _rate(
    player: Annotated[
        str | None,
        typer.Argument(help="A player: SPEC or NAME=SPEC; 'mancala players' lists them."),
    ] = None,
    *,
    run: RunOption = None,
    error: Annotated[
        float | None, typer.Option(min=1.0, help="Stop at this error of the Elo. [default: 25]")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.0, help="Stop the games after this time. [default: 10]")
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST_GAMES, help="Games against the levels, whatever their error and time."
        ),
    ] = None,
    positions: Annotated[
        int,
        typer.Option(min=0, max=10_000, help="Proven positions; a third as many openings besides."),
    ] = 120,
    limits: PlayerLimits,
    seed: Annotated[
        int, typer.Option("--seed", help="The same seed makes the same positions and openings.")
    ] = 1,
    concurrency: ConcurrencyOption = None,
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
    No clock runs for the levels; a pair in which one of them forfeits a game all the same is void.
    """
    if report is not None:
        console.expect_writable(report)
    limits = replace(limits, movetime=limits.movetime or MOVETIME_S)
    conditions = contest.conditions_of("kalah", limits, seed=seed)
    players = contest.with_bots(run, (player,))
    if len(players) != 1:
        console.fail(f"name one player, by a SPEC or by --run, not {len(players)}")
    (contender,) = contest.contenders_of(players, limits)
    advise_tables(conditions.rules, [contender.spec])
    bounds = _bounds(error, minutes, games)
    began = time.monotonic()
    with until_interrupted() as interruption:
        from ...rating.rating import PlayerRating

        rating = PlayerRating(contender.name, seed, conditions.margin_ms)
        workers = concurrency or os.cpu_count() or 1
        _ask(rating, contender, conditions, positions, workers, quiet=json)
        if bounds.pairs and not rating.silence:
            _play(rating, contender, conditions, bounds, workers, quiet=json)
    seconds = round(time.monotonic() - began, 3)
    if interruption.happened and not (rating.answers or rating.meetings):
        end_interrupted("nothing is known yet", json=json)
    _show(rating, report)
    result = interruption.marked({**rating.summary(), "seconds": seconds})
    console.show(result, f"{_text(rating)}\n{seconds:.0f} s", json=json)
    if interruption.happened:
        end_interrupted("this is what is known so far")
    if rating.silence:
        raise typer.Exit(console.FAILED)


def _bounds(error: float | None, minutes: float | None, games: int | None) -> GauntletLimits:
    """Return what ends the games; a number of games leaves out the usual error and time."""
    from ...rating.gauntlet import MOST_PAIRS, GauntletLimits

    if games is None:
        error = ERROR_ELO if error is None else error
        minutes = MINUTES if minutes is None else minutes
    pairs = MOST_PAIRS if games is None else contest.even(games) // 2
    ends_at = inf if minutes is None else time.monotonic() + 60 * minutes
    return GauntletLimits(pairs, error or 0.0, ends_at)


def _ask(  # the parts of an examination
    rating: PlayerRating,
    contender: Contender,
    conditions: Conditions,
    count: int,
    workers: int,
    *,
    quiet: bool,
) -> None:
    """Ask the player in proven positions.

    Raises:
        typer.Exit: when it cannot be made, or workers are lost.
    """
    from mancala.bot.players.spec import SpecError
    from mancala.protocol.player import PlayerError
    from mancala.server.contest.headless.executor import WorkerLostError

    from ...rating.answers import answers
    from ...rating.openings import SHARE, openings

    first = openings(conditions.seed, count // SHARE, count)
    total = count + len(first)
    try:
        with console.counted("positions", total, quiet=quiet) as show:
            known = {each.number: each for each in first}
            asked = answers(contender.spec, conditions, total, workers=workers, proven=known)
            for answered, answer in enumerate(asked, start=1):
                rating.take(answer)
                show(answered)
                if rating.silence:
                    break
    except (SpecError, PlayerError) as error:
        console.fail(error)
    except WorkerLostError as error:
        console.fail(error, code=console.FAILED)


def _play(  # the parts of an examination
    rating: PlayerRating,
    contender: Contender,
    conditions: Conditions,
    bounds: GauntletLimits,
    workers: int,
    *,
    quiet: bool,
) -> None:
    from ...rating.gauntlet import meetings

    rounds = meetings(contender.spec, conditions, bounds, contest.ExecutorOptions(workers))
    with console.counted("games", 2 * bounds.pairs, quiet=quiet) as show:
        while True:
            try:
                rating.meetings += next(rounds)
            except StopIteration as end:
                rating.ended_by = end.value
                return
            show(2 * len(rating.meetings))
            if rating.silence:
                rounds.close()
                return


def _show(rating: PlayerRating, report: Path | None) -> None:
    if report is None:
        return
    from mancala.server.contest.headless.journal import write_whole

    from ...rating.page import page

    try:
        write_whole(report, page(rating).encode())
    except OSError as error:
        console.fail(error, at=report, code=console.FAILED)


def _text(rating: PlayerRating) -> str:
    from ...rating.page import faults_text, void_texts

    if rating.silence:
        return f"{rating.player}\n{rating.silence}"
    lines = [rating.player]
    if rating.loss is not None:
        phases = [*rating.phases.items(), ("later" if rating.openings else "all", rating.loss)]
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
    lines += [
        f"   dear: {it.position.board}: pit {it.pit} lost {it.lost}, best {it.position.best}"
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
    lines += [f"void: {text}" for text in void_texts(rating)]
    if rating.no_verdict:
        lines.append(rating.no_verdict)
    spent = rating.time()
    if spent["moves"]:
        lines.append(
            f"time: {spent['mean_ms']:.1f} ms a move, at most {spent['worst_ms']:.1f} ms, "
            f"{spent['late']} late; faults: {faults_text(rating)}"
        )
    if rating.first_forfeit:
        lines.append(f"the first game forfeited: {rating.first_forfeit}")
    return "\n".join(lines)
