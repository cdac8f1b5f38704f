"""``mancala match``: two players, without a server, until the games or a test are over."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from protocol import codec
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
    from collections.abc import Callable, Iterable

    from rich.console import RenderableType

    from server.headless.event import Event
    from server.headless.executor import Crew, Work
    from server.headless.game import PlayedGame
    from server.headless.score import MatchScore
    from server.rating.sprt import Sprt

MOST_GAMES: Final = 1_000_000
BY_THE_RULES: Final = ("normal", "majority")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("match")(_match)


class Played(NamedTuple):
    """A match that is over, and how long it took from the moment the workers were ready."""

    score: MatchScore
    seconds: float


def play_match(
    event: Event,
    where: contest.Place,
    *,
    sprt: Sprt | None = None,
    keep: Callable[[Iterable[PlayedGame]], None] = lambda _: None,
    quiet: bool = True,
) -> Played:
    """Play a match of two, until the games or the test are over.

    Args:
        event: two contenders, their games and openings.
        where: the workers.
        sprt: a test that may end it early.
        keep: given the games that count, in order.
        quiet: draw no live view.

    Raises:
        typer.Exit: when it cannot be played.
    """
    with contest.hired(event.contenders, event.conditions, where) as team:
        began = time.monotonic()
        score = score_match(event, team, sprt=sprt, keep=keep, quiet=quiet)
        return Played(score, time.monotonic() - began)


def score_match(
    event: Event,
    team: Crew,
    *,
    sprt: Sprt | None = None,
    keep: Callable[[Iterable[PlayedGame]], None] = lambda _: None,
    quiet: bool = True,
    work: Work | None = None,
) -> MatchScore:
    """Let workers that are hired play a match of two; see :func:`play_match`.

    Args:
        event: two contenders, their games and openings.
        team: who plays.
        sprt: a test that may end it early.
        keep: given the games that count, in order.
        quiet: draw no live view.
        work: how a chunk is played; None for what the team was hired for.
    """
    from server.headless.event import plan
    from server.headless.score import MatchScore

    score = MatchScore(event.names[0], sprt)
    began = time.monotonic()

    def view() -> RenderableType:
        return _view(score, event, time.monotonic() - began)

    tasks = plan(event, {}).tasks
    with closing(contest.played(team, tasks, view, quiet=quiet, work=work)) as batches:
        for batch in batches:
            for game in batch.games:
                keep(score.add(game))
            if score.verdict is not None:
                break
    return score


def _match(
    first: Annotated[str, typer.Argument(help="A player: SPEC or NAME=SPEC.")],
    second: Annotated[str, typer.Argument(help="The other player.")],
    *,
    games: Annotated[int, typer.Option(min=1, max=MOST_GAMES, help="At most, in pairs.")] = 100,
    movetime: MovetimeOption = None,
    margin: MarginOption = MARGIN_S,
    depth: DepthOption = None,
    nodes: NodesOption = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Elo under H0 and H1: stop as soon as one is accepted."),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Chance to accept H1 though H0 holds.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Chance to accept H0 though H1 holds.")] = 0.05,
    openings: OpeningsOption = None,
    rules: RulesOption = "kalah",
    seed: SeedOption = 1,
    concurrency: ConcurrencyOption = None,
    cluster: ClusterOption = None,
    records: Annotated[
        Path | None, typer.Option(help="A directory for a record of each game.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A file for all games, a JSON line each.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Play two players against each other, in pairs of games with the seats swapped.

    A player is a SPEC such as engine:movetime=0.1, alphabeta:depth=6 or cmd:./my-bot.
    """
    from server.headless.event import Event, Format

    limits = contest.Limits(movetime, margin, depth, nodes)
    conditions = contest.conditions_of(rules, limits, seed=seed)
    contenders = contest.contenders_of((first, second), limits)
    test = _test(sprt, alpha, beta)
    count = contest.even(games)
    chosen = openings_for(conditions.rules, count // 2, seed=seed, source=openings)
    event = Event(
        format=Format.ROUND_ROBIN,
        contenders=contenders,
        games=count,
        rounds=1,
        conditions=conditions,
        openings=tuple(opening.board for opening in chosen),
    )
    where = contest.Place(concurrency, cluster)
    with ExitStack() as stack:
        keeper = _keeper(records, out, stack)
        score, seconds = play_match(event, where, sprt=test, keep=keeper, quiet=json)
    result = _result(score, event, seconds)
    if json:
        console.emit(result)
    else:
        typer.echo(_text(score, event, result))


def _test(bounds: tuple[float, float] | None, alpha: float, beta: float) -> Sprt | None:
    if bounds is None:
        return None
    from server.rating.sprt import Sprt

    try:
        return Sprt(*bounds, alpha=alpha, beta=beta)
    except ValueError as error:
        console.fail(f"--sprt: {error}")


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Keeps games where the command line said."""

    records: Path | None
    out: Callable[[bytes], object] | None

    def __call__(self, games: Iterable[PlayedGame]) -> None:
        for game in games:
            if self.out is not None:
                self.out(codec.to_json(game) + b"\n")
            if self.records is not None:
                self._record(self.records / f"{game.number:06}", game)

    def _record(self, path: Path, game: PlayedGame) -> None:
        path.with_suffix(".json").write_bytes(codec.to_json(game.record, indent=True) + b"\n")
        if game.stderr:
            lines = [f"{remark.ply} {remark.player} {remark.line}\n" for remark in game.stderr]
            path.with_suffix(".stderr").write_text("".join(lines), encoding="utf-8")


def _keeper(records: Path | None, out: Path | None, stack: ExitStack) -> _Keeper:
    try:
        if records is not None:
            records.mkdir(parents=True, exist_ok=True)
        write = stack.enter_context(out.open("wb")).write if out is not None else None
    except OSError as error:
        console.fail(str(error))
    return _Keeper(records, write)


def _result(score: MatchScore, event: Event, seconds: float) -> dict[str, Any]:
    return {
        "players": list(event.names),
        **score.summary(),
        "seed": event.conditions.seed,
        "rules": str(event.conditions.rules),
        "seconds": round(seconds, 3),
        "plies_per_second": round(score.plies / seconds, 1),
    }


def _text(score: MatchScore, event: Event, result: dict[str, Any]) -> str:
    first, second = event.names
    lines = [
        f"{first} against {second}: {score.wins} won, {score.draws} drawn, {score.losses} lost",
        *_estimates(result),
    ]
    odd = {reason: count for reason, count in score.reasons.items() if reason not in BY_THE_RULES}
    if odd:
        told = ", ".join(f"{count} {reason}" for reason, count in sorted(odd.items()))
        lines.append(f"games that did not end by the rules: {told}")
    lines.append(
        f"{score.games} games in {result['seconds']:.1f} s, "
        f"{result['plies_per_second']:.0f} plies a second"
    )
    return "\n".join(lines)


def _estimates(result: dict[str, Any]) -> list[str]:
    elo = f"Elo {result['elo']:+.1f} ± {result['elo_error']:.1f}"
    pairs = f"{result['pairs']} pairs {result['pentanomial']}"
    lines = [f"score {result['score']:.1%}, {elo}, LOS {result['los']:.1%}, {pairs}"]
    if "llr" in result:
        lines.append(f"LLR {result['llr']:+.2f}, verdict: {result['verdict'] or 'none yet'}")
    return lines


def _view(score: MatchScore, event: Event, seconds: float) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    first, second = event.names
    speed = score.plies / seconds if seconds > 0 else 0.0
    return Group(
        Text(f"{first} against {second}", style="bold"),
        ProgressBar(total=event.games, completed=score.games, width=60),
        Text(f"{score.games} of {event.games} games: +{score.wins} ={score.draws} -{score.losses}"),
        *(Text(line) for line in _estimates(score.summary())),
        Text(f"{speed:.0f} plies a second", style="dim"),
    )
