"""The settings, taken up while the server runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.text import shortened

from ..config.reload import Reload
from ..config.settings import Config, ConfigError
from ..model.journal import Entry
from .actions import Action, Arguments, Order, Plan, RefusedError
from .target import Target
from .wire import Change

SECRETS: Final = frozenset({"password"})
HIDDEN: Final = "***"
LONGEST: Final = 200
"""Letters of a value that are shown."""


class ReloadSettings(Arguments, frozen=True):
    """Take the settings up again.

    Attributes:
        same_season: whether a ladder's new clock is taken up, so that games of both clocks are
            rated as one.
    """

    same_season: bool = False


async def _reload(target: Target, wanted: ReloadSettings, order: Order) -> Plan:
    reload = target.reload
    if reload is None:
        raise RefusedError("no server runs that could take up settings; the next one will")
    before = target.config()
    try:
        found = reload(wanted.same_season, True)  # a dry run
        changed = tuple(_changes(before, found))
        if not changed and not order.is_dry:  # certificates may be new
            reload(wanted.same_season, False)  # in earnest
    except ConfigError as error:
        raise RefusedError(f"not reloaded: {error}") from None

    async def commit(entries: Sequence[Entry]) -> None:
        try:
            reload(wanted.same_season, False)  # in earnest
        except ConfigError as error:
            raise RefusedError(f"not reloaded: {error}") from None
        target.context.journal.commit(entries, lambda: None)
        await target.store.read(lambda _transaction: None)

    return Plan(changed=changed, facts={"wait_for_restart": found.wait}, commit=commit)


def _changes(before: Config, found: Reload) -> list[Change]:
    changes: list[Change] = []
    for key in found.taken_up:
        if key == "ladder":
            changes += _ladders(before, found.config)
        else:
            changes += _fields(getattr(before, key), getattr(found.config, key), key)
    return changes


def _ladders(before: Config, after: Config) -> list[Change]:
    known = {ladder.name: ladder for ladder in before.ladder}
    changes: list[Change] = []
    for ladder in after.ladder:
        if ladder.name in known:
            changes += _fields(known[ladder.name], ladder, f"ladder {ladder.name}")
        else:
            changes.append(Change("ladder", ladder.name, None, "open"))
    return changes


def _fields(before: object, after: object, key: str) -> list[Change]:
    if not (isinstance(before, Struct) and type(before) is type(after)):
        return [Change("setting", key, *map(_text, (before, after)))]
    return [
        Change("setting", f"{key}.{name}", *(_shown(name, value) for value in values))
        for name in before.__struct_fields__
        if len(set(map(_text, values := (getattr(before, name), getattr(after, name))))) > 1
    ]


def _shown(name: str, value: object) -> str:
    """Return a value for the operator and the trail, without passwords."""
    if name in SECRETS and value is not None:
        return HIDDEN
    return re.sub(r"(://[^:/@]*):[^@]*@", rf"\1:{HIDDEN}@", _text(value))


def _text(value: object) -> str:
    return shortened(codec.to_json(value).decode(), LONGEST)


RELOAD_ACTIONS: Final = (Action("reload", ReloadSettings, _reload),)
