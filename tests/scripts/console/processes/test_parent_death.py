"""Commands that end with the process that started them."""

from __future__ import annotations

import os
import subprocess
import sys

from mancala.scripts.console.processes import parent_death

COMMAND = (sys.executable, "-P", "-m", parent_death.__name__)


def test_a_parent_that_is_gone_ends_the_command_before_it_begins() -> None:
    """The parent may end before the kernel was asked to watch it."""
    gone = subprocess.run(
        [*COMMAND, "1", "--version"], check=False, stdout=subprocess.PIPE
    )  # our own program
    assert (gone.returncode, gone.stdout) == (1, b"")


def test_a_command_runs_as_if_it_were_called_by_its_name() -> None:
    """Arguments, output and exit code are those of ``mancala``."""
    command = [*COMMAND, str(os.getpid()), "--version"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # our own program
    assert done.stdout.startswith(b"mancala ")
