"""Worlds vary every setting, or there is a reason why they do not."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct, structs

from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config
from tests.simulate.knobs import KNOBS, UNVARIED, draw_config

WORLDS = 300
DRAWN_BY_THEMSELVES = {"rules", "clock", "ladder.rules", "ladder.clock"}


def settings(table: Struct, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield each setting of a table and of those in it, with its value."""
    for name in table.__struct_fields__:
        value = getattr(table, name)
        if isinstance(value, Struct):
            yield from settings(value, f"{prefix}{name}.")
        elif name != "ladder" or prefix:
            yield f"{prefix}{name}", value


def test_every_setting_is_drawn_or_has_a_reason() -> None:
    """A new setting is in one of both lists; no setting is in both."""
    names = {name for name, _ in settings(Config())}
    names |= {f"ladder.{field.name}" for field in structs.fields(LadderSettings)}
    drawn = KNOBS.keys() | DRAWN_BY_THEMSELVES
    assert drawn | UNVARIED.keys() == names
    assert not drawn & UNVARIED.keys()


def test_what_is_drawn_differs_between_worlds() -> None:
    """Each drawn setting has two values at least."""
    rng, seen = random.Random(1), defaultdict(set)
    for _ in range(WORLDS):
        config = draw_config(rng)
        for name, value in (*settings(config), *settings(config.ladder[0], "ladder.")):
            seen[name].add(repr(value))
    constant = {name for name, values in seen.items() if len(values) == 1}
    assert constant <= UNVARIED.keys()
