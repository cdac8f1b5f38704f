"""How a player is written: ``name[:key=value,…]``, such as ``minimax:depth=5``.

``cmd:PROGRAM`` is the exception. A command line may hold commas, equals signs, colons and spaces,
so everything after the first colon is the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

PROGRAM: Final = "program"
"""The one option of a ``cmd`` player: its command line."""
START_UP: Final = "start_up_s"
"""The setting of a ``cmd`` player that its host adds: the start-up allowance."""


class SpecError(ValueError):
    """A spec that names no player; the message says what is known."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player's name and options as written, not yet checked against the registry.

    Attributes:
        name: which player, such as ``minimax``.
        options: its settings as they were written; ``{"program": …}`` for ``cmd``.
    """

    name: str
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> PlayerSpec:
        """Read ``name[:key=value,…]`` or ``cmd:PROGRAM``.

        Raises:
            SpecError: when the name or an option is missing, malformed or given twice.
        """
        name, _, rest = text.partition(":")
        name = name.strip()
        if not name:
            raise SpecError(f"a player is written name[:key=value,…], not {text!r}")
        if name == "cmd":
            return cls(name, {PROGRAM: _program(rest)})
        return cls(name, _options(rest))

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads back."""
        if self.name == "cmd":
            return f"cmd:{self.options[PROGRAM]}"
        options = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}:{options}" if options else self.name


def _program(text: str) -> str:
    if not text.strip():
        raise SpecError("cmd needs a program: cmd:PROGRAM")
    return text.strip()


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in text.split(",") if text.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise SpecError(f"an option is written key=value, not {part!r}")
        if key in options:
            raise SpecError(f"the option {key!r} is given twice")
        options[key] = value
    return options
