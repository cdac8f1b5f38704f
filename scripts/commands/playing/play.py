"""``mancala play``: a person against a player, in the terminal."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mancala.protocol.rules import Board

from ...console import output as console
from ...console.compiling import compile_engine_for_person
from ...console.options import RulesOption, rules_of
from ...console.processes.table_advice import advise_tables
from ...console.views.drawing import LEGEND, Numbering

if TYPE_CHECKING:
    from mancala.protocol.player import Choice

    from ...console.views.terminal_game import Chooser, Computer, ShownMove

WITHOUT_ENGINE: Final = "alphabeta:depth=6"
"""Gives the hints where the engine is not installed."""


def command(
    player: Annotated[
        str, typer.Option(help="Your opponent, as a SPEC; 'mancala players' lists them.")
    ] = "engine",
    rules: RulesOption = "kalah",
    movetime: Annotated[
        float, typer.Option(min=0.001, help="Seconds per move of the opponent, and per hint.")
    ] = 1.0,
    *,
    second: Annotated[bool, typer.Option("--second", help="Let the opponent begin.")] = False,
    numbering: Annotated[
        Numbering,
        typer.Option(
            help="own: pits from 0 in the mover's direction; article: one ring, as drawn there."
        ),
    ] = Numbering.OWN,
    hints: Annotated[
        str | None, typer.Option(help="The player that gives hints, as a SPEC.  [default: engine]")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the opponent's random choices.")] = None,
    json: Annotated[
        bool,
        typer.Option("--json", help="Print one JSON object at the end; the board goes to stderr."),
    ] = False,
) -> None:
    """Play against a player in the terminal.

    Name a pit by the number drawn beside it. "u" takes your last move back, "h" gives a hint, "?"
    explains the four outputs of a move, and "q" or Ctrl-D leaves the game.
    """
    from mancala.protocol.player import PlayerError

    from ...console.views.terminal_game import WORDS, LeftError, Person, play

    board = Board.start(rules_of(rules))
    say = partial(console.say, err=True) if json else console.say
    steps: list[ShownMove] = []
    with ExitStack() as computers:
        if compile_engine_for_person(player, board.rules):
            advise_tables(board.rules, [player])
        computer = computers.enter_context(closing(_computer(player, seed, movetime)))
        adviser = _adviser(hints, movetime, computers)
        me = Person(input, say, numbering, adviser)
        say(f"Moves are followed by: {LEGEND}.\nWhile you choose, {WORDS}.\n")
        try:
            play(board, (computer, me) if second else (me, computer), say, steps, numbering)
        except LeftError:
            say("You left the game unfinished.")
        except PlayerError as error:
            console.fail(error, code=console.FAILED)
    if json:
        console.emit(_outcome(board, steps))


def _adviser(given: str | None, budget_s: float, computers: ExitStack) -> Chooser:
    """Return what gives hints; the player is made when it is asked for the first time."""
    from mancala.bot.players.registry import PLAYERS, check_spec

    spec = (WITHOUT_ENGINE if PLAYERS["engine"].missing else "engine") if given is None else given
    if given is not None:
        with console.bad_input():
            check_spec(given)
    made: list[Computer] = []

    def advise(board: Board) -> Choice:
        if not made:
            compile_engine_for_person(spec, board.rules)
            made.append(computers.enter_context(closing(_computer(spec, None, budget_s))))
        return made[0](board)

    return advise


def _computer(spec: str, seed: int | None, budget_s: float) -> Computer:
    from mancala.bot.players.registry import make_bot
    from mancala.protocol.player import PlayerError

    from ...console.views.terminal_game import Computer

    with console.bad_input(), console.failing_on(PlayerError):
        return Computer(make_bot(spec, seed=seed, plain_first=True), budget_s=budget_s)


def _outcome(start: Board, steps: list[ShownMove]) -> dict[str, object]:
    from mancala.protocol.referee import outcome

    board = steps[-1].sowing.board if steps else start
    over = outcome(board)
    return {
        "rules": str(start.rules),
        "finished": board.is_over,
        "winner": None if over is None else over.winner,
        "stores": board.settled().stores,
        "moves": [{"player": step.before.player, "pit": step.pit} for step in steps],
        "board": board.text,
    }
