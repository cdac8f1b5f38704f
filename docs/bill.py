"""The bill of materials of a release: what the extras of ``[all]`` install, from the lock.

``python -m docs.bill INSTALLED LOCKED FOLDER`` prints the bill of an environment (licences, who
depends on whom), with what only the lock knows (hashes, packages of other systems), and the
suppliers by the metadata of the packages installed in FOLDER. It fails for a component of which
neither says the licence.
"""

from __future__ import annotations

import json
import sys
from email.utils import parseaddr
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final, cast

STATED: Final = {
    "colorama": ("BSD-3-Clause", "Jonathan Hartley"),
    "httpx2-jsfetch": ("BSD-3-Clause", "Hood Chatham"),
    "partd": ("BSD-3-Clause", "Matthew Rocklin"),
    "pywin32": ("PSF-2.0", "Mark Hammond (et al)"),
    "pywin32-ctypes": ("BSD-3-Clause", "Enthought Inc."),
    "resvg-py": ("MIT", "baseplate-admin"),
    "tzdata": ("Apache-2.0", "Python Software Foundation"),
}
"""Licence and supplier, by the licence file and the metadata of the wheel that the lock names: of
packages of other systems, none of which needs another, and of those whose metadata has no licence
of SPDX's list."""


def main(installed: str, locked: str, folder: str) -> None:
    """Print one bill made of two."""
    bill, lock = (json.loads(Path(each).read_text()) for each in (installed, locked))
    of_lock = {_key(each["name"]): each for each in lock["components"]}
    suppliers = {_key(each.name): _supplier(each) for each in distributions(path=[folder])}
    for component in bill["components"]:
        key = component["name"] = _key(component["name"])
        hashed = of_lock.pop(key)["externalReferences"]
        component["externalReferences"] = [*hashed, *component.get("externalReferences", ())]
        if supplier := suppliers[key]:
            component["supplier"] = {"name": supplier}
    bill["components"] += of_lock.values()
    for component in bill["components"]:
        _state(component)
    bill["dependencies"] += [{"ref": each["bom-ref"]} for each in of_lock.values()]
    json.dump(bill, sys.stdout, indent=1)


def _state(component: dict[str, Any]) -> None:
    """Add what a component's metadata does not say; exit where no licence is known."""
    name = component["name"]
    licence, supplier = STATED.get(name, (None, None))
    if not component.get("licenses"):
        if licence is None:
            raise SystemExit(f"{name}: no licence is known; add it to STATED")
        component["licenses"] = [{"license": {"id": licence}}]
    if supplier is not None:
        component.setdefault("supplier", {"name": supplier})


def _key(name: str) -> str:
    """Return the name of a package by which PEP 503 compares."""
    return name.lower().replace("_", "-").replace(".", "-")


def _supplier(package: Distribution) -> str:
    """Return who makes a package, or who maintains it; empty when it does not say."""
    stated = cast("Any", package.metadata)
    for field in ("Author", "Maintainer", "Author-email", "Maintainer-email"):
        if text := stated.get(field):
            return parseaddr(text)[0] or str(text)
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
