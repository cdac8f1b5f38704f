"""How a run ended, told apart by cause."""

import signal

import pytest

from mancala.scripts.sandbox.limits import SandboxLimits
from mancala.scripts.sandbox.outcome import RunEnding, RunOutcome, ending_of

LIMITS = SandboxLimits(memory_mb=100)


@pytest.mark.parametrize(
    ("code", "memory_mb", "stderr", "ending"),
    [
        (0, 100.0, "MemoryError", RunEnding.EXITED),
        (3, 10.0, "", RunEnding.EXITED),
        (128 + signal.SIGSEGV, 10.0, "", RunEnding.CRASHED),
        (-signal.SIGSEGV, 10.0, "", RunEnding.CRASHED),
        (128 + signal.SIGXCPU, 10.0, "", RunEnding.CPU),
        (128 + signal.SIGXFSZ, 10.0, "", RunEnding.DISK),
        (1, 10.0, "OSError: [Errno 28] No space left on device", RunEnding.DISK),
        (1, 10.0, "Traceback …\nMemoryError", RunEnding.MEMORY),
        (128 + signal.SIGKILL, 95.0, "", RunEnding.MEMORY),
    ],
)
def test_each_cause_has_its_ending(
    code: int, memory_mb: float, stderr: str, ending: RunEnding
) -> None:
    """An exit, a crash and each limit are told apart by what the program left."""
    found = ending_of(code, broken=None, memory_mb=memory_mb, stderr=stderr, limits=LIMITS)
    assert found[0] is ending


def test_a_limit_that_the_host_enforced_is_the_cause() -> None:
    """What the program did afterwards does not matter."""
    found = ending_of(137, broken=RunEnding.OUTPUT, memory_mb=100, stderr="", limits=LIMITS)
    assert found == (RunEnding.OUTPUT, None, None)


@pytest.mark.parametrize("ending", RunEnding)
def test_each_ending_has_a_sentence(ending: RunEnding) -> None:
    """The author reads what happened, with the limit or the number in it."""
    sentence = RunOutcome(ending, 3, 11).sentence(SandboxLimits(wall_s=7))
    assert sentence.startswith("it ")
    assert "None" not in sentence


def test_a_limit_is_positive() -> None:
    """A limit of zero would let no program start."""
    with pytest.raises(ValueError, match="memory_mb is at least 1, not 0"):
        SandboxLimits(memory_mb=0)
