"""The command ``mancala-arena``, outside the package that other projects overwrite.

PyPI's package ``mancala`` is another program. Installed after ours it replaces
``mancala/__init__.py`` and the command ``mancala``; uninstalled, it takes them away. Nothing below
``mancala`` can be imported then, so what says so lies here.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

MEND = "pip uninstall mancala && pip install --force-reinstall mancala-arena"


def main() -> None:
    """Run the command line, or name what lies where our package belongs."""
    try:
        from mancala import HOMES  # noqa: F401, PLC0415  # another's package has no such name
    except ImportError:
        spec = find_spec("mancala")
        place = spec and spec.origin
        found = f"{place} is another program's" if place else "mancala/__init__.py is gone"
        sys.exit(f"mancala-arena: {found}; PyPI's package mancala shares our files: {MEND}")
    from mancala.__main__ import main as command  # noqa: PLC0415  # only ours has one

    command()


if __name__ == "__main__":
    main()
