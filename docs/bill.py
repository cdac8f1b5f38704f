"""The bill of materials of a release: what the extras of ``[all]`` install, from the lock.

``python -m docs.bill INSTALLED LOCKED FOLDER`` prints the bill of an environment (licences, who
depends on whom), with what only the lock knows (hashes, packages of other systems), and the
suppliers by the metadata of the packages installed in FOLDER.
"""

from __future__ import annotations

import json
import sys
from email.utils import parseaddr
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, cast


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
    json.dump(bill, sys.stdout, indent=1)


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
