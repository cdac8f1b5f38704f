"""Where compiled kernels are cached, and when a cached one is out of date.

numba's own cache compares a kernel with the file that holds it. A helper that is edited in another
file leaves the old machine code in use, silently (numba issue 1833). The locator here stamps every
kernel of this package with a hash of all files of the package, so an edit anywhere recompiles
every kernel. The stamp is also in the names of the cache files: numba unpickles an index before
it compares the stamp, which fails where a class was renamed or moved since. Directories are chosen
as numba chooses them: ``NUMBA_CACHE_DIR``, else ``__pycache__`` beside the file, else the user's
cache directory.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol, cast

from numba.core import caching

PACKAGE: Final = Path(__file__).resolve().parent


class Locator(Protocol):
    """What numba's cache asks a locator; numba ships no types for it."""

    def ensure_cache_path(self) -> None:
        """Create the directory of the cache files; OSError where it is not writable."""

    def get_cache_path(self) -> str:
        """Return the directory of the cache files."""

    def get_disambiguator(self) -> str:
        """Return what distinguishes functions of one name in one file."""


@cache
def package_stamp() -> str:
    """Return a hash of the names and contents of all Python files of this package."""
    digest = blake2b(digest_size=16)
    for path in sorted(PACKAGE.glob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


class PackageLocator:
    """A locator of numba's with the stamp of the whole package.

    Args:
        inner: numba's locator, which chose the directory.
    """

    def __init__(self, inner: Locator) -> None:
        self._inner = inner

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> PackageLocator | None:
        """Return a locator for a function of this package; None for any other function."""
        if Path(file).resolve().parent != PACKAGE:
            return None
        names = ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator")
        for name in names:
            inner = cast("Locator | None", vars(caching)[name].from_function(function, file))
            if inner is not None:
                return cls(inner)
        return None

    def ensure_cache_path(self) -> None:
        """Create the directory of the cache files, and remove those of other versions.

        Raises:
            OSError: where it is not writable.
        """
        self._inner.ensure_cache_path()
        _sweep(Path(self.get_cache_path()))

    def get_cache_path(self) -> str:
        """Return the directory of the cache files."""
        return self._inner.get_cache_path()

    def get_disambiguator(self) -> str:
        """Return what distinguishes functions of one name in one file, and versions of them."""
        return f"{self._inner.get_disambiguator()}-{package_stamp()}"

    def get_source_stamp(self) -> str:
        """Return what has to be unchanged for a cached kernel to be used."""
        return package_stamp()


@cache
def _sweep(folder: Path) -> None:
    """Remove the cache files of other versions of this package; once a process."""
    for path in folder.glob("*.nb[ci]"):
        if package_stamp() not in path.name:
            with suppress(OSError):
                path.unlink()


def cache_folder() -> Path | None:
    """Return the directory of the cache files of this package; None where none is writable."""
    found = PackageLocator.from_function(cache_folder, __file__)
    return None if found is None else Path(found.get_cache_path())


@cache
def register() -> None:
    """Have numba ask :class:`PackageLocator` before its own locators; once a process."""
    vars(caching.CacheImpl)["_locator_classes"].insert(0, PackageLocator)
