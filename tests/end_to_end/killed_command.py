"""Runs ``mancala`` commands, each killed by ``kill -9`` at a statement of its store, or not.

``python -m tests.end_to_end.killed_command [SCRIPTS]`` reads a line of JSON for each command: the
beginnings of the statements that are counted, after how many of them it is killed, before their
transaction is committed (0: never), and its arguments. It prints what the command prints, and how
it ended. Each command is a fork of this process, which has loaded what they need. The migrations
are those of the folder ``SCRIPTS`` where it is given.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event

from mancala.protocol import codec
from mancala.scripts.mancala import build
from mancala.server.config import checks, loading
from mancala.server.store.carrying import copying, moving
from mancala.server.store.database import versions

NEVER: Final = (("",), 0)
ENDED: Final = "ended "
LOADED: Final = (checks, loading, copying, moving)
"""What the commands import."""


class Commands:
    """A process that runs commands."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def __call__(self, *arguments: str, at: tuple[tuple[str, ...], int] = NEVER) -> dict[str, Any]:
        """Run a command that is killed at a statement, or ends well; return what it prints."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        print(codec.to_json((*at, (*arguments, "--json"))).decode(), file=stdin, flush=True)
        printed = ""
        for line in stdout:
            if line.startswith(ENDED):
                assert int(line.split()[1]) == (-signal.SIGKILL if at[1] else 0), printed
                return codec.from_json(printed or "{}", dict[str, Any])
            printed += line
        raise AssertionError(printed)


@contextmanager
def commands(*scripts: Path) -> Iterator[Commands]:
    """Provide a process that runs commands, also those of a later version."""
    program = [sys.executable, "-m", "tests.end_to_end.killed_command", *map(str, scripts)]
    pipe = subprocess.PIPE
    with subprocess.Popen(program, stdin=pipe, stdout=pipe, text=True) as process:
        yield Commands(process)


def main() -> None:
    """Run a command for each line that is read."""
    for scripts in sys.argv[1:]:
        versions.SCRIPTS = Path(scripts)  # type: ignore[misc]  # a later version's
    app = build()
    for line in sys.stdin:
        child = os.fork()
        if not child:
            prefixes, number, arguments = codec.from_json(
                line, tuple[tuple[str, ...], int, tuple[str, ...]]
            )
            _kill_at(prefixes, number)
            app(arguments, prog_name="mancala")
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{ENDED}{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _kill_at(prefixes: tuple[str, ...], left: int) -> None:
    """Count the statements that are executed, and kill this process at one of them."""

    def count(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:  # noqa: ANN401  # as SQLAlchemy calls it
        nonlocal left
        if statement.lstrip().startswith(prefixes):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "after_cursor_execute", count)


if __name__ == "__main__":
    main()
