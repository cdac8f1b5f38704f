"""The lines of version 2 of the dialogue with a program, in UCI's manner.

What a host writes and how an answer reads; `dialogue` says when. Section 13 of ``protocol/SPEC.md``
is the whole description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Info
from mancala.protocol.player import Choice
from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Rules
from mancala.protocol.text import decimal_number

HIGHEST_COUNT: Final = 2**53 - 1
DEEPEST_LINE: Final = 256


class ProgramGame(NamedTuple):
    """What a program learns about a game: its id, without spaces, and what else is known."""

    id: str
    control: TimeControl | None = None
    seed: int | None = None
    opponent: str = ""


NO_GAME: Final = ProgramGame("game")


def rules_line(rules: Rules) -> str:
    """Return the line that states rules: each field, so that no preset must be known."""
    named = ((field.name, getattr(rules, field.name)) for field in fields(rules))
    stated = (f"{name} {_word(value)}" for name, value in named if value is not UNSET)
    return f"rules {' '.join(stated)}"


def newgame_line(game: ProgramGame, seat: int) -> str:
    """Return the line that begins a game, or goes back to one."""
    facts = {"newgame": game.id, "seat": seat}
    if game.control is not None:
        names = ("move_ms", "bank_ms", "increment_ms", "timeout")
        facts |= {name: getattr(game.control, name) for name in names}
    facts |= {"seed": game.seed, "opponent": game.opponent or None}
    return " ".join(f"{name} {_word(it)}" for name, it in facts.items() if it is not None)


def read_choice(answer: bytes) -> Choice | None:
    """Read ``PIT [value X] [depth N] [nodes N] [exact yes|no] [pv PIT…]``; unknown words end it."""
    pit, *words = answer.decode("ascii", errors="replace").split()
    if not (pit.isascii() and pit.isdigit() and len(pit) < 4):
        return None
    known: dict[str, Any] = {}
    while words:
        name = words.pop(0)
        if name == "pv":
            known["pv"], words = tuple(_count(word, 255) for word in words[:DEEPEST_LINE]), []
        elif name in _READERS and words:
            known[name] = _READERS[name](words.pop(0))
        else:
            break
    if None in known.values() or None in known.get("pv", ()):
        return None
    return Choice(int(pit), Info(**known) if known else None)


def _word(value: object) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _count(word: str, most: int = HIGHEST_COUNT) -> int | None:
    is_whole = word.isascii() and word.isdigit() and len(word) <= len(str(most))
    return int(word) if is_whole and int(word) <= most else None


def _value(word: str) -> float | None:
    try:
        value = decimal_number(word)
    except ValueError:
        return None
    return value if isfinite(value) and abs(value) <= MAX_SEEDS_IN_ALL else None


def _exact(word: str) -> bool | None:
    return {"yes": True, "no": False}.get(word)


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "value": _value,
    "depth": _count,
    "nodes": _count,
    "exact": _exact,
}
