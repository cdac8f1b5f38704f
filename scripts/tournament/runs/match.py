"""A headless match of two players: played by workers until its games or a test are over."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mancala.protocol import codec
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import Interruption, until_interrupted
from ..workers import contest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from rich.console import RenderableType

    from mancala.server.contest.headless.event import Event
    from mancala.server.contest.headless.executor import GameExecutor, PlayChunk
    from mancala.server.contest.headless.game import Task
    from mancala.server.contest.headless.journal import EventJournal
    from mancala.server.contest.headless.played_game import PlayedGame
    from mancala.server.contest.headless.score import MatchScore
    from mancala.server.rating.sprt import Sprt


TEST: Final = "sprt.json"
"""The file of a match's directory that holds its test."""


class MatchRun(NamedTuple):
    """How a match was played: in seconds from when the workers were ready, and interrupted or not.

    Ctrl-C ends a match with the games so far.
    """

    seconds: float
    interruption: Interruption


def play_match(
    event: Event,
    where: contest.ExecutorOptions,
    score: MatchScore,
    *,
    journal: EventJournal | None = None,
    keep: Callable[[Iterable[PlayedGame]], None] = lambda _: None,
    quiet: bool = True,
) -> MatchRun:
    """Play a match of two players until all games are played, its test has a verdict, or Ctrl-C.

    Args:
        event: two contenders, their games and openings.
        where: the workers.
        score: takes the games as they end, and may end the match early.
        journal: keeps each game when it ends; those that it holds are not played again.
        keep: called with the games that count, in order.
        quiet: draw no live view.

    Raises:
        WriteError: when the journal cannot be written.
        typer.Exit: when the workers cannot play.
    """
    if journal is not None:
        for number in sorted(journal.games):
            keep(score.add(journal.games[number]))
    began = time.monotonic()
    with until_interrupted() as interruption:
        games = len(_missing(event, journal))
        if score.verdict is None and games:
            with contest.open_executor(
                event.contenders, event.conditions, where, games=games
            ) as executor:
                began = time.monotonic()
                _play(event, executor, score, journal=journal, keep=keep, quiet=quiet)
    return MatchRun(time.monotonic() - began, interruption)


def keep_test(home: Path, sprt: Sprt | None) -> Sprt | None:
    """Write the test of a new match into its directory, and return it.

    Raises:
        typer.Exit: when it cannot be written.
    """
    from mancala.server.contest.headless import journal

    if sprt is not None:
        try:
            journal.write_whole(home / TEST, codec.to_json(sprt) + b"\n")
        except OSError as error:
            console.fail(error, code=console.FAILED)
    return sprt


def kept_test(home: Path, given: Sprt | None) -> Sprt | None:
    """Return the test of a match that is resumed.

    Raises:
        typer.Exit: when it cannot be read, or the command line names another one.
    """
    from mancala.server.rating.sprt import Sprt

    path = home / TEST
    try:
        kept = codec.from_json(path.read_bytes(), Sprt) if path.exists() else None
    except (OSError, ValueError) as error:
        console.fail(error, at=path)
    if given is not None and given != kept:
        console.fail(f"{home} holds a match with another test")
    return kept


def score_match(
    event: Event,
    executor: GameExecutor,
    *,
    sprt: Sprt | None = None,
    quiet: bool = True,
    work: PlayChunk | None = None,
) -> MatchScore:
    """Play a match on workers that are already running; see :func:`play_match`.

    Args:
        event: two contenders, their games and openings.
        executor: the workers.
        sprt: a test that may end the match early.
        quiet: draw no live view.
        work: plays a chunk of games; None for the workers' own function.
    """
    from mancala.server.contest.headless.score import MatchScore

    score = MatchScore(event.names[0], sprt, event.conditions.margin_ms)
    _play(event, executor, score, quiet=quiet, work=work)
    return score


def _play(
    event: Event,
    executor: GameExecutor,
    score: MatchScore,
    *,
    journal: EventJournal | None = None,
    keep: Callable[[Iterable[PlayedGame]], None] = lambda _: None,
    quiet: bool,
    work: PlayChunk | None = None,
) -> None:
    began = time.monotonic()

    def view() -> RenderableType:
        return _view(score, event, time.monotonic() - began)

    tasks = _missing(event, journal)
    with closing(contest.played(executor, tasks, view, quiet=quiet, work=work)) as batches:
        for batch in batches:
            if journal is not None:
                journal.add(batch.games)
            for game in batch.games:
                keep(score.add(game))
            if score.verdict is not None:
                break
    if journal is not None and score.verdict is not None:
        journal.keep_only(range(score.games))


def _missing(event: Event, journal: EventJournal | None) -> list[Task]:
    from mancala.server.contest.headless.event import plan

    kept = journal.games if journal is not None else {}
    return [task for task in plan(event, {}).tasks if task.number not in kept]


def _view(score: MatchScore, event: Event, seconds: float) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    first, second = event.names
    speed = score.plies / seconds if seconds > 0 else 0.0
    return Group(
        Text(f"{first} against {second}", style="bold"),
        ProgressBar(total=event.games, completed=score.games, width=60),
        Text(
            f"{score.games} of {quantity(event.games, 'game')}:"
            f" +{score.wins} ={score.draws} -{score.losses}"
        ),
        *(Text(line) for line in estimates(score.summary())),
        Text(f"{speed:.0f} plies a second", style="dim"),
    )


def estimates(result: dict[str, Any]) -> list[str]:
    """Return the score, the Elo difference and the test's state as lines of text."""
    if not result["games"]:
        return ["no game has ended yet"]
    elo = f"Elo {result['elo']:+.1f} ± {result['elo_error']:.1f}"
    pairs = f"{quantity(result['pairs'], 'pair')} {result['pentanomial']}"
    estimate = f"{elo}, LOS {result['los']:.1%}, {pairs}"
    if result.get("pairs_without_forfeits") == 0:
        estimate = "by forfeits: no pair says how strong the players are"
    lines = [f"score {result['score']:.1%}, {estimate}"]
    if "llr" in result:
        lines.append(f"LLR {result['llr']:+.2f}, verdict: {result['verdict'] or 'none yet'}")
    if "elo_as_scored" in result:
        scored = f"{result['elo_as_scored']:+.1f} ± {result['elo_error_as_scored']:.1f}"
        lines.append(f"Elo and LOS are corrected for the test's stop; as scored, Elo {scored}")
    return lines
