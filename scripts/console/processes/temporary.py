"""Temporary folders that are removed in the end, also those of a process that was killed."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from mancala.files import lock, open_locked

LOCK: Final = ".lock"
"""The file that is locked while the folder is in use; the kernel unlocks it when its owner ends."""


class ServedArena(Struct, frozen=True):
    """The line that ``mancala serve --json`` prints when it listens.

    Without a broker, a page or a health port of its own, ``mqtt``, ``http`` or ``health`` is None.
    """

    server: str
    url: str
    mqtt: str | None
    prefix: str
    http: str | None = None
    health: str | None = None
    kgp: tuple[str, ...] = ()


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Yield a folder ``mancala-PURPOSE-…``; it is removed after the block."""
    prefix = f"mancala-{purpose}-"
    _sweep(prefix)
    with (
        tempfile.TemporaryDirectory(prefix=prefix) as name,
        open_locked(Path(name, LOCK), mode=0o600),
    ):
        yield Path(name)


def _sweep(prefix: str) -> None:
    if sys.platform == "win32":  # without locks, folders in use look abandoned
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            if not folder.is_symlink() and folder.stat().st_uid == os.getuid():
                _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder whose lock is free; one without a lock is just being made."""
    with (folder / LOCK).open("r+b") as file:
        if lock(file.fileno()):
            shutil.rmtree(folder)
