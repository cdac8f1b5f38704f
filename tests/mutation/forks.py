"""Forks of a process that has imported what the tests need, and the tests of one."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

LONGEST_S: Final = 30
"""A change whose tests take longer does not end, and is noticed by that."""
OUTPUT: Final = Path("output")


def forked(act: Callable[[], bool], seconds: float = LONGEST_S, *, again: bool = False) -> bool:
    """Return the result of a function in a forked process; False if it fails or does not end.

    With `again`, what does not end in time, as beside other work, is given its time once more.
    """
    status = _ended(act, seconds)
    if again and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        status = _ended(act, seconds)
    return status == 0


def _ended(act: Callable[[], bool], seconds: float) -> int:
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        code = 1
        try:
            _silence()
            code = 0 if act() else 1
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitpid(child, 0)[1]


def _silence() -> None:
    output = os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)


def passes(items: Sequence[pytest.Item]) -> bool:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed:
            return False
    return True
