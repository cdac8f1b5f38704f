"""``mancala match``: two players without a server, until the games or a test are over."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import end_interrupted
from ...console.options import JsonOption, RulesOption, spread_options
from ...console.processes.table_advice import advise_tables
from ...publishing.options import PublishingOptions, expect_published, publishing
from ...tournament.runs.directory import DirectoryOptions, begin, opened, resumption
from ...tournament.runs.files import GameFileOptions
from ...tournament.runs.match import estimates, keep_test, kept_test, play_match
from ...tournament.runs.openings import openings_for
from ...tournament.workers import contest
from ...tournament.workers.contest import (
    ExecutorOptions,
    OpeningsOption,
    PlayerLimits,
    RunOption,
    SeedOption,
)

if TYPE_CHECKING:
    from mancala.server.contest.headless.event import Contender, Event
    from mancala.server.contest.headless.game import Conditions
    from mancala.server.contest.headless.score import MatchScore
    from mancala.server.rating.sprt import Sprt

MOST_GAMES: Final = 1_000_000
PLAYERS: Final = 2
BY_THE_RULES: Final = ("normal", "majority")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("match")(spread_options(_match))


@dataclass(frozen=True, slots=True)
class SprtOptions:
    """Options: the test that ends a match.

    Attributes:
        sprt: Elo under H0 and under H1; None for no test.
        sprt_model: what these are counted in.
        alpha: probability of accepting H1 when H0 is true.
        beta: probability of accepting H0 when H1 is true.
    """

    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Elo under H0 and under H1; stop when either is accepted."),
    ] = None
    sprt_model: Annotated[
        str,
        typer.Option(help="What --sprt counts in: logistic Elo, or normalized Elo."),
    ] = "logistic"
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 when H0 is true.")] = (
        0.05
    )
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 when H1 is true.")] = 0.05

    def test(self) -> Sprt | None:
        """Return the test.

        Raises:
            typer.Exit: when there can be none.
        """
        from mancala.server.rating.sprt import EloModel, Sprt

        if self.sprt_model not in set(EloModel):
            console.fail(f"--sprt-model: {self.sprt_model!r} is not one of {', '.join(EloModel)}")
        if self.sprt is None:
            return None
        model = EloModel(self.sprt_model)
        try:
            return Sprt(*self.sprt, alpha=self.alpha, beta=self.beta, model=model)
        except ValueError as error:
            console.fail(f"--sprt: {error}")


def _match(
    first: Annotated[
        str | None,
        typer.Argument(help="A player: SPEC or NAME=SPEC; 'mancala players' lists them."),
    ] = None,
    second: Annotated[str | None, typer.Argument(help="The other player.")] = None,
    *,
    run: RunOption = None,
    directory: DirectoryOptions,
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Most games, played in pairs.")
    ] = 100,
    limits: PlayerLimits,
    testing: SprtOptions,
    openings: OpeningsOption = None,
    rules: RulesOption = "kalah",
    seed: SeedOption = 1,
    place: ExecutorOptions,
    pages: PublishingOptions,
    files: GameFileOptions,
    json: JsonOption = False,
) -> None:
    """Play two players against each other, without a server.

    Games come in pairs from one opening, with the seats swapped, and are kept on disk as they end;
    after Ctrl-C or a crash, continue with --resume. A SPEC is, for example,
    engine:movetime=0.1, alphabeta:depth=6 or cmd:./my-bot.
    """
    from mancala.server.contest.headless.score import MatchScore

    from ...publishing.match import ShownMatch

    pages.check()
    test = testing.test()
    event = None
    players = contest.with_bots(run, (first, second))
    if players:
        if len(players) != PLAYERS:
            console.fail(f"a match has two players, SPECs or --run commands, not {len(players)}")
        conditions = contest.conditions_of(rules, limits, seed=seed)
        contenders = contest.contenders_of(players, limits)
        event = _event(contenders, contest.even(games), conditions, openings)
        advise_tables(conditions.rules, (each.spec for each in contenders))
    home, event = begin("match", event, directory)
    test = keep_test(home, test) if directory.resume is None else kept_test(home, test)
    score = MatchScore(event.names[0], test, event.conditions.margin_ms)
    with ExitStack() as stack:
        journal = stack.enter_context(opened(home, "match"))
        keeper = files.opened(stack)
        shown = stack.enter_context(publishing(pages, home))
        seen = ShownMatch(event, journal, score, shown, title=pages.title)
        keep = seen.watching(keeper)
        played = play_match(event, place, score, journal=journal, keep=keep, quiet=json)
        problems = seen.finish(stopped=played.interruption.happened)
    result = _result(score, event, played.seconds)
    if json:
        console.emit(played.interruption.marked(result))
    else:
        console.say(_text(score, event, result))
    if played.interruption.happened:
        end_interrupted(resumption(home, "match"))
    expect_published(problems, home, "match")


def _event(
    contenders: tuple[Contender, ...], games: int, conditions: Conditions, source: str | None
) -> Event:
    from mancala.server.contest.events.plan import Format
    from mancala.server.contest.headless.disabled_players import NEVER
    from mancala.server.contest.headless.event import Event

    chosen = openings_for(conditions.rules, games // 2, seed=conditions.seed, source=source)
    return Event(
        format=Format.ROUND_ROBIN,
        contenders=contenders,
        games=games,
        rounds=1,
        conditions=conditions,
        openings=tuple(opening.board for opening in chosen),
        disable_after=NEVER,
    )


def _result(score: MatchScore, event: Event, seconds: float) -> dict[str, Any]:
    return {
        "players": list(event.names),
        **score.summary(),
        "seed": event.conditions.seed,
        "rules": str(event.conditions.rules),
        "seconds": round(seconds, 3),
        "plies_per_second": round(score.plies / max(seconds, 1e-3), 1),
    }


def _text(score: MatchScore, event: Event, result: dict[str, Any]) -> str:
    from mancala.server.contest.headless.score import lateness_lines

    first, second = event.names
    lines = [
        f"{first} against {second}: {score.wins} won, {score.draws} drawn, {score.losses} lost",
        *estimates(result),
    ]
    odd = {reason: count for reason, count in score.reasons.items() if reason not in BY_THE_RULES}
    if odd:
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(odd.items()))
        lines.append(f"games not ended by the rules: {told}")
    if "elo_without_forfeits" in result:
        forfeits = ", ".join(f"{name} {count}" for name, count in result["forfeits"].items())
        lines.append(f"forfeits: {forfeits}")
        if pairs := result["pairs_without_forfeits"]:
            lines[-1] += (
                f"; without them Elo {result['elo_without_forfeits']:+.1f} "
                f"± {result['elo_error_without_forfeits']:.1f}, {quantity(pairs, 'pair')}"
            )
    if score.first_forfeit:
        lines.append(f"the first forfeit: {score.first_forfeit}")
    lines += lateness_lines(score.lateness)
    lines.append(
        f"{quantity(score.games, 'game')} in {result['seconds']:.1f} s, "
        f"{result['plies_per_second']:.0f} plies a second"
    )
    return "\n".join(lines)
