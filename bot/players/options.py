"""How an option of a player is declared, listed and read: one declaration does all three."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any, Final, TypeAlias

from mancala.protocol.text import decimal_number

from .spec import SpecError

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


def whole(
    name: str, meaning: str, default: int | None, *, low: int, high: int | None = None
) -> Option:
    """Declare a whole number from ``low`` to ``high``; without ``high`` there is no upper limit."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise ValueError
        number = int(text)
        if number < low or (high is not None and number > high):
            raise ValueError
        return number

    span = f"{low}..{high}" if high is not None else f"{low} or more"
    return Option(name, meaning, _written(default), f"a whole number {span}", read)


def number(name: str, meaning: str, default: float | None, *, low: float, high: float) -> Option:
    """Declare a number from ``low`` to ``high``."""

    def read(text: str) -> float:
        value = decimal_number(text)
        if not (isfinite(value) and low <= value <= high):
            raise ValueError
        return value

    return Option(name, meaning, _written(default), f"a number {low:g}..{high:g}", read)


def seconds(name: str, meaning: str) -> Option:
    """Declare a duration in seconds, none by default."""

    def read(text: str) -> float:
        value = decimal_number(text)
        if not (isfinite(value) and value > 0):
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
    """Read the options of a spec.

    Raises:
        SpecError: when one is unknown or out of range; the message says what is allowed.
    """
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
