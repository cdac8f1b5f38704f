"""Variants of the rules: what `Rules` may say, as text and as a key, and the presets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import lru_cache
from typing import Final

from msgspec import UNSET, UnsetType

from mancala.plugins import Plugged, PluginGroup

from .text import quantity, whole_number

MAX_PITS: Final = 16
MAX_SEEDS_IN_ALL: Final = 255
AT_START: Final = frozenset({"seeds"})
"""Fields of `Rules` that say only how a game starts; each other one affects play."""
KEY_PARTS: Final = {"pits": "{}", "capture": "{}", "relap": "relap={}", "majority": "majority={}"}
"""Parts of every `Rules.key`. A later rule adds its part only where it is in force, so that keys in
stored data stay as they are."""
LATER: Final = ("pie", "first_again", "relay", "keep_one", "even", "empty_takes", "oware")
"""Rules that JSON holds only where they are in force."""


class InvalidPositionError(ValueError):
    """A text, state or set of rules is not valid."""


class UnknownRuleError(InvalidPositionError):
    """Rules are in force that a part of the program does not know."""

    def __init__(self, part: str, rules: tuple[str, ...]) -> None:
        self.rules = rules
        super().__init__(f"{part} cannot play the rules {', '.join(rules)}")


class Capture(StrEnum):
    """What is captured when the last seed falls into an empty pit of the mover."""

    OPPOSITE = "opposite"
    """The seeds of both pits if the opposite pit holds any; otherwise nothing."""
    ALWAYS = "always"
    """The seeds of both pits, even if the opposite pit is empty."""
    NONE = "none"
    """Nothing."""


@dataclass(frozen=True, slots=True, repr=False)
class Rules:
    """A variant of the rules of Kalah(pits, seeds).

    Attributes:
        pits: pits in each row, 1 to 16.
        seeds: seeds in each pit at the start; at most 255 in all pits together.
        capture: what a last seed in an empty pit of the mover captures.
        relap: sow again when the last seed falls into its starting pit.
        majority: end the game once a store holds more than half of all seeds.
        pie: player 1 may change sides in place of the first sowing of its first turn. ``False``
            becomes ``UNSET``, so that JSON holds the field only where it is in force.
        first_again: the sowing of the start gives a further turn where it ends in the store.
            ``True`` becomes ``UNSET``.
        relay: sow on from the pit of the last seed if it held any. From here on ``False`` becomes
            ``UNSET``.
        keep_one: the first seed falls back into the pit that is sown, unless it is the only one.
        even: the last seed captures a pit of the other row whose seeds it makes even.
        empty_takes: what is left at the end goes to the player whose row is empty.
        oware: sow, capture and end as in Oware; of the other rules only ``pie`` goes with it.

    Raises:
        InvalidPositionError: when there are too few or too many pits or seeds, or rules that
            exclude each other.
    """

    pits: int = 6
    seeds: int = 4
    capture: Capture = Capture.OPPOSITE
    relap: bool = False
    majority: bool = False
    pie: bool | UnsetType = UNSET
    first_again: bool | UnsetType = UNSET
    relay: bool | UnsetType = UNSET
    keep_one: bool | UnsetType = UNSET
    even: bool | UnsetType = UNSET
    empty_takes: bool | UnsetType = UNSET
    oware: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        for name in LATER:
            if getattr(self, name) is not (name != "first_again"):
                object.__setattr__(self, name, UNSET)
        if not 1 <= self.pits <= MAX_PITS:
            raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {self.pits}")
        if self.seeds < 1:
            raise InvalidPositionError(f"seeds must be 1 or more, not {self.seeds}")
        if 2 * self.pits * self.seeds > MAX_SEEDS_IN_ALL:
            total = 2 * self.pits * self.seeds
            raise InvalidPositionError(
                f"{quantity(total, 'seed')} in all; the limit is {MAX_SEEDS_IN_ALL}"
            )
        if self.oware and (others := _besides(self, {"pits", "pie", "oware"})):
            raise InvalidPositionError(f"the rule oware does not go with {', '.join(others)}")

    @classmethod
    def of(cls, rules: Rules | str) -> Rules:
        """Return rules that may be written as text; InvalidPositionError where it is none."""
        return cls.parse(rules) if isinstance(rules, str) else rules

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read ``PRESET`` or ``PRESET:key=value,…``, such as ``kalah:pits=5,seeds=3``.

        Raises:
            InvalidPositionError: for an unknown preset, key or value, or a key that stands twice.
        """
        name, _, options = text.partition(":")
        try:
            preset = PLUGGED[name]
        except KeyError:
            known = ", ".join(PLUGGED)
            raise InvalidPositionError(f"no rules named {name!r}; known: {known}") from None
        except ImportError as error:
            raise InvalidPositionError(str(error)) from error
        changes: dict[str, object] = {}
        for key, value in (_rule_option(option) for option in options.split(",") if option):
            if key in changes:
                raise InvalidPositionError(f"the rule {key!r} is given twice")
            changes[key] = value
        return replace(preset, **changes)  # type: ignore[arg-type]  # typed by _rule_option

    @property
    def key(self) -> str:
        """Key of the rules that affect play (not the start), such as stored data holds.

        What is exact under a key is exact under all rules that have it.
        """
        return _key_of(self)

    @property
    def is_kalah(self) -> bool:
        """Whether only the size of the board differs from the preset ``kalah``."""
        return self.key == replace(KALAH, pits=self.pits).key

    @property
    def is_family(self) -> bool:
        """Whether seeds are sown, captured or left otherwise than in Kalah, as in `FAMILY`."""
        others = self.relay, self.keep_one, self.even, self.empty_takes, self.oware
        return any(others) or self.capture is Capture.NONE

    @property
    def opens(self) -> bool:
        """Whether a rule of a game's first turns is in force."""
        return bool(self.pie) or self.first_again is False

    @property
    def without_pie(self) -> Rules:
        """The same rules after a game's first turns."""
        return replace(self, pie=False, first_again=True) if self.opens else self

    def require_known(self, known: Collection[str], part: str) -> None:
        """Refuse rules in force that a part of the program does not know.

        Args:
            known: the fields that it takes into account.
            part: what it is, for the error.

        Raises:
            UnknownRuleError: when another field that affects play is not at its default.
        """
        if unknown := _besides(self, known):
            raise UnknownRuleError(part, unknown)

    def __repr__(self) -> str:
        """Return an expression that makes the same rules, such as ``Rules.parse('kalah')``."""
        return f"Rules.parse({str(self)!r})"

    def __str__(self) -> str:
        """Return the shortest text that :meth:`parse` reads back wherever this program runs."""
        alike = sorted(PRESETS, key=lambda name: len(_differences(self, PRESETS[name])))
        changes = ",".join(
            f"{key}={str(value).lower()}" for key, value in _differences(self, PRESETS[alike[0]])
        )
        return f"{alike[0]}:{changes}" if changes else alike[0]


