"""A bot that speaks the wire as a player, ``net:COMMAND``, through a private server.

The server (`private_server`) runs on an event loop in a thread of its own, which answers pings
between the questions.

Our starters write ``NAME.session`` where they run. A bot that a command starts is stopped before
its matches are over, so such a file would stay; the bot would show its secret to the next server it
plays on. So a command runs bots where session files are `restored`.
"""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from mancala.protocol.player import START_UP_S, UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules

from .private_server import SECRET, PrivateServer

END_S: Final = 10.0
"""Seconds after which a bot that does not end is left to its reaper."""

T = TypeVar("T")


class NetPlayer(Player):
    """A bot that connects to a server, as a player; ``{url}`` in its command is the address."""

    def __init__(self, command: str, *, start_up_s: float = START_UP_S) -> None:
        self._loop = asyncio.new_event_loop()
        self._server = PrivateServer(command, start_up_s)
        self._question: Future[Choice] | None = None
        self._absence: PlayerError | None = None
        self._thread = threading.Thread(target=self._run, name="private server", daemon=True)
        self._thread.start()

    def warm_up(self, rules: Rules = KALAH) -> None:  # noqa: ARG002  # each game states its own
        """Start the bot and wait for its hello; if that fails, the first question says why."""
        with suppress(PlayerError):
            self._done(self._server.prepare())
        self._server.stderr.clear()

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # a bot has random numbers of its own
        """End the last game; start the bot again if it has ended."""
        self._done(self._server.end_game())
        self._absence = None
        try:
            self._done(self._server.prepare())
        except PlayerError as error:
            self._absence = error

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the bot; raise PlayerError when it is not there, leaves, or gives no answer."""
        if self._absence is not None:
            raise self._absence
        question = asyncio.run_coroutine_threadsafe(self._server.ask(board, budget), self._loop)
        self._question = question
        try:
            return question.result()
        except CancelledError:
            raise PlayerError("the answer is not wanted any more") from None

    def stop(self) -> None:
        if self._question is not None:
            self._question.cancel()

    def drain_stderr(self) -> list[str]:
        """Return the lines that the bot wrote to stderr since the last call."""
        lines = self._server.stderr
        return [lines.popleft() for _ in range(len(lines))]

    def close(self) -> None:
        with suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._server.close(), self._loop).result(END_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(END_S)

    def kill(self) -> None:
        """Kill the bot, even in the middle of a question."""
        self._server.kill()

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    def _done(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


SESSION: Final = "conformance-session-"
"""What every secret of a check begins with."""
MARKS: Final = (SESSION.encode(), SECRET.encode())
"""Of servers that end with the command: of `check-bot`, and of players that connect."""
PATTERN: Final = "*.session"


@contextmanager
def restored(folder: Path) -> Iterator[None]:
    """Leave the session files of the folder where bots run as they were before the block.

    Only files that hold a secret of such a server are touched: one that was made is removed, one
    that was overwritten, or removed by a bot that played to its end, gets its former content back.
    """
    before = {path: _content(path) for path in folder.glob(PATTERN)}
    try:
        yield
    finally:
        for path in {*before, *folder.glob(PATTERN)}:
            if not path.exists() or _is_marked(_content(path)):
                _put_back(path, before.get(path, b""))


def _content(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


def _is_marked(content: bytes) -> bool:
    return any(mark in content for mark in MARKS)


def _put_back(path: Path, content: bytes) -> None:
    """Write a file's former content; remove it if there is none, or none but such a server's."""
    if not content or _is_marked(content):
        path.unlink(missing_ok=True)
    else:
        path.touch(mode=0o600)
        path.write_bytes(content)
