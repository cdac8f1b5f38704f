"""What surrounds a command: its streams may be closed, full or in ASCII, its user without a home.

None of it is a fault of the program, so each ends with one sentence and code 1.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

FAILED: Final = 1
DEBUG: Final = "--debug"
STANDARD: Final = 2
"""The last descriptor of a standard stream."""
FEWEST_FILES: Final = 64
"""With half as many a server fails while it starts; one that listens has its bots' beside them."""


@contextmanager
def surrounded() -> Iterator[None]:
    """Run a command: what the system denies it is one sentence, unless ``--debug`` is given."""
    _open_closed_streams()
    try:
        _expect_folder_and_home()
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        if DEBUG in sys.argv:
            raise
        if error.errno != errno.EPIPE:
            with suppress(OSError):
                sys.stderr.write(f"mancala: {_sentence(error)}\n")
        _discard_output()
        sys.exit(FAILED)


def allow_many_connections() -> None:
    """Raise the soft limit of open files, often 1024, to what the system allows."""
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < FEWEST_FILES:
        raise OSError(
            f"a server opens {FEWEST_FILES} files or more, and this shell allows {hard}: "
            "raise `ulimit -n`, or LimitNOFILE of the unit"
        )
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _open_closed_streams() -> None:
    """Lead closed streams nowhere, so that no file takes their place; escape what one can't say."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= STANDARD:
        pass
    os.close(opened)
    sys.stdin = sys.stdin or os.fdopen(0, "r")
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _expect_folder_and_home() -> None:
    """Refuse a working folder that is gone; a user without a home folder has one that is empty."""
    try:
        Path.cwd()
    except FileNotFoundError as error:
        raise OSError(errno.ENOENT, "the working directory is gone") from error
    try:
        Path.home()
    except RuntimeError:  # an unknown user, as in a container
        os.environ["HOME"] = "/nonexistent"


def _sentence(error: OSError) -> str:
    reason = (error.strerror or str(error)).rstrip(".")
    reason = reason[:1].lower() + reason[1:]
    if error.filename:
        return f"{error.filename}: {reason}"
    return f"cannot print: {reason}" if error.errno == errno.ENOSPC else reason


def _discard_output() -> None:
    """Let the end of the interpreter write what is left of the output nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
