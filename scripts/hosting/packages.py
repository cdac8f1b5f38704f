"""Packages that programs need beside the toolchains, installed once by who runs the programs.

A folder has them as each language's own installer leaves them: ``python`` (``pip install
--target``), ``node_modules`` (``npm install --prefix``) and ``java``, with jars. The sandbox shows
it to builds and programs, read-only. They are offline, so a program that asks for another package
fails; then the reason says which one.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import distributions
from itertools import chain, islice
from pathlib import Path
from typing import Final

from ..sandbox.command import LIBRARIES, NODE, PYTHON
from .handin import Files

PACKAGES: Final = "packages"
REQUIREMENTS: Final = "requirements.txt"
PACKAGE: Final = "package.json"
MOST_READ: Final = 1 << 16
"""Bytes of a list of packages that are read: hand-ins may have longer ones, but need none."""
MOST_NAMED: Final = 10
"""Missing packages that a reason names."""
NAME: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]{0,99})")
NODE_NAME: Final = re.compile(r"(?:@[\w~-][\w.~-]{0,99}/)?[\w~-][\w.~-]{0,99}", re.ASCII)
"""What npm takes for a name; nothing else may become a path."""


def installed_in(folder: Path) -> str:
    """Return the folder as programs are shown it; empty if it is none."""
    return str(folder.resolve()) if folder.is_dir() else ""


def stamp_of(packages: str) -> str:
    """Return what differs once a package was added to a folder, or removed; empty without one."""
    places = [Path(packages, name) for name in LIBRARIES] if packages else []
    return " ".join(str(place.stat().st_mtime_ns) for place in places if place.is_dir())


def missing_packages(files: Files, packages: str, beside: str) -> str:
    """Return in a sentence which packages a program asks for that are not there; empty if none.

    It names the first few of them.

    Args:
        files: what was handed in.
        packages: the folder of installed packages; empty where there is none.
        beside: where Python finds more of them, as a search path.
    """
    of_python = _missing_of_python(files, packages, beside)
    lacking = list(islice(chain(of_python, _missing_of_node(files, packages)), MOST_NAMED))
    return f"no such package is installed here: {', '.join(lacking)}" if lacking else ""


def _missing_of_python(files: Files, packages: str, beside: str) -> Iterator[str]:
    if REQUIREMENTS not in files:
        return
    places = [str(Path(packages, PYTHON)), *beside.split(":")]
    there = set[str]()
    for each in distributions(path=places):
        with suppress(FileNotFoundError):  # half installed: only `importlib_metadata` raises
            there.add(_plain(str(each.name)))
    for line in files[REQUIREMENTS].data[:MOST_READ].decode(errors="replace").splitlines():
        found = NAME.match(line)
        if found is not None and _plain(found[1]) not in there:
            yield f"{found[1]} ({REQUIREMENTS})"


def _missing_of_node(files: Files, packages: str) -> Iterator[str]:
    if PACKAGE not in files or len(files[PACKAGE].data) > MOST_READ:
        return
    folders = [path.split("/", 3)[:-1] for path in files]
    brought = {"/".join(each[1:end]) for each in folders if each[:1] == [NODE] for end in (2, 3)}
    for name in json.loads(files[PACKAGE].data).get("dependencies", {}):
        if NODE_NAME.fullmatch(name) is None or name in brought:
            continue
        if not Path(packages or "/", NODE, name).is_dir():
            yield f"{name} ({PACKAGE})"


def _plain(name: str) -> str:
    """Return the name of a distribution as all ways to write it are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
