"""The reference of the server's settings, written from their classes and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, is_dataclass
from typing import Final

import msgspec
from msgspec import inspect as inspection

from mancala.server.config.annotations import RELOADABLE, fields_of, marked, range_of
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Section

TABLES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "At the top of the file": Config,
    **{
        f"`[{key}]`": type(getattr(Config(), key))
        for key in Config.__struct_fields__
        if isinstance(getattr(Config(), key), Section)
    },
    "`[[ladder]]`": LadderSettings,
    "`[[event]]`": EventSettings,
}
"""The tables of the TOML file by their headings."""

ATTRIBUTE: Final = re.compile(r"^    (\w+): (.+(?:\n {5,}.+)*)", re.MULTILINE)


def markdown() -> str:
    """Return the reference: for each table of the file its keys, defaults and meanings."""
    return "\n".join(line for title, kind in TABLES.items() for line in _table(title, kind))


def _table(title: str, kind: type[msgspec.Struct]) -> Iterator[str]:
    meanings = dict(ATTRIBUTE.findall(inspect.getdoc(kind) or ""))
    yield f"\n### {title}\n\n| key | default | range | reload | meaning |\n|{' --- |' * 5}"
    for field in fields_of(kind):
        if field.name in meanings:
            meaning = " ".join(meanings[field.name].split()).replace("|", r"\|")
            reload = "yes" if field.name in marked(kind, RELOADABLE) else ""
            facts = (f"`{field.encode_name}`", _default(field), range_of(field.type), reload)
            yield f"| {' | '.join(facts)} | {meaning} |"


def _default(field: inspection.Field) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return ""
    if field.default is msgspec.NODEFAULT:
        return "required"
    return _toml(field.default)


def _toml(value: object) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        given = {key: each for key, each in asdict(value).items() if each is not None}
        return f"`{{{', '.join(f'{key} = {_scalar(each)}' for key, each in given.items())}}}`"
    if value is None or value == () or isinstance(value, msgspec.Struct):
        return ""
    return f"`{_scalar(value)}`"


def _scalar(value: object) -> str:
    return msgspec.json.encode(value).decode()
