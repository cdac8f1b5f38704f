"""A kind of player: one declaration lists it with its options, reads them, and makes the player."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mancala.extras import install_words
from mancala.protocol.text import decimal_number

from .spec import SpecError

if TYPE_CHECKING:
    from mancala.protocol.player import Player

Settings: TypeAlias = Mapping[str, Any]
"""The options that a spec names, each read as its declaration says."""
LONGEST_NUMBER: Final = 20
"""Digits; Python refuses to read numbers of thousands of them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a player.

    Attributes:
        name: as it is written in a spec.
        meaning: one phrase.
        default: as it would be written; None where leaving it out has no written form.
        range: the values allowed, in words.
        read: turns the text into a value; raises ValueError when it is out of range.
        is_outside: whether it names a program, a file or a host; what others wrote may not.
    """

    name: str
    meaning: str
    default: str | None
    range: str
    read: Callable[[str], Any]
    is_outside: bool = False


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player that can be made by name.

    Attributes:
        name: as it is written in a spec.
        meaning: how it plays, in one phrase.
        options: its options.
        make: makes the player from its options.
        check: raises SpecError where options that are fine by themselves name no player.
        needs: the extra that it needs, and packages that this one brings.
    """

    name: str
    meaning: str
    options: tuple[Option, ...]
    make: Callable[[Settings], Player]
    check: Callable[[Settings], object] = lambda _settings: None
    needs: tuple[str, tuple[str, ...]] = ("", ())

    @property
    def missing(self) -> str | None:
        """What to install before the player can be made; None when nothing is missing."""
        extra, packages = self.needs
        return None if all(map(find_spec, packages)) else install_words(extra)


def whole(name: str, meaning: str, default: int | None, *, low: int, high: float = inf) -> Option:
    """Declare a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise ValueError
        if not low <= (value := int(text)) <= high:
            raise ValueError
        return value

    span = f"{low} or more" if high == inf else f"{low}..{high}"
    return Option(name, meaning, _written(default), f"a whole number {span}", read)


def number(name: str, meaning: str, default: float | None, *, low: float, high: float) -> Option:
    """Declare a number from ``low`` to ``high``."""

    def read(text: str) -> float:
        if not low <= (value := decimal_number(text)) <= high:
            raise ValueError
        return value

    return Option(name, meaning, _written(default), f"a number {low:g}..{high:g}", read)


def seconds(name: str, meaning: str) -> Option:
    """Declare a duration in seconds, none by default."""

    def read(text: str) -> float:
        if not 0 < (value := decimal_number(text)) < inf:
            raise ValueError
        return value

    return Option(name, meaning, None, "seconds above 0", read)


def one_of(name: str, meaning: str, default: str, choices: Mapping[str, object]) -> Option:
    """Declare a choice by name; it is read as what the name stands for."""

    def read(text: str) -> object:
        if text not in choices:
            raise ValueError
        return choices[text]

    return Option(name, meaning, default, f"one of {', '.join(choices)}", read)


def text(name: str, meaning: str, what: str) -> Option:
    """Declare the name of a program or file; ``what`` describes it."""
    return Option(name, meaning, None, what, str, is_outside=True)


def read_options(player: str, declared: Iterable[Option], written: Mapping[str, str]) -> Settings:
    """Read the options of a spec; SpecError says what would be allowed."""
    known = {option.name: option for option in declared}
    for key in written:
        if key not in known:
            names = ", ".join(known) or "none"
            raise SpecError(f"{player} has no option {key!r}{nearest(key, known)}; known: {names}")
    return {key: _read(player, known[key], value) for key, value in written.items()}


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the known name most like a mistyped one, or nothing."""
    close = get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _read(player: str, option: Option, value: str) -> Any:  # noqa: ANN401  # each option has a type of its own
    try:
        return option.read(value)
    except ValueError:
        raise SpecError(f"{player}: {option.name} must be {option.range}, not {value!r}") from None


def _written(default: float | None) -> str | None:
    return None if default is None else f"{default:g}"
