"""``mancala play``: a person against a player of ours, on the article's board.

Only the command knows the terminal. The game is driven by functions handed in, which read a line
and say one, so that a scripted game and a person's are the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Final, NamedTuple

import typer

from bot.player import Bot, Choice, Game, PlayerError, Turn, as_choice
from protocol.clock import Clock, TimeControl
from protocol.rules import (
    Board,
    InvalidPositionError,
    Rules,
    Sowing,
    article_index,
    from_article_index,
)
from scripts import console
from scripts.drawing import draw, outputs, thinking, verdict

LEAVE: Final = frozenset({"q", "quit", "exit"})

PATIENCE_S: Final = 3600.0

Chooser = Callable[[Board], Choice]
Ask = Callable[[], str]
Say = Callable[[str], None]


class LeftError(Exception):
    """The person ended the game before its end."""


def person(ask: Ask, say: Say) -> Chooser:
    """Make a player out of somebody who types the article's numbers.

    Args:
        ask: reads one line; raises :class:`EOFError` when there are no more.
        say: prints one line.
    """

    def choose(board: Board) -> Choice:
        pits = board.rules.pits
        choices = sorted(article_index(board.player, pit, pits) for pit in board.legal())
        say(f"Player {board.player + 1}'s Turn! Choose a number in range {choices}")
        while True:
            try:
                return Choice(_pit(_answer(ask), board))
            except InvalidPositionError as wrong:
                say(f"    {wrong}. Choose a number in range {choices}")

    return choose


class Computer:
    """A bot played against in this process, without a server between."""

    def __init__(self, bot: Bot, *, budget_s: float) -> None:
        """Take a bot; it thinks ``budget_s`` seconds a move unless its SPEC says otherwise."""
        self._bot = bot
        self._budget_s = budget_s
        self._runner = asyncio.Runner()
        self._runner.run(bot.warm_up())

    def __call__(self, board: Board) -> Choice:
        """Ask the bot for its move."""
        control = TimeControl(move_ms=int(PATIENCE_S * 1000))
        game = Game("play", "play", board.player, board.rules, control, "person", rated=False)
        turn = Turn(
            board,
            board.legal(),
            game,
            0,
            Clock.set_up(control).state,
            deadline_s=PATIENCE_S,
            budget_s=self._budget_s,
        )
        return as_choice(self._runner.run(_choose(self._bot, turn)))

    def close(self) -> None:
        """Let the bot and its loop go."""
        self._runner.run(self._bot.close())
        self._runner.close()


class Step(NamedTuple):
    """One move of a game.

    Attributes:
        before: the position it was made in.
        pit: the pit sown.
        sowing: what it did.
    """

    before: Board
    pit: int
    sowing: Sowing


def play(
    board: Board,
    choosers: tuple[Chooser, Chooser],
    say: Say,
    record: Callable[[Step], None],
) -> None:
    """Play a game out, drawing each position and telling each move's four outputs.

    Args:
        board: the position to begin from.
        choosers: the players.
        say: prints one line, or several.
        record: is given each move.

    Raises:
        LeftError: when a person leaves.
    """
    while not board.is_over:
        say(f"{draw(board)}\n")
        choice = choosers[board.player](board)
        sowing = board.sow(choice.pit)
        say(f"    {outputs(board, choice.pit, sowing)}")
        if choice.info is not None:
            say(f"    {thinking(choice.info)}")
        say("")
        record(Step(board, choice.pit, sowing))
        board = sowing.board
    say(f"{draw(board)}\n")
    say(verdict(board))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("play")(_command)


def _command(
    player: Annotated[str, typer.Option(help="Who plays against you, a player SPEC.")] = "engine",
    rules: Annotated[
        str, typer.Option(help="A preset, with changes: article, or kalah:pits=4,seeds=3.")
    ] = "kalah",
    movetime: Annotated[float, typer.Option(min=0.001, help="Seconds it thinks a move.")] = 1.0,
    *,
    second: Annotated[bool, typer.Option("--second", help="Let the other side begin.")] = False,
    seed: Annotated[int | None, typer.Option(help="Repeat what a player draws by lot.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object at the end; the board on stderr.")
    ] = False,
) -> None:
    """Play yourself, on the article's board.

    Pits are named by the numbers drawn around the board. "q" or the end of the input leaves.
    """
    board = _start(rules)
    say = _say_on_stderr if json else typer.echo
    steps: list[Step] = []
    with closing(_computer(player, seed, movetime)) as computer:
        me = person(input, say)
        try:
            play(board, (computer, me) if second else (me, computer), say, steps.append)
        except LeftError:
            say("The game is left unfinished. Goodbye.")
        except PlayerError as error:
            console.fail(str(error), code=console.FAILED)
    if json:
        console.emit(_outcome(board, steps))


def _start(rules: str) -> Board:
    try:
        return Board.start(Rules.parse(rules))
    except InvalidPositionError as wrong:
        console.fail(str(wrong))


def _computer(spec: str, seed: int | None, budget_s: float) -> Computer:
    from bot.spec import make_player

    try:
        return Computer(make_player(spec, seed=seed), budget_s=budget_s)
    except ValueError as wrong:
        console.fail(str(wrong))


def _outcome(start: Board, steps: list[Step]) -> dict[str, object]:
    board = steps[-1].sowing.board if steps else start
    score = board.score()
    return {
        "rules": str(start.rules),
        "finished": board.is_over,
        "winner": None if not board.is_over or score == 0 else int(score < 0),
        "stores": board.settled().stores,
        "moves": [{"player": step.before.player, "pit": step.pit} for step in steps],
        "board": board.text,
    }


def _say_on_stderr(line: str) -> None:
    typer.echo(line, err=True)


async def _choose(bot: Bot, turn: Turn) -> int | Choice:
    return await bot.choose(turn)


def _answer(ask: Ask) -> str:
    try:
        answer = ask().strip()
    except (EOFError, KeyboardInterrupt):
        raise LeftError from None
    if answer.lower() in LEAVE:
        raise LeftError
    return answer


def _pit(answer: str, board: Board) -> int:
    if not (answer.isascii() and answer.isdigit()):
        raise InvalidPositionError(f"{answer!r} is no number")
    player, pit = from_article_index(int(answer), board.rules.pits)
    if player != board.player:
        raise InvalidPositionError(f"pit {answer} is the other player's")
    if not board.pits[player][pit]:
        raise InvalidPositionError(f"pit {answer} is empty")
    return pit