def _affecting_play(rules: Rules) -> Iterator[tuple[str, object, object]]:
    for each in fields(rules):
        if each.name not in AT_START:
            yield each.name, getattr(rules, each.name), each.default


def _besides(rules: Rules, known: Collection[str]) -> tuple[str, ...]:
    """Return the fields that affect play, are not at their default, and are not among others."""
    return tuple(
        name
        for name, value, default in _affecting_play(rules)
        if name not in known and value != default
    )


@lru_cache
def _key_of(rules: Rules) -> str:
    """Return the key of rules, for which a search asks ten times before it begins."""
    return " ".join(
        KEY_PARTS.get(name, f"{name}={{}}").format(value)
        for name, value, default in _affecting_play(rules)
        if name in KEY_PARTS or value != default
    )


PRESETS: Final = {
    "kalah": Rules(),
    "kalah-empty-capture": Rules(capture=Capture.ALWAYS),
    "article": Rules(relap=True, majority=True),
}
"""Those that texts of rules name, since all peers know them; `Rules.parse` knows others."""
KALAH: Final = PRESETS["kalah"]
MANCHESTER: Final = Rules(pits=7, seeds=7, pie=True, first_again=False)
"""As the course of Manchester plays; a preset by its name, which knows rules of the first turns."""
FAMILY: Final = {
    "avalanche": Rules(capture=Capture.NONE, relay=True),
    "congkak": Rules(pits=7, seeds=7, relay=True),
    "mangala": Rules(keep_one=True, even=True, empty_takes=True),
}
"""The games that sow through the mover's store; docs/values.md has the sources of their rules."""
OWARE: Final = Rules(oware=True)
PLUGGED: Final = Plugged(
    PluginGroup.RULES, Rules, {**PRESETS, "manchester": MANCHESTER, **FAMILY, "oware": OWARE}
)
"""The presets, and those of plug-ins. Peers may lack these, so no text that is sent names them."""

_DEFAULTS: Final = {field.name: field.default for field in fields(Rules)}


def _differences(rules: Rules, base: Rules) -> list[tuple[str, object]]:
    values = [(field.name, getattr(rules, field.name), field.default) for field in fields(rules)]
    return [
        (name, value) for name, value, default in values if value != getattr(base, name, default)
    ]


def _rule_option(option: str) -> tuple[str, object]:
    key, _, text = option.partition("=")
    if key not in _DEFAULTS:
        raise InvalidPositionError(f"no rule named {key!r}; known: {', '.join(_DEFAULTS)}")
    read, expected = _reader_of(_DEFAULTS[key])
    try:
        return key, read(text)
    except (ValueError, KeyError):
        raise InvalidPositionError(
            f"{text!r} is no value for the rule {key!r}; expected {expected}"
        ) from None


def _reader_of(default: object) -> tuple[Callable[[str], object], str]:
    """Return what reads a value of a rule, by the type of its default, and what it expects."""
    match default:
        case bool() | UnsetType():
            return {"true": True, "false": False}.__getitem__, "true or false"
        case StrEnum():
            return type(default), " or ".join(type(default))
        case _:
            return whole_number, "a whole number"
