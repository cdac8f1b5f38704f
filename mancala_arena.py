"""The command ``mancala-arena``, outside the package that other projects overwrite.

verifiers takes a taskset's name for that of a module, so this one hands on `HardPositions`, too.

PyPI's package ``mancala`` is another program. Installed after ours it replaces
``mancala/__init__.py`` and the command ``mancala``; uninstalled, it takes them away. Nothing below
``mancala`` can be imported then, so what says so lies here.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

__all__ = ["HardPositions"]  # noqa: F822  # loaded when it is asked for
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


def __getattr__(name: str) -> object:
    """Return the taskset, which needs the extra ``eval``."""
    if name != "HardPositions":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mancala.bot.yardstick.verifiers_taskset import HardPositions  # noqa: PLC0415  # its extra

    return HardPositions


if __name__ == "__main__":
    main()
