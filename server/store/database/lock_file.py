"""The file beside SQLite's: its lock is the owner's, and its text says what was there."""

import os  # noqa: TID251  # the way to the store's files
from contextlib import suppress
from pathlib import Path  # noqa: TID251  # the way to the store's files
from typing import IO, Any, Final

from mancala.files import lock as lock_file

from .faults import StoreError, StoreInUseError

PRIVATE: Final = 0o600
HAS_STORE: Final = "There is a store beside this file."
IS_OPEN: Final = "It was not closed: its last commits may be in the file whose name ends with -wal."


def claim(path: str) -> IO[str]:
    """Lock a SQLite file for this process, until the returned file or the process ends.

    The file of the lock stays, and says that there was a store: one that is gone is not taken for
    one that never was.

    Raises:
        StoreInUseError: when another process owns it.
        StoreError: when the file is gone.
    """
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = Path(f"{path}.lock").open("a+")  # noqa: SIM115  # the lock lasts as long as the file
    if not lock_file(lock.fileno()):
        lock.close()
        raise StoreInUseError(path)
    if Path(path).exists():
        _note_store(lock)
    elif _has_store(lock):
        lock.close()
        raise StoreError(
            f"{path} is missing, and a server kept its store there: bring it back with {path}-wal, "
            f"or delete {path}.lock to begin with an empty one"
        )
    else:  # only its owner may read it, as it has addresses and hashes; SQLite's log follows it
        Path(path).touch(mode=PRIVATE)
    return lock


def expect_free(path: str) -> None:
    """Raise StoreInUseError where another process has the lock."""
    lock = Path(f"{path}.lock")
    if not lock.exists():
        return
    with lock.open() as file:
        if not lock_file(file.fileno(), shared=True):
            raise StoreInUseError(path)


def _has_store(lock: IO[str]) -> bool:
    lock.seek(0)
    return lock.read().startswith(HAS_STORE)


def _note_store(lock: IO[str]) -> None:
    if not _has_store(lock):
        lock.write(f"{HAS_STORE}\n")
        lock.flush()


def note_open(lock: IO[str]) -> None:
    _note_store(lock)
    lock.truncate(len(HAS_STORE) + 1)
    lock.write(f"{IS_OPEN}\n")
    lock.flush()


def unlock(lock: IO[str], _driver: object, _record: object) -> None:
    """Note that the store is closed in good order, and let others own it."""
    if not lock.closed:
        lock.truncate(len(HAS_STORE) + 1)
        lock.close()


def note_taken_over(path: str, driver: Any, _record: object) -> None:  # noqa: ANN401  # any driver's connection
    """Close a connection; note it if it took in the log of a store that was not closed."""
    driver.close()
    if lacks_log(path):
        with suppress(OSError):
            os.truncate(f"{path}.lock", len(HAS_STORE) + 1)


def lacks_log(place: str) -> bool:
    """Return whether a SQLite file was not closed, and its log is gone.

    Then its last commits are lost, unless a program of another kind has opened it since: the last
    one that closes a store takes the log over into the file.
    """
    if Path(f"{place}-wal").exists():
        return False
    with suppress(OSError):
        return IS_OPEN in Path(f"{place}.lock").read_text()
    return False
