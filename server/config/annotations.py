"""What a setting's type says besides its kind: its range, and whether a reload takes it up.

A range stands where the type stands, so reading, ``--check-config`` and the reference of the
settings cannot differ. Every range of floats has an upper bound, which also refuses ``inf``;
``nan`` is in no range.
"""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Final, TypeAlias, TypeVar

from msgspec import Meta, Struct, inspect

from mancala.protocol.text import quantity

T = TypeVar("T")
LONGEST_DAYS: Final = 36500
LONGEST_S: Final = LONGEST_DAYS * 86400.0
MOST: Final = 2**53
TECHNICAL: Final = (MOST, LONGEST_S, 1000 * LONGEST_S)
"""Upper bounds that only keep numbers finite; the reference leaves them out."""
HIGHEST_PORT: Final = 65535
MOST_GAMES: Final = 10_000
MOST_ROUNDS: Final = 1000
HIGHEST_ELO: Final = 100_000.0

RELOADABLE: Final = "reloadable"
WEB: Final = "web"
PUBLISHER: Final = "publisher"
FILE: Final = "file"
"""Marks of settings, as :func:`marked` asks for them."""

Reloadable: TypeAlias = Annotated[T, Meta(extra={RELOADABLE: True})]
"""A setting that a running server takes up when it reloads; any other one needs a restart."""
RenewsWeb: TypeAlias = Annotated[T, Meta(extra={RELOADABLE: True, WEB: True})]
"""The same, by another web process, since that reads it when it starts."""
RenewsPublisher: TypeAlias = Annotated[T, Meta(extra={RELOADABLE: True, PUBLISHER: True})]
"""The same, by another publisher."""
ClientId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]
"""A client id of MQTT; brokers take at least 23 characters."""
File: TypeAlias = Annotated[str, Meta(extra={FILE: True})]
"""A path, relative to the configuration's folder."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=MOST)]
PositiveCount: TypeAlias = Annotated[int, Meta(ge=1, le=MOST)]
EncounterGames: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_GAMES)]
RoundCount: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_ROUNDS)]
"""Of an event, whose rounds and games are gone through with each result."""
FrontCount: TypeAlias = Annotated[int, Meta(ge=0, le=64)]
"""Processes; no machine needs more."""
EvenCount: TypeAlias = Annotated[int, Meta(ge=2, le=MOST, multiple_of=2)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=HIGHEST_PORT)]
Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=LONGEST_S)]
PositiveSeconds: TypeAlias = Annotated[float, Meta(gt=0, le=LONGEST_S)]
PositiveMilliseconds: TypeAlias = Annotated[float, Meta(gt=0, le=1000 * LONGEST_S)]
Days: TypeAlias = Annotated[float, Meta(ge=0, le=LONGEST_DAYS)]
Hour: TypeAlias = Annotated[int, Meta(ge=0, le=23)]
Rate: TypeAlias = Annotated[float, Meta(gt=0, le=MOST)]
Elo: TypeAlias = Annotated[float, Meta(ge=-HIGHEST_ELO, le=HIGHEST_ELO)]


@cache
def marked(section: type[Struct], mark: str) -> frozenset[str]:
    """Return the settings of a table whose type bears a mark."""
    return frozenset(field.name for field in fields_of(section) if _bears(field.type, mark))


def _bears(kind: inspect.Type, mark: str) -> bool:
    match kind:
        case inspect.Metadata(type=inner, extra=extra):
            return mark in (extra or {}) or _bears(inner, mark)
        case inspect.UnionType(types=types):
            return any(_bears(each, mark) for each in types)
    return False


def values_of(table: Struct, mark: str) -> Iterator[object]:
    """Yield the values of the settings that bear a mark, in the tables of this one too."""
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if name in marked(type(table), mark):
            yield value
        elif isinstance(value, Struct):
            yield from values_of(value, mark)


def fields_of(section: type[Struct]) -> tuple[inspect.Field, ...]:
    kind = inspect.type_info(section)
    if not isinstance(kind, inspect.StructType):
        raise TypeError(f"{section} is no table of settings")
    return kind.fields


def range_of(kind: inspect.Type) -> str:
    """Return what a type allows, such as ``0..65535`` or ``≥ 12 characters``; empty if all."""
    return next(_ranges(kind), "")


def _ranges(kind: inspect.Type) -> Iterator[str]:
    match kind:
        case inspect.Metadata(type=inner):
            yield from _ranges(inner)
        case inspect.UnionType(types=types):
            for each in types:
                yield from _ranges(each)
        case inspect.DictType(value_type=value):
            yield from _ranges(value)
        case inspect.IntType() | inspect.FloatType():
            yield from _range_of_number(kind)
        case inspect.StrType(min_length=None, max_length=int(most)):
            yield f"≤ {quantity(most, 'character')}"
        case inspect.StrType(min_length=int(least), max_length=None):
            yield f"≥ {quantity(least, 'character')}"
        case inspect.StrType(min_length=int(least), max_length=int(most)):
            yield f"{least}..{quantity(most, 'character')}"


def _range_of_number(kind: inspect.IntType | inspect.FloatType) -> Iterator[str]:
    if kind.multiple_of is not None:
        yield f"{', '.join(str(n * kind.multiple_of) for n in (1, 2, 3))}, …"
    elif kind.gt is not None:
        yield f"> {kind.gt:g}"
    elif kind.ge is not None:
        yield f"≥ {kind.ge:g}" if kind.le in TECHNICAL else f"{kind.ge:g}..{kind.le:g}"
