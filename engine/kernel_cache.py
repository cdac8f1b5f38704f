"""Where compiled kernels are cached, and which processes share them.

The machine code depends on the files of `kernels`, on numba, llvmlite, Python and the processor,
not on the place of the files. So there is one folder for each such combination, in the user's cache
directory: ``$XDG_CACHE_HOME/mancala-arena/kernels-STAMP``, or below ``NUMBA_CACHE_DIR`` where that
is set. All checkouts and environments of one version share it, and the second compiles nothing. An
edit anywhere in them leads to another folder; numba's own cache compares a kernel with the
file that holds it, and uses old machine code where a helper was edited in another file, silently
(numba issue 1833). Folders that no process has used for a month are removed.

What the cache holds is unpickled and executed. A folder is used only if it belongs to this user and
no other user can write to it, nor put another in its place. Where there is none, or no room in it,
each process compiles for itself, and :func:`refusal` says why. A folder that holds all kernels
serves from a full or read-only disk as well.

This file does not load numba, so that a command knows in milliseconds whether it has to compile.
"""

import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Final

import llvmlite.binding as ll

PACKAGE: Final = Path(__file__).resolve().parent / "kernels"
"""The compiled code; see `mancala.engine.kernels`."""
NAME: Final = "kernels-"
"""What the names of the folders begin with."""
MARK: Final = "compiled"
"""The file that marks a folder as holding every kernel."""
IS_INTERPRETED: Final = os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}
"""Whether kernels run as plain Python."""
ROOM: Final = 8 << 20
"""Bytes that the kernels take, with some to spare."""
PRIVATE: Final = 0o700
USED_S: Final = 24 * 3600.0
"""Age from which a folder's use is noted again."""
STALE_S: Final = 30 * 24 * 3600.0
"""Age from which an unused folder is removed."""


class UnsafeFolderError(OSError):
    """A folder of compiled kernels could have been written by another user."""


def default_cache() -> Path:
    """Return the directory for what can be computed again: ``$XDG_CACHE_HOME/mancala-arena``."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "mancala-arena"


@cache
def package_stamp() -> str:
    """Return a hash of all that machine code depends on: the kernels, their compiler, the CPU."""
    bounds, features = os.environ.get("NUMBA_BOUNDSCHECK"), ll.get_host_cpu_features().flatten()
    versions = f"{version('numba')} {version('llvmlite')} {sys.implementation.cache_tag}"
    facts = f"{versions} {ll.get_host_cpu_name()} {features} {bounds}"
    digest = blake2b(facts.encode(), digest_size=16)
    for path in sorted(PACKAGE.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def cache_folder() -> Path | None:
    """Return the directory of this version's kernels; None where none is safe and writable."""
    return _found()[0]


def is_compiled() -> bool:
    """Return whether this version's kernels are in the cache; True where nothing is compiled."""
    if IS_INTERPRETED:
        return True
    folder = cache_folder()
    return folder is not None and (folder / MARK).exists()


def mark_compiled() -> None:
    """Note that the cache holds every kernel, unless one is not kept or none is compiled."""
    folder = cache_folder()
    if not IS_INTERPRETED and folder is not None and refusal() is None:
        with suppress(OSError):
            (folder / MARK).touch()


def refusal() -> str | None:
    """Return why compiled kernels are not kept, in a sentence; None where they are."""
    return _found()[1] or next(iter(_lost()), None)


def give_up(error: OSError) -> None:
    """Note that a kernel could not be kept, for :func:`refusal`."""
    folder, _ = _found()
    _lost().append(_sentence(str(folder), error))


@cache
def _lost() -> list[str]:
    return []


def _sentence(place: str, error: OSError) -> str:
    reason = str(error) if isinstance(error, UnsafeFolderError) else f"{place}: {error.strerror}"
    return f"compiled kernels are not kept, so that each process compiles its own: {reason}"


@cache
def _found() -> tuple[Path | None, str | None]:
    asked = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(asked) if asked else default_cache()
    try:
        folder = prepared(root)
    except OSError as error:
        return None, _sentence(str(root), error)
    sweep(root, folder)
    return folder, None


def prepared(root: Path) -> Path:
    """Return the folder of this version's kernels below a directory, made where it is missing.

    UnsafeFolderError where another user could write to it, or exchange it; OSError where it cannot
    be made, or has no room for kernels that are still to come.
    """
    folder = root / f"{NAME}{package_stamp()}"
    if not folder.exists():
        root.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        folder.mkdir(exist_ok=True, mode=PRIVATE)
    found, above = folder.lstat(), root.stat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or _is_shared(found):
        raise UnsafeFolderError(f"{folder} is not a folder that only you can write to")
    if above.st_uid not in {0, os.geteuid()} or (
        _is_shared(above) and not above.st_mode & stat.S_ISVTX
    ):
        raise UnsafeFolderError(f"other users can write to {root}")
    if not (folder / MARK).exists():
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    return folder


def _is_shared(found: os.stat_result) -> bool:
    """Return whether others may write; a group with the user's own number has no other members."""
    of_group = found.st_mode & stat.S_IWGRP and found.st_gid != found.st_uid
    return bool(found.st_mode & stat.S_IWOTH or of_group)


def sweep(root: Path, folder: Path) -> None:
    """Note that a folder is used, and remove those that were not for long."""
    now = time.time()
    with suppress(OSError):
        if folder.stat().st_mtime < now - USED_S:
            os.utime(folder)
        for other in root.glob(f"{NAME}*"):
            if other.lstat().st_mtime < now - STALE_S and not other.is_symlink():
                shutil.rmtree(other, ignore_errors=True)
