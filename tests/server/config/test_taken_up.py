"""What a reload takes up holds from then on: no part of a server keeps the former number."""

from __future__ import annotations

import asyncio
import gc
from collections import deque
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import AsyncGeneratorType, FunctionType, ModuleType
from typing import Final

import msgspec
from msgspec import inspect

from mancala.protocol.clock import TimeControl
from mancala.server.app.server import Server
from mancala.server.config.annotations import fields_of, is_reloadable
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Keep, Kgp, Limits, Mqtt, Play
from tests.patience import PATIENCE_S
from tests.server.peers import settings

FORMER, NEW = 20_000, 25_000
"""Where the numbers of both settings begin; each is even, as the games of a ladder have to be."""
SMALL_RANGE: Final = 30_000
"""Settings that end below this, such as hours, have too few numbers to be told apart by."""
OUTSIDE: Final = (asyncio.AbstractEventLoop, ModuleType, type, AsyncGeneratorType)
"""What leads from a server to all else in this process, or only waits for the server's end."""


def numbered(table: msgspec.Struct, numbers: Iterator[int]) -> dict[str, float]:
    """Return a number of its own for each setting of a table that a reload takes up."""
    return {
        field.name: kind(next(numbers))
        for field in fields_of(type(table))
        if is_reloadable(field.type) and (kind := number_of(field.type)) is not None
    }


def number_of(kind: inspect.Type) -> type[int | float] | None:
    """Return what a setting's number is; None where it is none, or one of few."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    for each in kind.types if isinstance(kind, inspect.UnionType) else (kind,):
        if isinstance(each, inspect.IntType | inspect.FloatType):
            is_wide = each.le is None or each.le > SMALL_RANGE
            return (int if isinstance(each, inspect.IntType) else float) if is_wide else None
    return None


def draw(folder: Path, first: int) -> tuple[Config, dict[float, str]]:
    """Return settings whose numbers all differ, and the settings' names by their numbers."""
    numbers, names = count(first, 2), dict[float, str]()
    tables: dict[str, msgspec.Struct] = {
        "limits": Limits(),
        "mqtt": Mqtt(private_broker=False),
        "keep": Keep(),
        "kgp": Kgp(tcp_port=0),
        "play": Play(),
        "ladder": LadderSettings(name="main", clock=TimeControl(move_ms=1000)),
    }
    for section, table in tables.items():
        chosen = numbered(table, numbers)
        names |= {number: f"{section}.{name}" for name, number in chosen.items()}
        tables[section] = msgspec.structs.replace(table, **chosen)
    clock = next(numbers)
    whole = settings(folder, http_port=0, health_port=0, clock=TimeControl(move_ms=clock))
    chosen = numbered(whole, numbers)
    names |= {clock: "clock", **{number: name for name, number in chosen.items()}}
    sections = tables | {"ladder": (tables["ladder"],)}
    return msgspec.structs.replace(whole, **sections, **chosen), names


def numbers_in(root: object) -> Iterator[tuple[float, str]]:
    """Yield each number that an object holds, in parts of parts, with the types on the way."""
    test = asyncio.current_task()
    kept: list[object] = [test]  # what is seen must stay, or another object gets its id
    seen, queue = {id(root), id(test)}, deque([(root, type(root).__name__)])
    while queue:
        each, way = queue.popleft()
        if isinstance(each, FunctionType):  # not the globals
            parts: list[object] = [each.__closure__, each.__defaults__, each.__kwdefaults__]
        else:
            parts = gc.get_referents(each)
        kept.append(parts)
        for part in parts:
            if isinstance(part, int | float):
                yield part, way
            elif id(part) not in seen and not isinstance(part, OUTSIDE):
                seen.add(id(part))
                queue.append((part, f"{way} > {type(part).__name__}"))


async def test_no_part_of_a_server_keeps_a_number_that_a_reload_replaced(tmp_path: Path) -> None:
    """What a room has copied is set again in its ``reconfigure``; all else is read when needed."""
    (former, names), (new, _) = draw(tmp_path, FORMER), draw(tmp_path, NEW)
    async with asyncio.timeout(6 * PATIENCE_S), Server(former) as server:
        held = {names[number] for number, _ in numbers_in(server) if number in names}
        assert held == set(names.values()), "this test no longer sees the settings"
        server.reload(new)
        left = {names[number]: way for number, way in numbers_in(server) if number in names}
        assert not left, f"set again in the reconfigure of the room that holds it: {left}"
