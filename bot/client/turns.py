"""Pending turns: one task for each game answers the game's latest turn.

A task is cancelled when its turn no longer needs an answer: a newer turn of the game has come,
the referee has made the move, the game is over, or the connection has ended.
"""

import asyncio
import logging
import threading  # noqa: TID251  # only to ask which thread this is
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final, NamedTuple

from mancala.protocol import messages as wire
from mancala.protocol.player import PlayerError
from mancala.protocol.rules import Board, IllegalMoveError, InvalidPositionError
from mancala.protocol.text import shown

from .asking import ask, timed
from .bot import Bot, Game, Turn, as_choice
from .budget import RoundTrip, budget_s, usable_s
from .errors import PlayerFailedError, raised

PROVISIONAL_EVERY_S: Final = 0.05
FLAG_S: Final = 0.1
"""The server's word of a flag that fell may come this much earlier than the flag falls here."""
BLOCKED_S: Final = 0.25
"""A step of an async `choose` that takes longer is reported."""
NO_PIT: Final = 255
"""The pit that is sent for an answer that names none; no board has it."""
LONGEST_CAUSE: Final = 256

Say = Callable[[wire.Message], None]


@contextmanager
def player_errors() -> Iterator[None]:
    """Raise `PlayerFailedError` in the place of what a player raises beside `PlayerError`."""
    try:
        yield
    except PlayerError:
        raise
    except Exception as error:
        raise PlayerFailedError(f"the player raised {raised(error)}") from error


class _ProvisionalMoves:
    """Sends the provisional moves of one turn, at a bounded rate; the latest one wins.

    A move that the rate allows is sent by the call itself, since a bot that blocks the event loop
    lets no timer run.
    """

    def __init__(self, say: Say, game: str, ply: int) -> None:
        self._say = say
        self._game = game
        self._ply = ply
        self._waiting: wire.Move | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._next_at = self._loop.time()
        self._is_open = True

    def take(self, pit: int, info: wire.Info | None) -> None:
        """Send a provisional move now, or as soon as the rate allows; in any thread."""
        if threading.get_ident() != self._loop_thread:
            self._loop.call_soon_threadsafe(self.take, pit, info)
        elif self._is_open:
            self._waiting = wire.Move(self._game, self._ply, pit, provisional=True, info=info)
            if self._loop.time() >= self._next_at:
                self._send()
            elif self._timer is None:
                self._timer = self._loop.call_at(self._next_at, self._send)

    def close(self) -> None:
        self._is_open = False
        if self._timer is not None:
            self._timer.cancel()

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting is not None:
            self._say(self._waiting)
            self._waiting = None
            self._next_at = self._loop.time() + PROVISIONAL_EVERY_S


class _TurnAnswer(NamedTuple):
    ply: int
    task: asyncio.Task[None]
    due: float


