"""Tables made of the classes whose instances they keep: a field is a column, written and read.

The class is the only description. Its table has a column for each field (:func:`columns_of`), of
the field's type, null where the field may be None. A statement takes its row from an instance by
the names of its columns (:func:`row_of`), and rows become instances again (:func:`things`). A field
that is a named tuple or a dataclass stands for the fields of that, a pair for its parts, whose
names end with their places; a message of the protocol is kept as JSON, an enumeration as its value.
A column that has another name than its field, or more to it than its type, is given with the name
of the field.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache, partial, reduce
from inspect import signature
from operator import attrgetter
from types import NoneType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import sqlalchemy as sa
from msgspec import Struct

from mancala.protocol import codec

from .statements import Row
from .writer import Statement, Transaction

T = TypeVar("T")
Make = Callable[[Any], T]
FIELD: Final = "field"
"""Under this key, a column of another name says which field it has."""
TYPES: Final = ((bool, sa.Boolean), (int, sa.Integer), (float, sa.Float), (bytes, sa.LargeBinary))
"""The types of columns, by the first of these that a field's type is; all others are texts."""
DEFAULTS: Final[dict[object, Any]] = {"": "", "True": sa.true(), "False": sa.false()}
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


def columns_of(
    kind: type, keys: int = 0, *, is_whole: bool = True, **given: sa.Column[Any]
) -> list[sa.Column[Any]]:
    """Return the columns of a class, the first ``keys`` of which are the primary key."""
    columns = []
    for place, (field, leaf) in enumerate(_leaves(kind).items()):
        if field not in given:
            given[field] = sa.Column(
                field,
                next((known for base, known in TYPES if issubclass(leaf.kind, base)), sa.Text),
                primary_key=place < keys,
                autoincrement=False,
                nullable=leaf.nullable or not is_whole,
                server_default=DEFAULTS.get(str(leaf.default)),
            )
        given[field].info[FIELD] = field
        columns.append(given[field])
    return columns


def writer_of(kind: type, statement: Statement) -> Callable[[Any, Transaction], None]:
    """Return what executes a statement with the row that an instance of a class makes."""
    make = _row_maker(statement, kind)
    return lambda thing, transaction: transaction.put(statement, make(thing))


def row_of(statement: Statement, thing: object, **more: object) -> Row:
    """Return the row that an instance makes for a statement, with further columns."""
    kind: Any = type(thing)
    return _row_maker(statement, kind)(thing) | more


def things(transaction: Transaction, kind: Callable[..., T], query: sa.Select[Any]) -> list[T]:
    make = maker_of(kind, query.selected_columns)
    return [make(row) for row in transaction.execute(query).mappings()]


def maker_of(kind: Callable[..., T], columns: Iterable[sa.ColumnElement[Any]]) -> Make[T]:
    """Return what makes an instance of a class of a row with its columns."""
    fields = {_field_of(column): str(column.key) for column in columns}
    return _maker(kind, tuple(fields.items()))


@cache
def _row_maker(statement: Statement, kind: type) -> Callable[[Any], Row]:
    """Return what makes a row of an instance: all columns, or the key of what is deleted."""
    table: Any = statement.table
    columns = table.primary_key if statement.is_delete else table.columns
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
    paths = [leaf.path.split(".") for leaf in leaves]
    is_within = any(leaf.nullable and "." in leaf.path for leaf in leaves)
    if len(leaves) > 1 and not is_within and all(path[-1].isidentifier() for path in paths):
        return attrgetter(*(leaf.path for leaf in leaves))
    return lambda thing: [reduce(_part_of, path, thing) for path in paths]


def _part_of(thing: Any, name: str) -> object:  # noqa: ANN401  # of any class, or None
    return getattr(thing, name, None) if name.isidentifier() else thing[int(name)]


def _kept_as(kind: type) -> Make[Any] | None:
    """Return what makes the value that is kept of a type; None where it is kept as it is."""
    if issubclass(kind, Struct):
        return as_text
    return attrgetter("value") if issubclass(kind, Enum) else None


def _taken_as(kind: type) -> Make[Any]:
    if issubclass(kind, Struct):
        return partial(codec.from_json, kind=kind)
    return kind if issubclass(kind, Enum) else lambda value: value


@cache
def _maker(kind: Any, columns: tuple[tuple[str, str], ...]) -> Make[Any]:  # noqa: ANN401  # a class
    """Return what makes an instance of a row, whose columns stand beside the fields they have."""
    return _whole_maker(kind, dict(columns))


def _whole_maker(kind: type, columns: Mapping[str, str], mark: str = "") -> Make[Any]:
    parts = [_part_maker(f"{mark}{each[0]}", *each[1:], columns) for each in _fields(kind)]
    make: Any = (lambda *values: values) if get_origin(kind) is tuple else kind
    return lambda row: make(*[part(row) for part in parts])


def _part_maker(field: str, kind: type, may_lack: bool, columns: Mapping[str, str]) -> Make[Any]:  # noqa: FBT001  # as `_fields` has it
    if not _is_whole(kind):
        column, take = columns[field], _taken_as(kind)
        return lambda row: None if row[column] is None else take(row[column])
    own = [columns[name] for name in _inner(field, kind)]
    make = _whole_maker(kind, columns, _mark(field, kind))
    return lambda row: None if may_lack and row[own[0]] is None else make(row)


@cache
def _leaves(kind: type) -> dict[str, Leaf]:
    """Return the values of a class that have columns, by the names of their fields."""
    leaves = {}
    for field, found, may_lack in _fields(kind):
        if _is_whole(found):
            for name, leaf in _inner(field, found).items():
                nullable = leaf.nullable or may_lack
                leaves[name] = leaf._replace(path=f"{field}.{leaf.path}", nullable=nullable)
        else:
            known = {} if get_origin(kind) else signature(kind).parameters
            default = known[field].default if field in known else None
            leaves[field] = Leaf(field, found, may_lack, default)
    return leaves


def _inner(field: str, kind: type) -> dict[str, Leaf]:
    """Return the values of a field that stands for its own fields."""
    return {f"{_mark(field, kind)}{name}": leaf for name, leaf in _leaves(kind).items()}


def _mark(field: str, kind: type) -> str:
    """Return what names the parts of a field: its own name, if they have only places."""
    return field if get_origin(kind) is tuple else ""


def _fields(kind: type) -> Iterator[tuple[str, type, bool]]:
    """Yield the name and the type of each field of a class, and whether it may be None."""
    hints = get_type_hints(kind) if get_origin(kind) is None else enumerate(get_args(kind))
    for name, hint in dict(hints).items():
        may_lack = NoneType in get_args(hint)
        yield str(name), get_args(hint)[0] if may_lack else hint, may_lack


def _is_whole(kind: type) -> bool:
    """Return whether a class stands for its fields."""
    return get_origin(kind) is tuple or is_dataclass(kind) or issubclass(kind, tuple)


def _field_of(column: Any) -> str:  # noqa: ANN401  # of any table
    return str(column.info.get(FIELD, column.name))
