"""What to do where a checkout lacks the links to its rooms.

In the repository the rooms are folders beside this one, which has a relative link to each. A file
system or an archive that cannot hold links leaves small files in their place. In an installed wheel
the rooms are folders of this package.
"""

from pathlib import Path
from typing import Final

ROOMS: Final = ("protocol", "engine", "bot", "server", "scripts")
HERE: Final = Path(__file__).parent


class MissingLinksError(ImportError):
    """The checkout has no links to its rooms; the message says how to get them."""


def explained(error: ModuleNotFoundError) -> ImportError:
    """Return the error that says what to do about missing links; else the error itself."""
    package, _, room = (error.name or "").partition(".")
    if package != "mancala" or room not in ROOMS or (HERE / room).is_dir():
        return error
    return MissingLinksError(
        f"{HERE / room} is not a link to ../{room}; "
        "run `git config core.symlinks true` and `git checkout -- mancala`, or install the wheel",
        name=error.name,
    )
