"""Tables made of the classes whose instances they keep: a field is a column, written and read.

The class is the only description. Its table has a column for each field (:func:`columns_of`), of
the field's type, null where the field may be None. A statement takes its row from an instance by
the names of its columns (:func:`row_of`), and rows become instances again (:func:`things`). A field
that is a named tuple or a dataclass stands for the fields of that; a message of the protocol is
kept as JSON, an enumeration as its value. A column that has another name than its field, or more to
it than its type, is given with the name of the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, partial, reduce
from inspect import signature
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_type_hints

from msgspec import Struct
from sqlalchemy import (
    Boolean,
    Column,
    Delete,
    Float,
    Insert,
    Integer,
    LargeBinary,
    Select,
    Text,
    false,
    true,
)

from mancala.protocol import codec

from .writer import Transaction

T = TypeVar("T")
Row = dict[str, Any]
Make = Callable[[Any], Any]
FIELD: Final = "field"
"""Under this key, a column of another name says which field it has."""
TYPES: Final = ((bool, Boolean), (int, Integer), (float, Float), (bytes, LargeBinary))
"""The types of columns, by the first of these that a field's type is; all others are texts."""
DEFAULTS: Final[dict[object, Any]] = {"": "", "True": true(), "False": false()}
"""What a column of a text or a flag has by default, by the text of the field's default."""


class Leaf(NamedTuple):
    """A value within an instance that has a column: how to get there, and what it may be."""

    path: str
    kind: type
    nullable: bool
    default: object


def as_text(part: object | None) -> str | None:
    """Return a part of a thing as JSON; None stays None."""
    return None if part is None else codec.to_json(part).decode()


def columns_of(kind: type, keys: int = 0, **given: Column[Any]) -> list[Column[Any]]:
    """Return the columns of a class, the first ``keys`` of which are the primary key."""
    columns = []
    for place, (field, leaf) in enumerate(_leaves(kind).items()):
        if field not in given:
            given[field] = Column(
                field,
                next((known for base, known in TYPES if issubclass(leaf.kind, base)), Text),
                primary_key=place < keys,
                autoincrement=False,
                nullable=leaf.nullable,
                server_default=DEFAULTS.get(str(leaf.default)),
            )
        given[field].info[FIELD] = field
        columns.append(given[field])
    return columns


def writer_of(kind: type, statement: Insert | Delete) -> Callable[[Any, Transaction], None]:
    """Return what executes a statement with the row that an instance of a class makes."""
    make = _row_maker(statement, kind)
    return lambda thing, transaction: transaction.put(statement, make(thing))


def row_of(statement: Insert | Delete, thing: object, **more: object) -> Row:
    """Return the row that an instance makes for a statement, with further columns."""
    kind: Any = type(thing)
    return _row_maker(statement, kind)(thing) | more


def things(transaction: Transaction, kind: Callable[..., T], query: Select[Any]) -> list[T]:
    """Return the instances of a class in the rows of a query."""
    columns = {_field_of(column): column.name for column in query.selected_columns}
    make = _maker(kind, tuple(columns.items()))
    return [make(row) for row in transaction.execute(query).mappings()]


@cache
def _row_maker(statement: Insert | Delete, kind: type) -> Callable[[Any], Row]:
    """Return what makes a row of an instance: all columns, or the key of what is deleted."""
    table: Any = statement.table
    columns = table.primary_key if isinstance(statement, Delete) else table.columns
    leaves = _leaves(kind)
    found = {each.name: leaves[_field_of(each)] for each in columns if _field_of(each) in leaves}
    others = [(name, make) for name, leaf in found.items() if (make := _kept_as(leaf.kind))]
    values = _values_at(tuple(found.values()))

    def made(thing: object) -> Row:
        row = dict(zip(found, values(thing), strict=True))
        for name, make in others:
            if row[name] is not None:
                row[name] = make(row[name])
        return row

    return made


def _values_at(leaves: Sequence[Leaf]) -> Callable[[object], Sequence[Any]]:
    """Return what gets the values of an instance, in one call if none of them is within None."""
    if len(leaves) > 1 and not any(leaf.nullable and "." in leaf.path for leaf in leaves):
        return attrgetter(*(leaf.path for leaf in leaves))
    paths = [leaf.path.split(".") for leaf in leaves]
    return lambda thing: [reduce(_part_of, path, thing) for path in paths]


def _part_of(thing: object, name: str) -> object:
    return getattr(thing, name, None)


def _kept_as(kind: type) -> Make | None:
    """Return what makes the value that is kept of a type; None where it is kept as it is."""
    if issubclass(kind, Struct):
        return as_text
    return attrgetter("value") if issubclass(kind, Enum) else None


def _taken_as(kind: type) -> Make:
    """Return what makes a value of a type again."""
    if issubclass(kind, Struct):
        return partial(codec.from_json, kind=kind)
    return kind if issubclass(kind, Enum) else lambda value: value


@cache
def _maker(kind: Any, columns: tuple[tuple[str, str], ...]) -> Make:  # noqa: ANN401  # a class
    """Return what makes an instance of a row, whose columns stand beside the fields they have."""
    return _whole_maker(kind, dict(columns))


def _whole_maker(kind: type, columns: Mapping[str, str]) -> Make:
    parts = [_part_maker(*field, columns) for field in _fields(kind)]
    return lambda row: kind(*[part(row) for part in parts])


def _part_maker(field: str, kind: type, is_optional: bool, columns: Mapping[str, str]) -> Make:  # noqa: FBT001  # as `_fields` has it
    if _is_whole(kind):
        make, column = _whole_maker(kind, columns), columns[next(iter(_leaves(kind)))]
        return lambda row: None if is_optional and row[column] is None else make(row)
    take, own = _taken_as(kind), columns[field]
    return lambda row: None if row[own] is None else take(row[own])


@cache
def _leaves(kind: type) -> dict[str, Leaf]:
    """Return the values of a class that have columns, by the names of their fields."""
    leaves = {}
    for name, found, is_optional in _fields(kind):
        if _is_whole(found):
            for inner, leaf in _leaves(found).items():
                nullable = leaf.nullable or is_optional
                leaves[inner] = leaf._replace(path=f"{name}.{leaf.path}", nullable=nullable)
        else:
            default = signature(kind).parameters[name].default
            leaves[name] = Leaf(name, found, is_optional, default)
    return leaves


def _fields(kind: type) -> Iterator[tuple[str, type, bool]]:
    """Yield the name and the type of each field of a class, and whether it may be None."""
    for name, hint in get_type_hints(kind).items():
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        [one] = (each for each in options if each is not NoneType)
        yield name, one, NoneType in options


def _is_whole(kind: type) -> bool:
    """Return whether a class stands for its fields."""
    return is_dataclass(kind) or issubclass(kind, tuple)


def _field_of(column: Any) -> str:  # noqa: ANN401  # of any table
    return str(column.info.get(FIELD, column.name))
