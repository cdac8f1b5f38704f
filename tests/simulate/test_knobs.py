"""Worlds vary every setting, or there is a reason why they do not."""

from __future__ import annotations

import random
from collections import defaultdict

from msgspec.structs import replace

from mancala.server.config.events import TIMES
from mancala.server.config.settings import Config
from tests.simulate.event_knobs import draw_event
from tests.simulate.knobs import EVENT_KNOBS, KNOBS, UNVARIED, draw_config, settings_of
from tests.simulate.world import BEGAN_AT

WORLDS = 300
DRAWN_BY_THEMSELVES = {
    *("rules", "clock", "ladder.rules", "ladder.clock", "event.entrants", "event.fill"),
    *(f"event.{name}" for name in TIMES),
}
NAMES = ("ann", "bob", "cid", "dan")


def drawn_config(rng: random.Random) -> Config:
    """Draw the settings of a world that has an event."""
    return replace(draw_config(rng), event=(draw_event(rng, NAMES, BEGAN_AT),))


def test_every_setting_is_drawn_or_has_a_reason() -> None:
    """A new setting is in one of both lists; no setting is in both."""
    names = settings_of(drawn_config(random.Random(1))).keys()
    drawn = KNOBS.keys() | EVENT_KNOBS.keys() | DRAWN_BY_THEMSELVES
    new = names - drawn - UNVARIED.keys()
    assert not new, f"add to KNOBS or, with a reason, to UNVARIED in knobs.py: {new}"
    gone = (drawn | UNVARIED.keys()) - names
    assert not gone, f"remove from knobs.py, as no setting has the name: {gone}"
    both = drawn & UNVARIED.keys()
    assert not both, f"remove from KNOBS or from UNVARIED in knobs.py: {both}"


def test_what_is_drawn_differs_between_worlds() -> None:
    """Each drawn setting has two values at least."""
    rng, seen = random.Random(1), defaultdict(set)
    for _ in range(WORLDS):
        for name, value in settings_of(drawn_config(rng)).items():
            seen[name].add(repr(value))
    constant = {name for name, values in seen.items() if len(values) == 1} - UNVARIED.keys()
    assert not constant, f"the same in each world, and not in UNVARIED in knobs.py: {constant}"
