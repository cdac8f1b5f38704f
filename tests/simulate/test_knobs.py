"""Worlds vary every setting, or there is a reason why they do not."""

import random
from collections import defaultdict

from msgspec.structs import replace

from mancala.server.config.events import TIMES
from mancala.server.config.settings import Config
from tests.simulate.event_knobs import draw_event
from tests.simulate.knobs import (
    DRAWN_BY_THEMSELVES,
    EVENT_KNOBS,
    KNOBS,
    UNVARIED,
    draw_config,
    settings_of,
)
from tests.simulate.world import BEGAN_AT

WORLDS = 300
ELSEWHERE = {
    *DRAWN_BY_THEMSELVES,
    *(f"event.{name}" for name in ("entrants", "fill", "team", "apart", "every_days", *TIMES)),
    "event.rating_in",
}
NAMES = ("ann", "bob", "cid", "dan")


def drawn_config(rng: random.Random) -> Config:
    return replace(draw_config(rng), event=(draw_event(rng, NAMES, BEGAN_AT),))


def test_what_is_listed_is_a_setting_and_drawn_or_not() -> None:
    """No setting is in both lists; one that is in none is drawn from its type."""
    names = settings_of(drawn_config(random.Random(1))).keys()
    drawn = KNOBS.keys() | EVENT_KNOBS.keys() | ELSEWHERE
    gone = (drawn | UNVARIED.keys()) - names
    assert not gone, f"remove from knobs.py, as no setting has the name: {gone}"
    both = drawn & UNVARIED.keys()
    assert not both, f"remove from KNOBS or from UNVARIED in knobs.py: {both}"


def test_what_is_drawn_differs_between_worlds() -> None:
    """Each setting has two values at least, or there is a reason why it has one."""
    rng, seen = random.Random(1), defaultdict(set)
    for _ in range(WORLDS):
        for name, value in settings_of(drawn_config(rng)).items():
            seen[name].add(repr(value))
    constant = {name for name, values in seen.items() if len(values) == 1} - UNVARIED.keys()
    assert not constant, f"add to KNOBS or, with a reason, to UNVARIED in knobs.py: {constant}"
