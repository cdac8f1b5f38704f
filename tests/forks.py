"""Commands as forks of one process that has loaded what they need: most of a command's time.

:func:`forking` provides a program that takes the place of ``mancala``: it hands its arguments,
folder, environment and streams to that process, and ends as the fork did, by the same signal where
one ended it. Commands are run one after the other; one is killed when its program ends before it.
"""

import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.patience import PATIENCE_S

LOADED: Final = (
    *("mancala.__main__", "mancala.scripts.mancala", "mancala.scripts.console.surroundings"),
    *("mancala.server.app.config_check", "mancala.server.app.operating", "alembic.command"),
    *("mancala.server.store.carrying.backup", "mancala.server.store.carrying.copying"),
    *("mancala.server.store.carrying.ladder_archive", "mancala.bot.client.run"),
)
SHIM: Final = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.connect({address!r})
    told = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(link, [len(told).to_bytes(4, "big")], [0, 1, 2])
    link.sendall(told)
    ended = int(link.recv(16) or 1)
if ended < 0:
    os.kill(os.getpid(), -ended)
sys.exit(ended)
"""


@contextmanager
def forking(folder: Path, program: str = "tests.forks") -> Iterator[Path]:
    address, shim = folder / "socket", folder / "mancala"
    shim.write_text(SHIM.format(python=sys.executable, address=str(address)))
    shim.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()
        process = subprocess.Popen(
            [sys.executable, "-m", program, str(listener.fileno())],
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
        )
    try:
        yield shim
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE_S)
        finally:
            process.kill()


def serve(before: Callable[[], None] = lambda: None) -> None:
    """Run each command that a program asks for, after what is to be done ``before`` it."""
    for module in LOADED:
        importlib.import_module(module)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        while True:
            link, _ = listener.accept()
            with closing(link):
                length, streams, _, _ = socket.recv_fds(link, 4, 3)
                told = link.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
                child = os.fork()
                if not child:
                    signal.signal(signal.SIGTERM, signal.SIG_DFL)
                    listener.close()
                    _become(json.loads(told), streams)
                    before()
                    sys.exit(importlib.import_module(LOADED[0]).main())
                for stream in streams:
                    os.close(stream)
                with suppress(OSError):
                    link.sendall(str(_ended(child, link)).encode())


def _ended(child: int, link: socket.socket) -> int:
    """Wait until a command ends, or its program does, or this process; return its exit code."""
    watch = os.pidfd_open(child)
    try:
        select.select([watch, link.fileno()], [], [])
    finally:
        os.close(watch)
        os.kill(child, signal.SIGKILL)  # does nothing to one that has ended
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _become(told: tuple[list[str], str, dict[str, str]], streams: list[int]) -> None:
    arguments, folder, environment = told
    sys.argv = ["mancala", *arguments]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")


if __name__ == "__main__":
    serve()
