"""The ``mancala`` command's entry point, which names what hinders it before it starts."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from mancala.extras import extra_for, missing
from mancala.rooms import ShadowedError, check

FAILED = 1


def main() -> None:
    """Run the command line; one line on stderr names a hidden package or a missing extra."""
    try:
        check()
        from scripts.mancala import main as command  # noqa: PLC0415  # ours only once checked

        command()
    except (ImportError, BaseExceptionGroup) as error:
        advice = next(_advice(error), None)
        if advice is None:
            raise
        sys.stderr.write(f"mancala: {advice}\n")
        sys.exit(FAILED)


def _advice(error: BaseException) -> Iterator[ImportError]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _advice(part)
    elif isinstance(error, ShadowedError):
        yield error
    elif isinstance(error, ModuleNotFoundError) and extra_for(error) is not None:
        yield missing(error)


if __name__ == "__main__":
    main()
