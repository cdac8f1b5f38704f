"""Programs that end with the process that started them."""

import subprocess
import sys
from typing import Final

from mancala import parent_death
from mancala.parent_death import ending_with_us

PRINTS: Final = (sys.executable, "-c", "import sys; print(sys.argv[1:])", "a", "b c")


def test_a_parent_that_is_gone_ends_the_program_before_it_begins() -> None:
    """The parent may end before the kernel was asked to watch it."""
    words = [sys.executable, "-I", "-S", parent_death.__file__, "1", *PRINTS]
    gone = subprocess.run(words, check=False, stdout=subprocess.PIPE)
    assert (gone.returncode, gone.stdout) == (1, b"")


def test_a_program_runs_as_if_it_were_started_without() -> None:
    """Arguments, output and exit code are its own."""
    done = subprocess.run(ending_with_us(*PRINTS), check=True, stdout=subprocess.PIPE)
    assert done.stdout == b"['a', 'b c']\n"
