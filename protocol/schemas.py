"""JSON Schemas of the types, each field described and each type named, for documents and files.

A field's description is that of its type's docstring, or else of its table in ``SPEC.md``, or else
of `COMMON`. So the words are written once, where people read them. Generators of code name a type
after its ``title``; without one they invent names such as ``AnonymousSchema_165``.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from inspect import cleandoc
from typing import Any, Final

import msgspec.inspect

from . import codec
from .clock import LONGEST_MS
from .variants import MAX_PITS, MAX_SEEDS_IN_ALL

Json = dict[str, Any]

COMMON: Final = {
    "agent": "The program behind the name.",
    "author": "Who submitted it.",
    "best": "The best move.",
    "board": "The position as text, the mover first.",
    "bot": "The bot's name.",
    "by": "The challenger.",
    "captured": "Seeds that a capture moved to the store, the last seed sown included.",
    "clock": "The time limits, or what is left of them.",
    "counts": "What they came to.",
    "draws": "Games drawn.",
    "elapsed_ms": "Time from question to answer, in milliseconds.",
    "ended_at": "When it ended.",
    "format": "Its format.",
    "game": "The game's id.",
    "games": "The number of games.",
    "key": "Its name in addresses.",
    "ladder": "The ladder's name.",
    "lag_ms": "The part of the time that was credited as lag, in milliseconds.",
    "legal": "The pits that may be sown.",
    "losses": "Games lost.",
    "match": "The match's id.",
    "name": "The name.",
    "next": "The cursor of the page after it, if there is one.",
    "origin": "The server that it was imported from, or none.",
    "pit": "The pit sown, counted in the mover's direction of sowing.",
    "player": "The player, 0 or 1.",
    "ply": "The number of sowings before it.",
    "present": "Whether its connection stands.",
    "rated": "Whether the result counts.",
    "resumes": "The state that a paused event returns to.",
    "rules": "The rules of the game.",
    "schema": "Which payload this is, and its version.",
    "started_at": "When it began.",
    "state": "The position.",
    "status": "Whether it is over.",
    "stores": "Both stores, in seat order.",
    "submitted_at": "When it was submitted first.",
    "type": "Which message this is.",
    "updated_at": "When it was submitted last.",
    "voids": "How often it was played without counting.",
    "wins": "Games won.",
}
"""What a field means where nothing else says it."""

_LENGTH: Final = {"minimum": 1, "maximum": LONGEST_MS}
BOUNDS: Final[dict[str, Json]] = {
    "Rules": {
        "properties": {
            "pits": {"minimum": 1, "maximum": MAX_PITS},
            "seeds": {"minimum": 1, "maximum": MAX_SEEDS_IN_ALL // 2},
        },
    },
    "TimeControl": {
        "properties": {
            "move_ms": _LENGTH,
            "bank_ms": _LENGTH,
            "increment_ms": {"minimum": 0, "maximum": LONGEST_MS},
        },
        "not": {
            "required": ["move_ms"],
            "properties": {"move_ms": {"type": "null"}, "bank_ms": {"type": "null"}},
        },
    },
    # Not as oneOf, which generators of clients make a type without a name of.
    "Watch": {
        "not": {
            "anyOf": [
                {"required": ["game", "ladder"]},
                {"not": {"anyOf": [{"required": ["game"]}, {"required": ["ladder"]}]}},
            ]
        }
    },
}
"""What the classes check as they are made, as schemas say it; a test compares the two."""

_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*(?:\n        .*)*)", re.MULTILINE)
_TABLE: Final = re.compile(
    r"^(?:### |\*\*)`?([\w. ]+?)`?(?:\*\*[^\n]*)?\n(?:(?!#|\*\*).*\n)*?"
    r"\| field \| type \| meaning \|\n\| --- .*\n((?:\|.*\n)+)",
    re.MULTILINE,
)
_CELLS: Final = re.compile(r"^\| `(\w+)\??` \| .*? \| (.*?) ?\|$", re.MULTILINE)


def components(*kinds: Any) -> dict[str, Json]:  # noqa: ANN401  # unions are types too
    """Return the schemas of types, and of all that they refer to, by name."""
    classes = {each.__name__: each for each in _classes(*kinds)}
    found = codec.json_schema(*kinds)[1]
    return {name: _described(schema, classes[name]) for name, schema in found.items()}


def standalone(kind: type) -> Json:
    """Return the schema of one type as a document of its own (JSON Schema 2020-12)."""
    definitions = components(kind)
    own = definitions.pop(kind.__name__)
    document = {"$schema": "https://json-schema.org/draft/2020-12/schema", **own}
    if definitions:
        document["$defs"] = definitions
    referring: Json = mapped(document, _referring_to_definitions)
    return referring


def mapped(schema: Any, change: Callable[[Json], Json]) -> Any:  # noqa: ANN401  # any JSON value
    """Return a schema with each object in it changed, the inner ones first."""
    if isinstance(schema, list):
        return [mapped(each, change) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return change({key: mapped(value, change) for key, value in schema.items()})


def _referring_to_definitions(schema: Json) -> Json:
    if "$ref" in schema:
        schema["$ref"] = schema["$ref"].replace("#/components/schemas/", "#/$defs/")
    return schema


def _classes(*kinds: type) -> Iterator[type]:
    seen: set[type] = set()
    waiting: list[Any] = list(msgspec.inspect.multi_type_info(kinds))
    while waiting:
        info = waiting.pop()
        cls = getattr(info, "cls", None)
        if cls is not None:
            if cls in seen:
                continue
            seen.add(cls)
            yield cls
        waiting += _parts(info)


def _parts(info: Any) -> Iterator[Any]:  # noqa: ANN401  # any of msgspec's descriptions
    for name in ("type", "item_type", "key_type", "value_type"):
        part = getattr(info, name, None)
        if isinstance(part, msgspec.inspect.Type):
            yield part
    for name in ("types", "item_types"):
        yield from getattr(info, name, ())
    for field in getattr(info, "fields", ()):
        yield field.type


def _described(schema: Json, cls: type) -> Json:
    """Return a component with a short description, and with one for each of its fields."""
    described = {**schema, "title": cls.__name__, "description": _summary(cls)}
    if "properties" in schema:
        meanings = _meanings(cls)
        described["properties"] = {
            name: _field(field, f"{cls.__name__}{_camel(name)}", meanings.get(name))
            for name, field in schema["properties"].items()
        }
    return _bounded(described, BOUNDS.get(cls.__name__, {}))


def _bounded(schema: Json, bounds: Json) -> Json:
    """Return a component within bounds: of its fields, and of them together."""
    together = {key: value for key, value in bounds.items() if key != "properties"}
    fields = {
        name: _bounded_number(schema["properties"][name], bound)
        for name, bound in bounds.get("properties", {}).items()
    }
    if not fields:
        return {**schema, **together}
    return {**schema, **together, "properties": {**schema["properties"], **fields}}


def _bounded_number(field: Json, bound: Json) -> Json:
    """Return a number's schema within bounds; one that may be null is bounded where it is not."""
    if "anyOf" not in field:
        return {**field, **bound}
    choices = [
        {**choice, **bound} if choice.get("type") == "integer" else choice
        for choice in field["anyOf"]
    ]
    return {**field, "anyOf": choices}


