"""The interface of a logger, a structured one, and one that discards everything.

The logger is injected. ``serve`` creates a structured one; a server embedded in another program
logs nothing unless it is given a logger. No event contains a token or a session secret.
"""

import json
from datetime import UTC, datetime
from functools import partialmethod
from typing import Final, Protocol, TextIO, get_args

from ..config.settings import LogLevel

LEVELS: Final[tuple[str, ...]] = get_args(LogLevel)
"""The levels of events, the least first."""


class Log(Protocol):
    """A structured logger: an event in a few words, and its facts as keywords."""

    def debug(self, event: str, **facts: object) -> object:
        """Log an event that there are many of."""

    def info(self, event: str, **facts: object) -> object:
        """Log a normal event."""

    def warning(self, event: str, **facts: object) -> object:
        """Log an event that an organiser may want to look at."""


class NullLog:
    def debug(self, event: str, **facts: object) -> None:
        """Discard the event."""

    info = warning = debug


class PassingLog:
    def __init__(self, log: Log) -> None:
        self._log = log

    def debug(self, event: str, **facts: object) -> None:
        self._log.debug(event, **facts)

    def info(self, event: str, **facts: object) -> None:
        self._log.info(event, **facts)

    def warning(self, event: str, **facts: object) -> None:
        self._log.warning(event, **facts)


class StructuredLog:
    """A logger that writes one JSON object per line, of events of a level or above.

    It is no library's, because structlog also loads a printer for terminals: a tenth of the time in
    which each process of a server starts.
    """

    def __init__(self, stream: TextIO, level: str = "info") -> None:
        self._stream = stream
        self.set_level(level)

    def set_level(self, level: str) -> None:
        """Write events of this level or above from now on."""
        self._least = LEVELS.index(level)

    def _write(self, level: str, event: str, /, **facts: object) -> None:
        if LEVELS.index(level) >= self._least:
            now = datetime.now(UTC).isoformat().replace("+00:00", "Z")  # noqa: TID251  # it is only written down
            line = {**facts, "event": event, "level": level, "timestamp": now}
            self._stream.write(json.dumps(line, default=repr) + "\n")
            self._stream.flush()

    debug = partialmethod(_write, "debug")
    info = partialmethod(_write, "info")
    warning = partialmethod(_write, "warning")
