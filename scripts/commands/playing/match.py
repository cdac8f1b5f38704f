"""``mancala match``: two players without a server, until the games or a test are over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol import codec
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import until_interrupted
from ...console.options import JsonOption, RulesOption, rules_of
from ...console.playing import (
    DirectoryOptions,
    ExecutorOptions,
    OpeningsOption,
    OtherPlayerArgument,
    PlayerArgument,
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
from ...console.views.match import estimates, view
from ...publishing.options import PublishingOptions, expect_published, publishing

if TYPE_CHECKING:
    from mancala.protocol.submission import Submission
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.headless.runs import MatchRun
    from mancala.server.rating.sprt import Sprt

MOST_GAMES: Final = 1_000_000
PLAYERS: Final = 2
RECORDS_END: Final = (
    "mancala: --records is deprecated; the match's directory and the file of --out hold all games"
)
BY_THE_RULES: Final = ("normal", "majority")


@dataclass(frozen=True, slots=True)
class SprtOptions:
    """Options: the test that ends a match."""

    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Elo under H0 and under H1; stop when either is accepted."),
    ] = None
    sprt_model: Annotated[
        str, typer.Option(help="What --sprt counts in: logistic Elo, or normalized Elo.")
    ] = "logistic"
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 when H0 is true.")] = (
        0.05
    )
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 when H1 is true.")] = 0.05

    def test(self) -> Sprt | None:
        """Return the test."""
        from mancala.server.rating.sprt import EloModel, Sprt

        if self.sprt_model not in set(EloModel):
            console.fail(f"--sprt-model: {self.sprt_model!r} is not one of {', '.join(EloModel)}")
        if self.sprt is None:
            return None
        import mancala.server.rating.likelihood_ratio  # noqa: F401  # needs an extra, before a game

        model = EloModel(self.sprt_model)
        with console.bad_input(at="--sprt"):
            return Sprt(*self.sprt, alpha=self.alpha, beta=self.beta, model=model)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFileOptions:
    """Options: what finished games are also written to."""

    records: Annotated[
        Path | None,
        typer.Option(help="Deprecated, use --out: directory to write each game's record to."),
    ] = None
    out: Annotated[
        Path | None, typer.Option(help="File to write all games to, one line of JSON each.")
    ] = None

    def opened(self, stack: ExitStack) -> Callable[[Iterable[PlayedGame]], None]:
        """Return what writes games, in the order given; ``stack`` closes the files."""
        from mancala.files import write_all

        if self.records is not None:
            console.say(RECORDS_END, err=True)
        with console.bad_input(OSError):
            if self.records is not None:
                self.records.mkdir(parents=True, exist_ok=True)
            out = self.out
            file = stack.enter_context(out.open("wb", buffering=0)) if out is not None else None

        def write(games: Iterable[PlayedGame]) -> None:
            for game in games:
                if file is not None:
                    with console.failing_on(OSError, at=out):
                        write_all(file.fileno(), game.line + b"\n")
                if self.records is not None:
                    _record(self.records / f"{game.number:06}", game)

        return write


def _record(path: Path, game: PlayedGame) -> None:
    contents = {".json": codec.to_json(game.record, indent=True) + b"\n"}
    if game.stderr:
        lines = [f"{remark.ply} {remark.player} {remark.line}\n" for remark in game.stderr]
        contents[".stderr"] = "".join(lines).encode()
    for suffix, content in contents.items():
        file = path.with_suffix(suffix)
        with console.failing_on(OSError, at=file):
            file.write_bytes(content)


def command(
    context: typer.Context,
    first: PlayerArgument = None,
    second: OtherPlayerArgument = None,
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
    from mancala.headless import match_of, played
    from mancala.server.contest.headless.directory import kept_test
    from mancala.server.contest.headless.runs import MatchRun

    from ...publishing.documents import Course, match_submission

    pages.check()
    test = testing.test()
    if test is None and directory.resume is None and testing != SprtOptions():
        console.fail("--alpha, --beta and --sprt-model go with --sprt")
    event = None
    if players := with_bots(run, (first, second)):
        if len(players) != PLAYERS:
            console.fail(f"a match has two players, SPECs or --run commands, not {len(players)}")
        conditions = limits.conditions(rules_of(rules), seed=seed)
        contenders = limits.contenders(players)
        with setting_up(openings) as on_few:
            event = match_of(
                contenders, games=even(games), conditions=conditions, source=openings, on_few=on_few
            )
        ready_engine(conditions.rules, contenders)
    home, event = directory.begin(context, event, test)
    with ExitStack() as stack:
        journal = stack.enter_context(opened(home, "match"))
        test = kept_test(home, test) if directory.resume else test
        keep = files.opened(stack)
        shown = stack.enter_context(publishing(pages, home))
        match = MatchRun(event, test, journal)
        course = Course()

        def state(*, stopped: bool = False) -> Submission:
            return match_submission(match, course, title=pages.title, stopped=stopped)

        pairs = played(match, workers=place.workers, cluster=place.cluster)
        with (
            until_interrupted() as interruption,
            drawn(pairs, partial(view, match), quiet=json) as counting,
        ):
            for pair in counting:
                keep(pair)
                course.follow(match.score)
                shown.offer(state)
        problems = shown.finish(partial(state, stopped=interruption.happened))
    interruption.conclude(match.to_dict(), _text(match), resumption(home, "match"), json=json)
    expect_published(problems, home, "match")


def _text(match: MatchRun) -> str:
    from mancala.server.contest.headless.score import lateness_lines

    score, result = match.score, match.to_dict()
    first, second = match.event.names
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
    if score.outages:
        void = ", ".join(f"{name} {count}" for name, count in result["outages"].items())
        lines.append(
            f"{quantity(result['void_games'], 'game')} in void pairs, since a service failed that "
            f"a player asks ({void}): {score.first_outage}"
        )
    lines += lateness_lines(score.lateness)
    before = f" (and {match.resumed_games} before)" if match.resumed_games else ""
    lines.append(
        f"{quantity(score.games - match.resumed_games, 'game')}{before} in {match.seconds:.1f} s, "
        f"{match.speed:.0f} plies a second"
    )
    return "\n".join(lines)
