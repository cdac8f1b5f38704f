"""The settings, taken up while the server runs."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.text import shortened

from ...config.reload import Reload
from ...config.settings import Config, ConfigError
from ...model.journal import Entry
from ..actions import ReloadSettings
from ..operator import HIDDEN, SECRETS, Order, Plan, RefusedError, Target
from ..wire import Change

LONGEST: Final = 200
"""Letters of a value that are shown."""


async def reload(target: Target, wanted: ReloadSettings, order: Order) -> Plan:
    """Plan to take up the settings as they are now; without changes certificates may be new."""
    running = target.reload
    if running is None:
        raise RefusedError("no server runs that could take up settings; the next one will")
    before = target.config()
    with _refusing():
        settings = await asyncio.to_thread(running.read)
        _expect_same(target, before)
        found = running.plan(settings, same_season=wanted.same_season)
    changed = tuple(_changes(before, found))

    def take_up() -> None:
        with _refusing():
            running.take_up(settings, same_season=wanted.same_season)

    if not changed and not order.is_dry:
        take_up()

    async def commit(entries: Sequence[Entry]) -> None:
        _expect_same(target, before)
        take_up()
        target.context.journal.commit(entries, lambda: None)
        await target.store.run(lambda _transaction: None)

    return Plan(changed=changed, facts={"wait_for_restart": found.wait}, commit=commit)


def _expect_same(target: Target, before: Config) -> None:
    """Refuse to put settings that were read before others were taken up in the place of those."""
    if target.config() is not before:
        raise RefusedError("settings were taken up meanwhile; try again")


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except (ConfigError, OSError) as error:
        raise RefusedError(f"not reloaded: {error}") from None


def _changes(before: Config, found: Reload) -> Iterator[Change]:
    for key in found.taken_up:
        if key == "ladder":
            yield from _ladders(before, found.config)
        else:
            yield from _fields(getattr(before, key), getattr(found.config, key), key)


def _ladders(before: Config, after: Config) -> Iterator[Change]:
    known = {ladder.name: ladder for ladder in before.ladder}
    for ladder in after.ladder:
        if ladder.name in known:
            yield from _fields(known[ladder.name], ladder, f"ladder {ladder.name}")
        else:
            yield Change("ladder", ladder.name, None, "open")


def _fields(before: object, after: object, key: str) -> Iterator[Change]:
    if not (isinstance(before, Struct) and type(before) is type(after)):
        yield Change("setting", key, _text(before), _text(after))
        return
    for name in before.__struct_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if _text(old) != _text(new):
            yield Change("setting", f"{key}.{name}", _shown(name, old), _shown(name, new))


def _shown(name: str, value: object) -> str:
    if name in SECRETS and value is not None:
        return HIDDEN
    return re.sub(r"(://[^:/@]*):[^@]*@", rf"\1:{HIDDEN}@", _text(value))


def _text(value: object) -> str:
    return shortened(codec.to_json(value).decode(), LONGEST)