def _field(schema: Json, title: str, meaning: str | None) -> Json:
    """Return a field's schema, described, and named where it is a type of its own."""
    is_named = "$ref" not in schema and ("anyOf" in schema or "enum" in schema)
    named = {"title": title, **schema} if is_named else schema
    return named if meaning is None else {**named, "description": meaning}


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _summary(cls: type) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n\nAttributes:")[0].replace("``", "`")


def _meanings(cls: type) -> dict[str, str]:
    meanings = dict(COMMON)
    for base in reversed(cls.__mro__):
        meanings |= _tables().get(_word(base), {})
        meanings |= _attributes(base.__doc__ or "")
    return meanings


def _attributes(doc: str) -> dict[str, str]:
    _, _, rest = cleandoc(doc).partition("Attributes:\n")
    attributes = rest.partition("\n\n")[0]
    return {
        found[1]: _sentence(" ".join(found[2].split())) for found in _ATTRIBUTE.finditer(attributes)
    }


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    text = files("mancala.protocol").joinpath("SPEC.md").read_text(encoding="utf-8")
    return {
        table[1].replace(" ", ""): {
            cell[1]: _sentence(cell[2]) for cell in _CELLS.finditer(table[2]) if cell[2]
        }
        for table in _TABLE.finditer(text)
    }


_WORDS: Final = {"ClockState": "clocks"}
"""Classes that the document calls otherwise."""


def _word(cls: type) -> str:
    tag = getattr(getattr(cls, "__struct_config__", None), "tag", None)
    return _WORDS.get(cls.__name__) or str(tag or cls.__name__.lower())


def _sentence(text: str) -> str:
    plain = text.replace("``", "`")
    return f"{plain[:1].upper()}{plain[1:]}" + ("" if plain.endswith((".", "?")) else ".")
