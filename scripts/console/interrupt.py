"""Ctrl-C in every command: it ends with what it has, says how to go on, and exits with 130.

A command that has results before its end runs its work in `until_interrupted`, from the first
import to the last game, and prints them in both cases. For all others, and for what happens before
the work begins, `mancala.__main__` and the command group print that nothing was finished.

Two places take no exception. The compiler crashes or goes on when one passes through it; so while
it compiles, Ctrl-C ends the process immediately, which loses nothing. A finalizer drops it; so it
is repeated. This module imports little, since Ctrl-C may come before anything else is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final, NoReturn

INTERRUPTED: Final = 130
ENDING_S: Final = 5.0
"""Seconds for which further Ctrl-C are ignored while a command ends."""
AGAIN_S: Final = 0.02
COMPILER: Final = ("numba", "llvmlite")
SHOW_CURSOR: Final = "\033[?25h"
_swallowed: Final = threading.Event()


@dataclass(slots=True)
class Interruption:
    """Whether a block was interrupted."""

    happened: bool = False

    def marked(self, result: object) -> object:
        """Return a result as JSON values, marked as ``interrupted`` if it was."""
        if not self.happened:
            return result
        from mancala.protocol import codec

        return {**codec.from_json(codec.to_json(result), dict[str, Any]), "interrupted": True}

    def conclude(
        self, result: object, text: str | Iterable[str], what_now: str, *, json: bool
    ) -> None:
        """Print what a command came to; after an interruption end, and say what to make of it."""
        from . import output

        output.show(self.marked(result), text, json=json)
        if self.happened:
            end_interrupted(what_now)


@contextmanager
def until_interrupted() -> Iterator[Interruption]:
    """Run the block until its end or Ctrl-C, and continue after it in both cases.

    After the first Ctrl-C the block has `ENDING_S` to clean up undisturbed; then another one counts
    as well. After an interrupted block Ctrl-C is ignored, so that the results can be printed.
    """
    interruption = Interruption()
    last = -ENDING_S

    def interrupt(_number: int, frame: FrameType | None) -> None:
        nonlocal last
        if _is_compiling(frame):
            _end_immediately()
        if _swallowed.is_set() or time.monotonic() - last >= ENDING_S:
            _swallowed.clear()
            last = time.monotonic()
            interruption.happened = True
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interruption
    except KeyboardInterrupt:
        interruption.happened = True
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if interruption.happened else before)


def end_interrupted(what_now: str = "", *, json: bool = False) -> NoReturn:
    """Print on stderr how to go on, or what was kept, and exit with code 130."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if json:
        sys.stdout.write('{"interrupted":true}\n')
        sys.stdout.flush()
    sys.stderr.write(f"mancala: interrupted{what_now and f'; {what_now}'}\n")
    raise SystemExit(INTERRUPTED)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in COMPILER:
            return True
        frame = frame.f_back
    return False


def _end_immediately() -> NoReturn:
    with suppress(SystemExit):
        end_interrupted("the engine was being compiled", json="--json" in sys.argv)
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def repeat_swallowed() -> None:
    """Repeat a Ctrl-C that came where no exception can pass, such as in a finalizer.

    Python prints such an exception and goes on; so the command would neither end nor be quiet.
    """
    usual = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            _swallowed.set()
            main = threading.main_thread().ident or 0
            threading.Timer(AGAIN_S, signal.pthread_kill, (main, signal.SIGINT)).start()
        else:
            usual(unraisable)

    sys.unraisablehook = hook
