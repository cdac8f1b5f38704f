"""How a run in the sandbox ended, told apart by cause."""

import re
import signal
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from .limits import SandboxLimits

SIGNALS_FROM: Final = 128
"""What a shell, and bubblewrap, add to a signal's number to make an exit code."""
OUT_OF_MEMORY: Final = re.compile(
    r"MemoryError|OutOfMemoryError|bad_alloc|[Oo]ut of memory|Cannot allocate memory"
)
"""What runtimes write when the kernel refuses them memory."""
FULL_DISK: Final = "No space left on device"
FULL: Final = 0.9
"""The share of the memory limit from which a failed program counts as out of memory."""


def both_ends(text: str, most: int) -> str:
    """Return a text, or about ``most`` letters: its first and last lines, whole where they fit."""
    if len(text) <= most:
        return text
    half = most // 2
    head = text[:half].rpartition("\n")[0] or text[:half].rpartition(" ")[0] or text[:half]
    end = text[-half:]
    tail = end.partition("\n")[2] or end.partition(" ")[2] or end
    return f"{head}\n…\n{tail}"


class RunEnding(StrEnum):
    """Why a run ended."""

    EXITED = "exited"
    CRASHED = "crashed"
    MEMORY = "memory"
    CPU = "cpu"
    WALL = "time"
    OUTPUT = "output"
    DISK = "disk"
    SOCKETS = "sockets"
    STOPPED = "stopped"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How a run ended, and what it used.

    Attributes:
        ending: why it ended; ``exited`` with any exit code, ``crashed`` by a signal.
        exit_code: the exit code; None when a signal or a limit ended it.
        memory_mb: the most memory that all its processes held, as seen ten times a second.
        stderr: the first and the last lines that it wrote to stderr.
    """

    ending: RunEnding
    exit_code: int | None = None
    signal: int | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_mb: float = 0.0
    output_bytes: int = 0
    stderr: str = ""

    @property
    def is_good(self) -> bool:
        """Whether the program ended by itself, with exit code 0."""
        return self.ending is RunEnding.EXITED and self.exit_code == 0

    @property
    def is_killed(self) -> bool:
        """Whether it was killed, and not for a limit: the machine may have run out of memory."""
        return self.ending is RunEnding.CRASHED and self.signal == signal.SIGKILL

    def sentence(self, limits: SandboxLimits) -> str:
        said = {
            RunEnding.EXITED: f"ended with exit code {self.exit_code}",
            RunEnding.CRASHED: f"crashed: {_signal_name(self.signal or 0)}",
            RunEnding.MEMORY: f"needed more memory than its {limits.memory_mb} MiB",
            RunEnding.CPU: f"used more processor time than its {limits.cpu_s} s",
            RunEnding.WALL: f"ran longer than its {limits.wall_s} s",
            RunEnding.OUTPUT: f"wrote more than its {limits.output_mb} MiB to stdout and stderr",
            RunEnding.DISK: f"made more files than fit into its {limits.disk_mb} MiB",
            RunEnding.SOCKETS: "had more sockets open than a program may",
            RunEnding.STOPPED: "was stopped by its host",
            RunEnding.HOST: "could not be run by its host",
        }
        return f"it {said[self.ending]}"


def outcomes_of(file: Path) -> list[RunOutcome]:
    """Return the outcomes that runs left in a file, a line of JSON each; none if it is missing."""
    lines = file.read_bytes().splitlines() if file.exists() else []
    return [msgspec.json.decode(line, type=RunOutcome) for line in lines]


def ending_of(
    code: int, *, broken: RunEnding | None, memory_mb: float, stderr: str, limits: SandboxLimits
) -> tuple[RunEnding, int | None, int | None]:
    """Return why a run ended, its exit code and its signal.

    Args:
        code: the exit code of bubblewrap; above 128 for a signal, negative for its own.
        broken: the limit for which the host ended it, if any.
        memory_mb: the most memory it held.
        stderr: the first and the last lines that it wrote there.
        limits: what it was allowed.
    """
    if broken is not None:
        return broken, None, None
    number = -code if code < 0 else max(0, code - SIGNALS_FROM)
    left = (None if number else code, number or None)
    if code == 0:
        ending = RunEnding.EXITED
    elif number == signal.SIGXCPU:
        ending = RunEnding.CPU
    elif number == signal.SIGXFSZ or FULL_DISK in stderr:
        ending = RunEnding.DISK
    elif memory_mb >= FULL * limits.memory_mb or OUT_OF_MEMORY.search(stderr):
        ending = RunEnding.MEMORY
    else:
        ending = RunEnding.CRASHED if number else RunEnding.EXITED
    return ending, *left


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
