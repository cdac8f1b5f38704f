"""A bare ``websockets`` server: the yardstick that the match server's speed is measured with.

``echo`` sends each frame back: one in, one out. ``relay`` moves the frames of a ply between two
connections, those of one path, and does nothing else: no JSON, no rules, no clock, no journal. A
move comes in; its announcement goes to both, and a turn to whose turn it is. The frames are
of a real game, and so of the size that a match server's have.
"""

import asyncio
import sys
from typing import Final

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection, serve

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Move
from mancala.protocol.referee import Played, Referee
from mancala.protocol.rules import Board
from mancala.server.match.serializers import moved, turn
from tests.drills.ports import HOST

GAME: Final = "0123456789ab"
PIT: Final = 0


def _frames_of_a_ply() -> tuple[bytes, bytes]:
    referee = Referee(Board.start(), TimeControl())
    referee.start(0.0)
    played = referee.play(0, 0, PIT, 0.0)[0]
    if not isinstance(played, Played):
        raise TypeError("a first move can be played")
    return codec.encode(moved(GAME, played)), codec.encode(turn(GAME, referee, 0.0))


MOVE: Final = codec.encode(Move(GAME, 0, PIT))
MOVED, TURN = _frames_of_a_ply()


async def _echo(connection: ServerConnection) -> None:
    async for frame in connection:
        await connection.send(frame)


class _Relay:
    """Relays between the two connections of each path."""

    def __init__(self) -> None:
        self._waiting: dict[str, ServerConnection] = {}
        self._others: dict[ServerConnection, ServerConnection] = {}

    async def answer(self, connection: ServerConnection) -> None:
        self._seat(connection, connection.request.path if connection.request else "")
        async for _move in connection:
            other = self._others[connection]
            broadcast((connection, other), MOVED, text=True)
            broadcast((other,), TURN, text=True)

    def _seat(self, connection: ServerConnection, path: str) -> None:
        other = self._waiting.pop(path, None)
        if other is None:
            self._waiting[path] = connection
        else:
            self._others[connection], self._others[other] = other, connection
            broadcast((other,), TURN, text=True)


async def _main(handler: str) -> None:
    relay = _Relay()
    answers = {"echo": _echo, "relay": relay.answer}
    async with serve(answers[handler], HOST, 0, compression=None, ping_interval=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  # read by the drill
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
