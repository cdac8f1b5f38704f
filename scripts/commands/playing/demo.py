"""``mancala demo``: broker, server and two bots, each a process, and the match they play."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption

if TYPE_CHECKING:
    from ...console.processes.temporary import ServedArena
    from ...demo.view import DemoView

NEEDED: Final = ("numba", "aiomqtt", "sqlalchemy")
"""Packages of the engine and of the server, which the base installation lacks."""


def command(
    *,
    games: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="Number of games; each opening is played from both seats."
        ),
    ] = 12,
    movetime: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds per move.")] = 0.2,
    first: Annotated[
        str, typer.Option(help="The first player, as a SPEC; 'mancala players' lists them.")
    ] = "engine",
    second: Annotated[
        str, typer.Option(help="The second player, as a SPEC.")
    ] = "alphabeta:depth=4",
    json: JsonOption = False,
) -> None:
    """Watch two bots play a rated match.

    Starts a broker, a server and both bots on this machine; all end with the match.
    """
    console.expect_installed("the demo", "all", *NEEDED)
    from mancala.bot.players.registry import make_bot

    from ...console.playing import even
    from ...console.terminal import Terminal
    from ...demo.match import NO_BROKER, DemoMatch, DemoPlan
    from ...demo.running import names_of, run_match
    from ...demo.screen import Screen
    from ...demo.view import DemoView

    with console.bad_input():
        for spec in (first, second):
            make_bot(spec, seed=None)
    compile_engine_for(first, second)
    games = even(games)
    plan = DemoPlan(names_of((first, first), (second, second)), games, movetime)
    one, other = plan.specs
    score = DemoView((one, other), games)
    screen = Screen(Terminal(quiet=json, highlight=False), score)
    began = time.monotonic()
    arena = run_match(DemoMatch(plan, score, screen).play)
    screen.conclude()
    if arena.mqtt is None:
        console.say(NO_BROKER, err=json)
    if json:
        console.emit(_report(score, arena, time.monotonic() - began))
    if not score.is_played:
        console.fail("not every game was played", code=console.FAILED)
    if arena.mqtt is not None and not score.is_published:
        console.fail("not every result came back over MQTT", code=console.FAILED)


def _report(score: DemoView, arena: ServedArena, seconds: float) -> dict[str, object]:
    return {
        "games": score.played,
        "results": score.results,
        "match": score.match,
        "score": score.points,
        "mqtt": arena.mqtt,
        "seconds": round(seconds, 2),
    }
