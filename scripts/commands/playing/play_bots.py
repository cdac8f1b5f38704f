"""``mancala play-bots``: two bots of any kind play on this machine, on a page to watch."""

from __future__ import annotations

import webbrowser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption, RulesOption, rules_of
from ...console.playing import (
    OtherPlayerArgument,
    PlayerArgument,
    PlayerLimits,
    RunOption,
    even,
    setting_up,
    with_bots,
)

if TYPE_CHECKING:
    from mancala.protocol.rules import Rules

    from ...demo.match import DemoPlan
    from ...demo.view import DemoView

NEEDED: Final = "sqlalchemy"
"""A package of the server, which the base installation lacks."""
PLAYERS: Final = 2
MOST_GAMES: Final = 1000


def command(
    first: PlayerArgument = None,
    second: OtherPlayerArgument = None,
    *,
    run: RunOption = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Open the page in a browser, and serve it until Ctrl-C.")
    ] = False,
    games: Annotated[
        int, typer.Option(min=1, max=MOST_GAMES, help="Number of games, played in pairs.")
    ] = 2,
    movetime: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds per move.")] = 1.0,
    openings: Annotated[
        str,
        typer.Option(help="A file of positions, one for each pair; 'start' for the usual start."),
    ] = "start",
    rules: RulesOption = "kalah",
    json: JsonOption = False,
) -> None:
    """Let two bots of any kind play, and watch them in the browser.

    Starts a server with its page and both bots on this machine; all end with the match, or with
    --watch at Ctrl-C. A SPEC is, for example, engine, python:file.py:choose, cmd:./my-bot or
    net:COMMAND.
    """
    console.expect_installed("play-bots", "server", NEEDED)
    from mancala.bot.players.programs.net import restored

    from ...console.terminal import Terminal
    from ...demo.match import DemoMatch
    from ...demo.running import INTERRUPTED, run_match
    from ...demo.screen import Screen
    from ...demo.view import DemoView

    specs = _players(run, first, second)
    compile_engine_for(*specs.values())
    plan = _plan(specs, games, movetime, rules_of(rules), openings, watch=watch)
    one, other = specs
    score = DemoView((one, other), plan.games)
    screen = Screen(Terminal(quiet=json, highlight=False), score)
    try:
        with restored(Path.cwd()):
            run_match(partial(DemoMatch(plan, score, screen).play, stay=watch))
    except typer.Exit as ended:
        if not (watch and score.is_played and ended.exit_code == INTERRUPTED):
            raise
    else:
        screen.conclude()
    if json:
        console.emit(_report(score))
    if not score.is_played:
        console.fail("not every game was played", code=console.FAILED)


def _players(run: list[str] | None, *specs: str | None) -> dict[str, str]:
    from ...demo.running import names_of

    players = with_bots(run, specs)
    if len(players) != PLAYERS:
        console.fail(f"play-bots takes two players, SPECs or --run commands, not {len(players)}")
    return names_of(*((each.name, each.spec) for each in PlayerLimits().contenders(players)))


def _plan(
    specs: dict[str, str], games: int, movetime: float, rules: Rules, source: str, *, watch: bool
) -> DemoPlan:
    from mancala.headless import opening_boards

    from ...demo.match import DemoPlan

    with setting_up(source) as on_few:
        boards = opening_boards(rules, even(games) // 2, seed=1, source=source, on_few=on_few)
    return DemoPlan(
        specs,
        even(games),
        movetime,
        rules=str(rules),
        openings=boards,
        publishes=False,
        on_page=lambda address: webbrowser.open(address) if watch else None,
    )


def _report(score: DemoView) -> dict[str, object]:
    return {
        "games": [
            {
                "game": game,
                "players": list(finished.names),
                "winner": finished.winner,
                "stores": list(finished.stores),
                "reason": finished.reason,
                "detail": finished.evidence.detail if finished.evidence else None,
                "plies": finished.plies,
            }
            for game, finished in score.finished.items()
        ],
        "score": score.points,
    }
