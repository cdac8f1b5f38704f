"""Run a ``mancala`` command that ends itself by ``kill -9`` at a chosen statement of its store.

``python -m tests.end_to_end.killed_command PREFIXES COUNT ARGUMENTS…``: the process is killed after
the statement number ``COUNT``, from 1, among those that begin with one of the comma-separated
prefixes, and before its transaction is committed. The migrations are those of the folder that
``MANCALA_LATER`` names, if it is set.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, event

from mancala.server.store.database import versions

LATER: Final = "MANCALA_LATER"


class KillSwitch:
    """Counts statements, and kills the process at one of them."""

    def __init__(self, prefixes: tuple[str, ...], left: int) -> None:
        self._prefixes = prefixes
        self._left = left

    def __call__(self, _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:  # noqa: ANN401  # as SQLAlchemy calls it
        """Count a statement that was executed."""
        if statement.lstrip().startswith(self._prefixes):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Arm the switch, and run the command."""
    _program, prefixes, count, *arguments = sys.argv
    switch = KillSwitch(tuple(prefixes.split(",")), int(count))
    event.listen(Engine, "after_cursor_execute", switch)
    if scripts := os.environ.get(LATER):
        versions.SCRIPTS = Path(scripts)  # type: ignore[misc]  # a later version's
    sys.argv = ["mancala", *arguments]
    runpy.run_module("mancala", run_name="__main__")


if __name__ == "__main__":
    main()
