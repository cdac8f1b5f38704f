"""A headless match of two players: played by workers until its games or a test are over."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from scripts.processes import contest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import RenderableType

    from server.headless.event import Event
    from server.headless.executor import GameExecutor, PlayChunk
    from server.headless.game import PlayedGame
    from server.headless.score import MatchScore
    from server.rating.sprt import Sprt


class Played(NamedTuple):
    """A finished match, and its duration in seconds from when the workers were ready."""

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
    """Play a match of two players until all games are played or the test has a verdict.

    Args:
        event: two contenders, their games and openings.
        where: the workers.
        sprt: a test that may end the match early.
        keep: called with the games that count, in order.
        quiet: draw no live view.

    Raises:
        typer.Exit: when the workers cannot play.
    """
    with contest.hired(event.contenders, event.conditions, where) as team:
        began = time.monotonic()
        score = score_match(event, team, sprt=sprt, keep=keep, quiet=quiet)
        return Played(score, time.monotonic() - began)


def score_match(
    event: Event,
    team: GameExecutor,
    *,
    sprt: Sprt | None = None,
    keep: Callable[[Iterable[PlayedGame]], None] = lambda _: None,
    quiet: bool = True,
    work: PlayChunk | None = None,
) -> MatchScore:
    """Play a match on workers that are already running; see :func:`play_match`.

    Args:
        event: two contenders, their games and openings.
        team: the workers.
        sprt: a test that may end the match early.
        keep: called with the games that count, in order.
        quiet: draw no live view.
        work: plays a chunk of games; None for the workers' own function.
    """
    from server.headless.event import plan
    from server.headless.score import MatchScore

    score = MatchScore(event.names[0], sprt, event.conditions.margin_ms)
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
        *(Text(line) for line in estimates(score.summary())),
        Text(f"{speed:.0f} plies a second", style="dim"),
    )


def estimates(result: dict[str, Any]) -> list[str]:
    """Return the score, the Elo difference and the test's state as lines of text."""
    elo = f"Elo {result['elo']:+.1f} ± {result['elo_error']:.1f}"
    pairs = f"{result['pairs']} pairs {result['pentanomial']}"
    lines = [f"score {result['score']:.1%}, {elo}, LOS {result['los']:.1%}, {pairs}"]
    if "llr" in result:
        lines.append(f"LLR {result['llr']:+.2f}, verdict: {result['verdict'] or 'none yet'}")
    return lines
