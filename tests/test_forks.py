"""Commands that run in forks end with the program in their place."""

import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from tests.forks import forking
from tests.patience import PATIENCE_S


@contextmanager
def reading(program: Path, pipe: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that reads for ever; it must have ended after the block."""
    os.mkfifo(pipe)
    process = subprocess.Popen([program, "import", pipe], stdout=subprocess.DEVNULL)
    with closing(pipe.open("wb", buffering=0)) as writer:  # it reads now
        yield process
        watch = select.poll()
        watch.register(writer, 0)
        assert watch.poll(PATIENCE_S * 1000), "it reads on"
    process.wait(PATIENCE_S)


def test_a_command_ends_with_its_program_and_with_its_server(tmp_path: Path) -> None:
    """One that never ends by itself ran on, and its server waited for it."""
    with ExitStack() as later, forking(tmp_path) as program:
        with reading(program, tmp_path / "first") as process:
            process.kill()
        later.enter_context(reading(program, tmp_path / "second"))
