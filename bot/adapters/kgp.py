"""A client of the Kalah Game Protocol, which finds its server on this machine.

    mancala match "cmd:python -m mancala.bot.adapters.kgp ./client.py" engine:level=3

The client is started once and connects to port 2671 of 127.0.0.1, the protocol's own, or to the
address that ``{url}`` in its command stands for; where the port is taken, that is another one. Each
question becomes a ``state``. Its answer is the last ``move`` before ``yield``, or before the time
is up, when the client hears ``stop``.
"""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from mancala.protocol.kgp.lines import (
    VERSION,
    Argument,
    Command,
    KgpError,
    LineBuffer,
    parse,
    write,
)

from .dialogue import COME_S, Adapter, ProgramQuestion, end_process

HOST: Final = "127.0.0.1"
PORT: Final = 2671
URL: Final = "{url}"
STOP_S: Final = 0.05
"""How long after a ``yield`` its ``stop`` is sent: the stock client hangs on an immediate one."""
MARGIN_S: Final = 0.02
"""How long before the time is up a client is stopped that still thinks."""
PIECE: Final = 1 << 16
NO_PIT: Final = ""
"""The answer of a client that named no pit in time."""


class AdaptedKgpClient(Adapter):
    """A client, and the server that it sees, for whose address ``{url}`` stands in its command."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines = LineBuffer()
        self._waiting: list[str] = []
        self._number = 0
        self._turn = threading.Lock()
        self._stopping = threading.Thread()
        self._stopping.start()

    def warm_up(self) -> None:
        """Start the client; wait until it has chosen its mode."""
        with _listening() as server:
            url = f"tcp://{HOST}:{server.getsockname()[1]}"
            command = [word.replace(URL, url) for word in self._command]
            self._process = subprocess.Popen(  # noqa: S603  # the user's own command
                command, stdin=subprocess.DEVNULL, stdout=sys.stderr
            )
            server.settimeout(COME_S)
            try:
                self._link, _ = server.accept()
            except TimeoutError:
                sys.exit(f"the client did not connect within {COME_S:g} s")
        self._say("kgp", *VERSION)
        while self._hear(COME_S).name != "mode":
            pass

    def answer(self, question: ProgramQuestion) -> str:
        """Return the last pit that the client names, from 0."""
        number, pit = self._say("state", question.board), NO_PIT
        budget_s = question.budget_ms / 1000
        ends_at = time.monotonic() + max(budget_s / 2, budget_s - MARGIN_S)
        try:
            while True:
                command = self._hear(ends_at - time.monotonic())
                if command.ref not in (None, number):
                    continue
                if command.name == "move":
                    pit = _pit(command)
                elif command.name == "yield" and pit != NO_PIT:
                    self._stop_later(number)
                    return pit
        except TimeoutError:
            self._say("stop", ref=number)
            return pit

    def _stop_later(self, number: int) -> None:
        """Stop a question that was answered, also after the next one was put."""
        self._stopping.join()
        self._stopping = threading.Thread(target=self._stop, args=(number,))
        self._stopping.start()

    def _stop(self, number: int) -> None:
        time.sleep(STOP_S)
        with suppress(OSError):
            self._say("stop", ref=number)

    def close(self) -> None:
        """Say goodbye, and end the client if it stays."""
        self._stopping.join()
        if self._process is None:
            return
        with suppress(OSError, AttributeError):  # it may never have come
            self._say("goodbye")
            self._link.close()
        end_process(self._process)

    def _say(self, name: str, *arguments: Argument, ref: int | None = None) -> int:
        """Send a command; return its number."""
        with self._turn:
            self._number += 2
            self._link.sendall(write(Command(name, arguments, self._number, ref)).encode())
            return self._number

    def _hear(self, within_s: float) -> Command:
        """Return the client's next command that is no ping; pings are answered."""
        ends_at = time.monotonic() + within_s
        while True:
            command = self._next(ends_at)
            if command.name != "ping":
                return command
            self._say("pong", ref=command.id)

    def _next(self, ends_at: float) -> Command:
        while not self._waiting:
            self._link.settimeout(max(0.001, ends_at - time.monotonic()))
            data = self._link.recv(PIECE)
            if not data:
                sys.exit("the client closed the connection")
            self._waiting += [line for line in self._lines.feed(data) if line.strip()]
        try:
            return parse(self._waiting.pop(0))
        except KgpError as error:
            sys.exit(f"the client wrote no command: {error}")


def _listening() -> socket.socket:
    """Return a socket that listens on the protocol's port, or on another where it is taken."""
    try:
        return socket.create_server((HOST, PORT))
    except OSError:
        return socket.create_server((HOST, 0))


def _pit(command: Command) -> str:
    (hole,) = command.arguments or (0,)
    return str(hole - 1) if isinstance(hole, int) and hole > 0 else NO_PIT


if __name__ == "__main__":
    AdaptedKgpClient.main()
