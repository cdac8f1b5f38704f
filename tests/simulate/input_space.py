"""What the worlds of a campaign have varied of what a server can be told and can answer.

A fault in a branch that needs a certain field, setting, refusal or end of a game is found only by
worlds that have it. So each message to a server is noted field by field, each setting with its
value, and each refusal with its code and its sentence. ``--inputs`` prints how many worlds had
each; what none has varied needs a reason in ``unvaried.py``, or a test fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from dataclasses import fields as fields_of
from enum import Enum
from functools import lru_cache
from typing import Final, get_args

from msgspec import Struct, inspect

from mancala.protocol import messages as wire
from tests.simulate.sentences import said_in, sentences

TWO: Final = 2
ITEMS: Final = 2
"""Items of a list that are looked at."""
MET: Final = frozenset(("", "met"))
"""The values of what is only met or not."""


@dataclass(slots=True)
class InputSpace:
    """The values that were met.

    Attributes:
        values: up to two values by field of a message (``Move.pit``, ``Hello.agent.version``) and
            setting; by kind of a field's value (``Seek.rules as str``), code and sentence of a
            refusal, and end of a game, that it was met.
    """

    values: dict[str, set[str]] = field(default_factory=dict)
    worlds: Counter[str] = field(default_factory=Counter)

    def drew(self, settings: Mapping[str, object]) -> None:
        kind = settings.get("event.format")
        for name, value in settings.items():
            self._note_value(f"setting {name}", value)
            if kind is not None:
                self._note_value(_both(f"setting {name}", str(kind)), value)

    def happened(self, event: str, state: str) -> None:
        self._meet(_both(event, state))

    def heard(self, message: wire.Message) -> None:
        kind = type(message).__name__
        self._meet(kind)
        for name in message.__struct_fields__:
            self._note(f"{kind}.{name}", getattr(message, name))

    def told(self, message: wire.Message) -> None:
        match message:
            case wire.Error(code=code, message=text):
                self._meet(f"refusal {code.value}", *said_in(text))
            case wire.GameOver(reason=reason, evidence=evidence):
                text = evidence.detail if evidence is not None else ""
                self._meet(f"end {reason.value}", *said_in(text))
            case wire.Welcome(warnings=warnings):
                self._meet(*(key for text in warnings for key in said_in(text)))
            case wire.Goodbye(reason=text) | wire.Withdrawn(why=text):
                self._meet(*said_in(text))

    def add(self, other: InputSpace) -> None:
        self.worlds.update(other.values.keys())
        for key, values in other.values.items():
            known = self.values.setdefault(key, set())
            known.update(sorted(values - known)[: TWO - len(known)])

    @property
    def unvaried(self) -> list[str]:
        return [key for key in space() if not self._is_varied(key)]

    def report(self, reasons: Mapping[str, str]) -> list[str]:
        """Return a line for each part of the space: in how many worlds, or why it is not varied."""
        return [self._line(key, reason_for(key, reasons)) for key in space()]

    def together(self, ones: Iterable[str], others: Sequence[str]) -> Iterator[str]:
        """Yield a line for each of some parts: with how many of others it was met or varied."""
        for one in ones:
            lacking = [other for other in others if not self._is_varied(_both(one, other))]
            never = f"; never with {', '.join(lacking)}" if lacking else ""
            yield f"{len(others) - len(lacking):4d} of {len(others)}  {one}{never}"

    def unexplained(self, reasons: Mapping[str, str]) -> list[str]:
        return [key for key in self.unvaried if reason_for(key, reasons) is None]

    def _line(self, key: str, reason: str | None) -> str:
        if self._is_varied(key):
            return f"{self.worlds[key]:6d}  {key}"
        return f"     -  {key}: {reason}" if reason else f"     ?  {key}: not varied"

    def _is_varied(self, key: str) -> bool:
        return len(self.values.get(key, ())) >= TWO

    def _note(self, key: str, value: object) -> None:
        self._note_value(key, value)
        self._meet(f"{key} as {type(value).__name__}")
        if isinstance(value, Enum):
            self._meet(f"{key} is {value.value}")
        for each in value[:ITEMS] if isinstance(value, tuple) else (value,):
            for name in _fields(each):
                self._note(f"{key}.{name}", getattr(each, name))

    def _note_value(self, key: str, value: object) -> None:
        known = self.values.setdefault(key, set())
        if len(known) < TWO:
            known.add(repr(value))

    def _meet(self, *keys: str) -> None:
        for key in keys:
            if key not in self.values:
                self.values[key] = set(MET)


def _both(one: str, other: str) -> str:
    return f"{one} with {other}"


def reason_for(key: str, reasons: Mapping[str, str]) -> str | None:
    """Return the reason for a key, or for its module if none of its sentences is met."""
    return reasons.get(key) or reasons.get(key.partition(": ")[0])


@lru_cache
def space() -> tuple[str, ...]:
    """Return all fields of messages to a server, refusals, ends of games, and settings."""
    from tests.simulate.knobs import EVENT_KNOBS, KNOBS, UNVARIED

    settings = sorted(f"setting {name}" for name in (*KNOBS, *EVENT_KNOBS, *UNVARIED))
    refusals = sorted(f"refusal {code.value}" for code in wire.ErrorCode)
    ends = sorted(f"end {reason.value}" for reason in wire.Reason)
    said = tuple(each.key for each in sentences())
    return (*sorted(_of_messages()), *refusals, *said, *ends, *settings)


def _fields(value: object) -> tuple[str, ...]:
    if isinstance(value, Struct):
        return value.__struct_fields__
    if is_dataclass(value) and not isinstance(value, type):
        return tuple(each.name for each in fields_of(value))
    return ()


def _of_messages() -> Iterator[str]:
    for kind in get_args(wire.ClientMessage):
        yield kind.__name__
        yield from _parts(kind.__name__, inspect.type_info(kind))


def _parts(key: str, kind: inspect.Type) -> Iterator[str]:
    match kind:
        case inspect.StructType(fields=parts) | inspect.DataclassType(fields=parts):
            for part in parts:
                yield f"{key}.{part.name}"
                yield from _parts(f"{key}.{part.name}", part.type)
        case inspect.UnionType(types=kinds):
            for each in kinds:
                yield f"{key} as {_name(each)}"
                yield from _parts(key, each)
        case inspect.EnumType(cls=members):
            yield from (f"{key} is {member.value}" for member in members)
        case inspect.VarTupleType(item_type=item):
            yield from _parts(key, item)


NAMES: Final = {
    inspect.NoneType: "NoneType",
    inspect.StrType: "str",
    inspect.IntType: "int",
    inspect.FloatType: "float",
    inspect.BoolType: "bool",
    inspect.VarTupleType: "tuple",
}


def _name(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.StructType | inspect.DataclassType | inspect.EnumType):
        return kind.cls.__name__
    return NAMES[type(kind)]
