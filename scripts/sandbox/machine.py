"""This machine as a sandbox needs it: bubblewrap, Python, and the folders of the toolchains."""

import os
import shutil
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from .command import Host, ShownPath

BUBBLEWRAP: Final = "bwrap"
SYSTEM: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
SETTINGS: Final = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/etc/mono")
"""What programs under ``/usr`` are found by; beside it the settings of Java. Without its own, Mono
finds no file."""
PACKAGES: Final = "/packages"
ROOMS: Final = "/mancala-rooms"
CLIENT: Final = ("bot", "protocol")
"""The rooms that a bot in Python needs. The engine is none of them: a bot thinks for itself."""


class NoSandboxError(Exception):
    """Programs of others can't be run safely on this machine."""


def require_sandbox() -> None:
    """Raise `NoSandboxError` unless there is bubblewrap."""
    missing = [each for each in (BUBBLEWRAP, "setpriv") if shutil.which(each) is None]
    if missing:
        raise NoSandboxError(
            f"programs of others are run in a sandbox, which needs {' and '.join(missing)}:"
            " install the package bubblewrap, or state that they are trusted"
        )


@cache
def this_host() -> Host:
    python = Path(sys.base_prefix)
    views = [ShownPath("/usr", Path("/usr"))]
    if not python.is_relative_to("/usr"):
        views.append(ShownPath(str(python), python))
    views += [_system(Path(path)) for path in SYSTEM if os.path.lexists(path)]
    settings = (*map(Path, SETTINGS), *sorted(Path("/etc").glob("java-*")))
    views += [ShownPath(str(path), path) for path in settings if path.exists()]
    views += _client()
    environment = {
        "PYTHONPATH": f"{ROOMS}:{PACKAGES}",
        "PATH": f"{python}/bin:/usr/local/bin:/usr/bin:/bin",
    }
    packages = f"{_package().parent}:{_packages()}"
    return Host(os.geteuid() == 0, _python(python), tuple(views), environment, packages)


def _python(prefix: Path) -> str:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return str(prefix / "bin" / version)


def _system(path: Path) -> ShownPath:
    return ShownPath(str(path), str(path.readlink()) if path.is_symlink() else path)


def _client() -> list[ShownPath]:
    views = [
        ShownPath(f"{ROOMS}/mancala/{each.name}", each.resolve())
        for each in sorted(_package().iterdir())
        if each.suffix == ".py" or each.name in CLIENT
    ]
    packages = _packages()
    views.append(ShownPath(PACKAGES, packages))
    if (packages / "mancala").is_dir():
        views.append(ShownPath(f"{PACKAGES}/mancala", None))
    return views


def _package() -> Path:
    found = find_spec("mancala")
    return Path(found.origin or "").parent if found is not None else Path()


def _packages() -> Path:
    import msgspec  # only for where it is

    return Path(msgspec.__file__).parent.parent
