"""Anything a type allows, for hypothesis: read off the msgspec types, limits included."""

from typing import Any, Final

import msgspec.inspect as shape
from hypothesis import strategies as st

from mancala.protocol.clock import LONGEST_MS, TimeControl, TimeoutPolicy
from mancala.protocol.rules import MAX_SEEDS_IN_ALL, Board, Capture, Rules

FAMILY_RULES: Final = ("relay", "keep_one", "even", "empty_takes")
LARGEST: Final = 2**53 - 1
LONGEST: Final = 20
"""The most items of a list."""
EXAMPLES_A_TYPE: Final = 30
"""Examples of a property that is tried with each of some hundred types."""
CHARACTERS: Final = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufffe\uffff"
)
"""What a client's text may hold."""


@st.composite
def rules(draw: st.DrawFn, max_pits: int = 16) -> Rules:
    """Any mix of rules."""
    pits = draw(st.integers(1, max_pits))
    return Rules(
        pits,
        draw(st.integers(1, MAX_SEEDS_IN_ALL // (2 * pits))),
        draw(st.sampled_from(Capture)),
        draw(st.booleans()),
        draw(st.booleans()),
        **draw(st.fixed_dictionaries({}, optional=dict.fromkeys(FAMILY_RULES, st.booleans()))),
    )


@st.composite
def boards(draw: st.DrawFn, max_pits: int = 16) -> Board:
    """Any position, reachable or not, of any mix of rules."""
    variant = draw(rules(max_pits))
    count = st.integers(0, MAX_SEEDS_IN_ALL // (2 * variant.pits + 2))
    row = st.tuples(*[count] * variant.pits)
    return Board(
        variant, draw(st.tuples(row, row)), draw(st.tuples(count, count)), draw(st.integers(0, 1))
    )


time_controls: Final = st.builds(
    TimeControl,
    st.integers(1, LONGEST_MS),
    st.none() | st.integers(1, LONGEST_MS),
    st.integers(0, LONGEST_MS),
    st.sampled_from(TimeoutPolicy),
)
_CHOSEN: Final[dict[type, st.SearchStrategy[Any]]] = {Rules: rules(), TimeControl: time_controls}


def values(kind: object) -> st.SearchStrategy[Any]:
    return _values(shape.type_info(kind))


def _values(info: shape.Type) -> st.SearchStrategy[Any]:
    match info:
        case shape.Metadata(type=inner):
            return _values(inner)
        case shape.UnionType(types=types):
            return st.one_of(*map(_values, types))
        case shape.EnumType(cls=cls):
            return st.sampled_from(list(cls))
        case shape.StructType(cls=cls, fields=fields) | shape.DataclassType(cls=cls, fields=fields):
            built = st.builds(cls, **{field.name: _values(field.type) for field in fields})
            return _CHOSEN.get(cls, built)
    return _collections(info)


def _collections(info: shape.Type) -> st.SearchStrategy[Any]:
    match info:
        case shape.TupleType(item_types=types):
            return st.tuples(*map(_values, types))
        case shape.VarTupleType(item_type=item, min_length=low, max_length=high):
            most = min(high or LONGEST, LONGEST)
            return st.lists(_values(item), min_size=low or 0, max_size=most).map(tuple)
        case shape.DictType(key_type=key, value_type=value):
            return st.dictionaries(_values(key), _values(value), max_size=4)
    return _scalars(info)


def _scalars(info: shape.Type) -> st.SearchStrategy[Any]:
    match info:
        case shape.NoneType():
            return st.none()
        case shape.BoolType():
            return st.booleans()
        case shape.IntType(ge=low, le=high):
            return st.integers(_or(low, -LARGEST), _or(high, LARGEST))
        case shape.FloatType(ge=low, le=high):
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case shape.StrType(pattern=pattern, min_length=low, max_length=high):
            if pattern:
                return st.from_regex(pattern)
            return st.text(CHARACTERS, min_size=low or 0, max_size=high)
    raise NotImplementedError(info)


def _or(limit: float | None, fallback: int) -> int:
    return fallback if limit is None else int(limit)
