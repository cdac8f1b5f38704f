"""What a reload takes up holds from then on: no part of a server keeps what it replaced."""

import asyncio
import gc
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from threading import Thread
from types import AsyncGeneratorType, FunctionType, ModuleType
from typing import Final, TypeVar

import msgspec
import pytest
from msgspec import inspect

from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Board, Rules
from mancala.server.app.server import Server
from mancala.server.config.annotations import RELOADABLE, fields_of, marked
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Mqtt, Section
from tests.patience import WALK_S
from tests.server.peers import settings

S = TypeVar("S", bound=msgspec.Struct)
FORMER, NEW = 20_000, 30_000
"""Where the numbers of both settings begin, by which each value is known."""
OUTSIDE: Final = (asyncio.AbstractEventLoop, ModuleType, type, AsyncGeneratorType, Thread)
"""What leads to all else, only waits for the server's end, or has a number of the system."""
NOT_DRAWN: Final[Mapping[str, str]] = {
    "tls.cert": "a server without a certificate begins with none",
    "tls.key": "as tls.cert",
    "mqtt.url": "without a broker the publisher does not start; tests of publication change it",
    "mqtt.private_broker": "as mqtt.url",
    "kgp.ladder": "has to be there; tests of reloads name one",
    "kgp.event": "as kgp.ladder",
}
"""Settings that this test can't set to any value."""


def value_of(kind: inspect.Type, number: int) -> tuple[object, object]:
    """Return a value of a setting that no other one has, and the number or word in it.

    A switch holds a number, which is true.
    """
    match kind:
        case inspect.Metadata(type=inner) | inspect.UnionType(types=(inner, *_)):
            return value_of(inner, number)
        case inspect.VarTupleType():
            value: object = (f"word {number}",)
        case inspect.DictType():
            value = {"ann": float(number)}
        case inspect.DataclassType():
            value = TimeControl(move_ms=number)
        case inspect.StrType() | inspect.LiteralType():
            return f"word {number}", f"word {number}"
        case _:
            return number, number
    return value, f"word {number}" if isinstance(value, tuple) else number


def draw(folder: Path, first: int) -> tuple[Config, dict[object, str]]:
    """Return settings that all differ, and the settings' names by what they hold."""
    numbers, names = count(first, 2), dict[object, str]()
    rules, opening = f"kalah:pits={first // 5000}", f"<6,{first // 5000},0{',4' * 12}>"
    parsed = dict.fromkeys((rules, Rules.parse(rules)), "rules")
    parsed |= dict.fromkeys((opening, Board.from_text(opening)), "ladder.openings")

    left_out = {*NOT_DRAWN, *parsed.values()}

    def drawn(table: S, at: str) -> S:
        values: dict[str, object] = {}
        for field in fields_of(type(table)):
            name = f"{at}{field.name}"
            if field.name in marked(type(table), RELOADABLE) and name not in left_out:
                values[field.name], part = value_of(field.type, next(numbers))
                names[part] = name
        return msgspec.structs.replace(table, **values)

    main = LadderSettings(name="main", clock=TimeControl(move_ms=1000))
    main = msgspec.structs.replace(drawn(main, "ladder."), openings=(opening,))
    whole = settings(folder, http_port=0, health_port=0, mqtt=Mqtt(private_broker=False))
    tables = {
        key: drawn(table, f"{key}.")
        for key in whole.__struct_fields__
        if isinstance(table := getattr(whole, key), Section)
    }
    tables["kgp"] = msgspec.structs.replace(tables["kgp"], tcp_port=0)
    changes = {**tables, "ladder": (main,), "rules": rules}
    return msgspec.structs.replace(drawn(whole, ""), **changes), names | parsed


def values_in(root: object) -> Iterator[tuple[object, str]]:
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
            if isinstance(part, int | float | str | Rules | Board):
                yield part, way
            elif id(part) not in seen and not isinstance(part, OUTSIDE):
                seen.add(id(part))
                queue.append((part, f"{way} > {type(part).__name__}"))


async def test_no_part_of_a_server_keeps_what_a_reload_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers, words and switches are read from the settings in force when they are needed."""
    monkeypatch.setattr("mancala.server.app.server.checked", lambda config: config)
    (former, names), (new, _) = draw(tmp_path, FORMER), draw(tmp_path, NEW)
    async with asyncio.timeout(WALK_S), Server(former) as server:
        server._gate._budgets.of("192.0.2.1", 0.0).take(0.5, 0.0)  # of one who stays
        server._gate._shown.of("192.0.2.1", 0.0).take(0.5, 0.0)
        held = {names[value] for value, _ in values_in(server) if value in names}
        assert held == set(names.values()), "this test no longer sees the settings"
        assert server.reload(new).wait == ()
        for task in asyncio.all_tasks():
            if task.get_name() == "changing the broker":
                await task
        left = {names[value]: way for value, way in values_in(server) if value in names}
        assert not left, f"to be read from LiveConfig.now when it is needed: {left}"
