"""The packages beside this one, and the check that no file of the user's hides one of them.

They have plain names: ``bot``, ``server``, ``scripts`` and so on. Python looks for a module beside
the running script first, so a user's ``bot.py`` takes the place of our package ``bot``, and what
fails then is far from the cause. The check finds where each name leads before it is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

ROOMS: Final = ("protocol", "engine", "bot", "server", "scripts")
HOME: Final = Path(__file__).resolve().parent.parent


class ShadowedError(ImportError):
    """A file or folder of the user's has the name of a package of ours, and is found first.

    Attributes:
        room: our package.
        file: what is found in its place.
    """

    def __init__(self, room: str, file: Path) -> None:
        self.room = room
        self.file = file
        culprit = file.parent if file.name == "__init__.py" else file
        kind = "folder" if culprit is not file else "file"
        super().__init__(
            f"{culprit} hides the package {room!r} of mancala-arena; "
            f"rename the {kind}, for example to {f'my_{culprit.name}'}",
            name=room,
            path=str(file),
        )


def check(rooms: Iterable[str] = ROOMS) -> None:
    """Make sure that each of these packages is ours.

    Raises:
        ShadowedError: when one is not.
    """
    for room in rooms:
        file = _found(room)
        if file is not None and file.resolve() != HOME / room / "__init__.py":
            raise ShadowedError(room, file)


def _found(room: str) -> Path | None:
    """Return the file that importing a package runs or ran; None when there is none."""
    if (loaded := sys.modules.get(room)) is not None:
        return Path(loaded.__file__) if loaded.__file__ else None
    spec = PathFinder.find_spec(room)
    return Path(spec.origin) if spec is not None and spec.origin else None
