"""Output of every command: one JSON object or text on stdout, errors and progress on stderr."""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import typer

from mancala.extras import install_words
from mancala.protocol import codec
from mancala.protocol.text import for_terminal, json_for_terminal

DEBUG = "--debug"
"""The option of the command line that has a traceback come before an error's sentence."""
SAY_S = 30.0
"""Seconds between two lines that say how far a work is, where no bar can be drawn."""
FAILED = 1
USAGE = 2


def say(text: str, *, err: bool = False) -> None:
    """Print a text, with all escaped in it that a terminal obeys or hides."""
    typer.echo(for_terminal(text), err=err)


def emit(result: object) -> None:
    """Print one JSON object on stdout, and nothing else there."""
    typer.echo(json_for_terminal(codec.to_json(result).decode()))


def log_warnings(command: str) -> None:
    """Print warnings that are logged on stderr, as by :func:`say`."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Plain(f"mancala {command}: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _Plain(logging.Formatter):
    """Formats records for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return for_terminal(super().format(record))


def show(result: object, text: str | Iterable[str], *, json: bool) -> None:
    """Print a result on stdout, as one JSON object with ``json`` and as text or lines without."""
    if json:
        emit(result)
    else:
        for line in (text,) if isinstance(text, str) else text:
            say(line)
    sys.stdout.flush()


@contextmanager
def bad_input(*kinds: type[Exception], at: Path | str | None = None) -> Iterator[None]:
    """Report errors of the block as bad input, by default each :class:`ValueError`."""
    caught = kinds or (ValueError,)
    try:
        yield
    except caught as error:
        fail(error, at=at)


@contextmanager
def failing_on(*kinds: type[Exception], at: Path | str | None = None) -> Iterator[None]:
    """Report errors of these kinds in the block as a failure, which is no fault of the input."""
    try:
        yield
    except kinds as error:
        fail(error, at=at, code=FAILED)


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None]]:
    """Yield a callback for progress: done, total, and perhaps what is done now.

    A bar on stderr appears on its first call.
    """
    if not sys.stderr.isatty():
        with said_now_and_then(what) as said:
            yield lambda done, total, _now=what: said(f"{done} of {total}")
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)

    def update(done: int, total: int, now: str = what) -> None:
        bar.start()
        bar.update(task, completed=done, total=total, description=now)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def counted(what: str, total: int, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a callback for the count so far, drawn as a bar on stderr unless ``quiet``."""
    if quiet:
        yield lambda _: None
        return
    with progress(what) as update:
        update(0, total)
        yield lambda done: update(done, total)


@contextmanager
def said_now_and_then(what: str) -> Iterator[Callable[[str], None]]:
    """Yield a callback for how far a work is, of which a thread says the last every `SAY_S`."""
    over, state = threading.Event(), [""]
    began = time.monotonic()

    def repeat() -> None:
        while not over.wait(SAY_S):
            if state[0]:
                say(f"mancala: {what}: {state[0]}, {time.monotonic() - began:.0f} s", err=True)

    def update(text: str) -> None:
        state[0] = text

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield update
    finally:
        over.set()
        thread.join()


def described(error: BaseException) -> str:
    """Return an error as one line; one of the system as ``path: reason``, without its number."""
    if isinstance(error, OSError) and error.strerror:
        reason = error.strerror[:1].lower() + error.strerror[1:]
        return f"{error.filename}: {reason}" if error.filename else reason
    if isinstance(error, UnicodeDecodeError):
        return "not text in UTF-8"
    return " ".join(str(error).split())


def fail(
    problem: str | BaseException,
    *,
    at: Path | str | None = None,
    hint: str = "",
    code: int = USAGE,
) -> NoReturn:
    """Print an error on stderr and exit: code 2 for bad usage or input, 1 for a failure.

    The line begins with the file or the option that is at fault, if one is given, and names it
    once; it ends with the hint, what to do now.
    """
    if DEBUG in sys.argv and isinstance(problem, BaseException):
        traceback.print_exception(problem)
    reason = problem if isinstance(problem, str) else described(problem)
    if at and not reason.startswith(f"{at}: "):
        reason = f"{at}: {reason}"
    if hint:
        reason = f"{reason}; {hint}"
    say(f"mancala: {reason}", err=True)
    raise typer.Exit(code)


def expect_installed(what: str, extra: str, *packages: str) -> None:
    """Check that the packages of an extra are there; exit with code 1 where one is not."""
    if not all(map(find_spec, packages)):
        fail(f"{what} needs more: {install_words(extra)}", code=FAILED)


def expect_writable(path: Path) -> None:
    """Check that a file can be written, before the long work that makes its content."""
    if path.is_dir():
        fail("is a directory", at=path)
    if not path.parent.is_dir():
        fail("no such directory", at=path.parent)