class PendingTurns:
    """The turns of one connection that are still to be answered."""

    def __init__(
        self, say: Say, tasks: asyncio.TaskGroup, bot: Bot, logger: logging.Logger
    ) -> None:
        self._say = say
        self._tasks = tasks
        self._bot = bot
        self._logger = logger
        self._answers: dict[str, _TurnAnswer] = {}
        self._boards: dict[str, Board] = {}
        self._longest_step_s = 0.0
        self._is_reported = False

    def follow(self, start: wire.GameStart) -> None:
        """Keep the positions of a game that is over where one comes again: no turn says them."""
        if not start.rules.oware:
            return
        opening = start.opening or Board.start(start.rules).state
        with suppress(InvalidPositionError, IllegalMoveError):
            board = Board.from_state(opening, start.rules)
            for pit in start.moves:
                board = board.sow(pit).board
            self._boards[start.game] = board

    def moved(self, moved: wire.Moved) -> None:
        """Stop answering the turn that was moved in, or an older one."""
        self.close(moved.game, up_to=moved.ply)
        board = self._boards.get(moved.game)
        if board is not None and board.may_play(moved.pit):
            self._boards[moved.game] = board.sow(moved.pit).board

    def end(self, game: str) -> None:
        """Stop answering the turn of a game that is over."""
        self.close(game)
        self._boards.pop(game, None)

    def ask(self, game: Game, asked: wire.Turn, round_trip: RoundTrip) -> None:
        """Start to answer a turn, in place of an older one of that game."""
        self.close(game.id)
        provisional = _ProvisionalMoves(self._say, game.id, asked.ply)
        turn = _turn(game, asked, provisional, round_trip, self._boards.get(game.id))
        name = f"answer {game.id} {asked.ply}"
        task = self._tasks.create_task(self._answer(turn, provisional), name=name)
        due = asyncio.get_running_loop().time() + turn.deadline_s - FLAG_S
        self._answers[game.id] = _TurnAnswer(asked.ply, task, due)

    def close(self, game: str, *, up_to: int | None = None) -> None:
        """Stop answering the game's turn, if its ply is at most `up_to`."""
        answer = self._answers.get(game)
        if answer is not None and (up_to is None or answer.ply <= up_to):
            del self._answers[game]
            answer.task.cancel()
            if asyncio.get_running_loop().time() > answer.due and not answer.task.done():
                self._logger.warning(
                    "game %s, ply %d: choose() had not answered when the time was up",
                    game,
                    answer.ply,
                )

    def close_all(self) -> None:
        for game in list(self._answers):
            self.close(game)

    async def _answer(self, turn: Turn, provisional: _ProvisionalMoves) -> None:
        try:
            with player_errors():
                choice = as_choice(await timed(ask(self._bot.choose, turn), self._on_step))
        except PlayerError as error:
            self._forfeit(turn, error)
            return
        except PlayerFailedError as error:
            self._say(wire.Resign(turn.game.id, shown(str(error))[:LONGEST_CAUSE]))
            raise
        finally:
            provisional.close()
        if not turn.board.may_play(choice.pit):
            self._logger.error(
                "game %s: the player chose pit %d, which is not legal at %s; legal: %s",
                *(turn.game.id, choice.pit, turn.board.text, turn.legal),
            )
        self._say(wire.Move(turn.game.id, turn.ply, choice.pit, info=choice.info))

    def report_blocking(self) -> None:
        """Warn of an async `choose` that has blocked the event loop; once."""
        if self._longest_step_s >= BLOCKED_S and not self._is_reported:
            self._is_reported = True
            self._logger.warning(
                "choose() blocked the event loop for %.2f s, so that no ping was answered and no "
                "other game was heard: write it as a plain `def`, which runs in a thread",
                self._longest_step_s,
            )

    def _on_step(self, seconds: float) -> None:
        self._longest_step_s = max(self._longest_step_s, seconds)

    def _forfeit(self, turn: Turn, error: PlayerError) -> None:
        """Resign with the cause; send an illegal answer as it is: the game ends as ``illegal``."""
        self._logger.warning("game %s forfeited: %s", turn.game.id, error)
        if error.reason is wire.Reason.ILLEGAL:
            pit = _pit_of(error.received)
            if pit not in turn.legal:
                self._say(wire.Move(turn.game.id, turn.ply, pit))
                return
        self._say(wire.Resign(turn.game.id, shown(error.detail)[:LONGEST_CAUSE]))


def _pit_of(answer: str) -> int:
    is_pit = answer.isascii() and answer.isdigit() and len(answer) <= len(str(NO_PIT))
    return min(int(answer), NO_PIT) if is_pit else NO_PIT


def _turn(
    game: Game,
    asked: wire.Turn,
    provisional: _ProvisionalMoves,
    round_trip: RoundTrip,
    followed: Board | None,
) -> Turn:
    rules = game.rules if asked.pie else game.rules.without_pie
    board = Board.from_state(asked.state, rules)
    if followed is not None and followed.state == board.state:
        board = replace(board, past=followed.past)
    if board.player != game.seat or not asked.legal:
        raise InvalidPositionError(
            f"a turn for player {game.seat}, who is not to move at {board.text}"
        )
    if set(asked.legal) != set(board.legal()):
        raise InvalidPositionError(
            f"a turn with the legal pits {asked.legal}; at {board.text} they are {board.legal()}"
        )
    deadline_s, clock = asked.deadline_ms / 1000, asked.clock
    usable = usable_s(deadline_s, clock.quotas_ms[game.seat] / 1000, round_trip)
    budget = budget_s(usable, game.control, clock, seat=game.seat, seeds=board.in_play)
    return Turn(
        *(board, asked.legal, game, asked.ply, clock, deadline_s),
        budget_s=budget,
        heard=provisional.take,
    )
