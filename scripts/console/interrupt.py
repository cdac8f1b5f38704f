"""Ctrl-C in a long command: it ends with what it has, says how to go on, and exits with 130."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import typer

from protocol import codec

INTERRUPTED: Final = 130


@dataclass(slots=True)
class Interruption:
    """Whether a block was interrupted.

    Attributes:
        happened: set when it was.
    """

    happened: bool = False

    def marked(self, result: object) -> object:
        """Return a result as JSON values, marked as ``interrupted`` if it was."""
        if not self.happened:
            return result
        return {**codec.from_json(codec.to_json(result), dict[str, Any]), "interrupted": True}


@contextmanager
def until_interrupted() -> Iterator[Interruption]:
    """Run the block until its end or Ctrl-C, and continue after it in both cases.

    Only the first Ctrl-C counts. Further ones are ignored until the process ends, while it ends its
    workers and prints what it has.
    """
    interruption = Interruption()

    def interrupt(*_: object) -> None:
        if not interruption.happened:
            interruption.happened = True
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield interruption
    except KeyboardInterrupt:
        interruption.happened = True
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN if interruption.happened else before)


def end_interrupted(what_now: str) -> NoReturn:
    """Print on stderr how to go on, and exit with code 130.

    Raises:
        typer.Exit: always.
    """
    typer.echo(f"mancala: interrupted; {what_now}", err=True)
    raise typer.Exit(INTERRUPTED)
