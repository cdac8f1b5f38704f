"""The questions put to a bot and the tasks that answer them, one a game.

A task is cancelled when its question is no longer open: a newer turn of the game, a move that
the referee made for us, the game's end, or the connection's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from bot.client.bot import Bot, Game, PlayerError, Turn, as_choice
from bot.client.budget import RoundTrip, budget_s, usable_s
from bot.client.errors import PlayerFailedError
from protocol import messages as wire
from protocol.rules import Board, InvalidPositionError

OFFER_EVERY_S: Final = 0.05

Say = Callable[[wire.Message], None]


@contextmanager
def players_fault() -> Iterator[None]:
    """Tell what the player raises from what the network raises.

    Raises:
        PlayerFailedError: from anything but a `PlayerError`.
    """
    try:
        yield
    except PlayerError:
        raise
    except Exception as error:
        raise PlayerFailedError(f"the player failed: {error!r}") from error


class Offers:
    """The provisional moves of one question, not too many of them: the latest wins."""

    def __init__(self, say: Say, game: str, ply: int) -> None:
        self._say = say
        self._game = game
        self._ply = ply
        self._waiting: wire.Move | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_open = True

    def take(self, pit: int, info: wire.Info | None) -> None:
        """Send it now, or once the last one is long enough ago."""
        if self._is_open:
            self._waiting = wire.Move(self._game, self._ply, pit, provisional=True, info=info)
            if self._timer is None:
                self._send()

    def close(self) -> None:
        """Send no more."""
        self._is_open = False
        if self._timer is not None:
            self._timer.cancel()

    def _send(self) -> None:
        self._timer = None
        if self._waiting is not None:
            self._say(self._waiting)
            self._waiting = None
            self._timer = asyncio.get_running_loop().call_later(OFFER_EVERY_S, self._send)


class _Answer(NamedTuple):
    ply: int
    task: asyncio.Task[None]


class Questions:
    """Every open question of one connection."""

    def __init__(
        self, say: Say, tasks: asyncio.TaskGroup, bot: Bot, logger: logging.Logger
    ) -> None:
        self._say = say
        self._tasks = tasks
        self._bot = bot
        self._logger = logger
        self._answers: dict[str, _Answer] = {}

    def ask(self, game: Game, question: wire.Turn, round_trip: RoundTrip) -> None:
        """Begin to answer a question, in place of an older one of that game.

        Raises:
            InvalidPositionError: when it holds no position in which this player is to move.
        """
        self.close(game.id)
        offers = Offers(self._say, game.id, question.ply)
        turn = _turn(game, question, offers, round_trip)
        name = f"answer {game.id} {question.ply}"
        task = self._tasks.create_task(self._answer(turn, offers), name=name)
        self._answers[game.id] = _Answer(question.ply, task)

    def close(self, game: str, *, up_to: int | None = None) -> None:
        """Answer the game's question no more, if its number is not beyond a bound."""
        answer = self._answers.get(game)
        if answer is not None and (up_to is None or answer.ply <= up_to):
            del self._answers[game]
            answer.task.cancel()

    def close_all(self) -> None:
        """Answer nothing any more."""
        for game in list(self._answers):
            self.close(game)

    async def _answer(self, turn: Turn, offers: Offers) -> None:
        try:
            with players_fault():
                choice = as_choice(await self._bot.choose(turn))
        except PlayerError as error:
            self._logger.warning("game %s resigned: %s", turn.game.id, error)
            self._say(wire.Resign(turn.game.id))
            return
        finally:
            offers.close()
        if choice.pit not in turn.legal:
            self._logger.error(
                "game %s: the player chose pit %d of %s; legal: %s",
                *(turn.game.id, choice.pit, turn.board.text, turn.legal),
            )
        self._say(wire.Move(turn.game.id, turn.ply, choice.pit, info=choice.info))


def _turn(game: Game, question: wire.Turn, offers: Offers, round_trip: RoundTrip) -> Turn:
    board = Board.from_state(question.state, game.rules)
    if board.player != game.seat or not question.legal:
        raise InvalidPositionError(f"nothing to answer for player {game.seat} at {board.text}")
    if set(question.legal) != set(board.legal()):
        raise InvalidPositionError(f"pits {question.legal} are not what is legal at {board.text}")
    deadline_s = question.deadline_ms / 1000
    usable = usable_s(deadline_s, question.clock.quotas_ms[game.seat] / 1000, round_trip)
    seeds = board.in_play
    return Turn(
        board=board,
        legal=question.legal,
        game=game,
        ply=question.ply,
        clock=question.clock,
        deadline_s=deadline_s,
        budget_s=budget_s(usable, game.control, question.clock, seat=game.seat, seeds=seeds),
        heard=offers.take,
    )
