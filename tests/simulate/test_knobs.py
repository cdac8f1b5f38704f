"""Worlds vary every setting, or there is a reason why they do not."""

import random
import re
from collections import defaultdict

from msgspec.structs import replace

from mancala.server.config.events import TIMES
from mancala.server.config.settings import Config
from tests.simulate.event_knobs import draw_event
from tests.simulate.knobs import (
    DRAWN_BY_THEMSELVES,
    DRIVEN,
    EVENT_KNOBS,
    IN_ROOMS,
    KNOBS,
    UNVARIED,
    draw_config,
    settings_of,
)
from tests.simulate.world import BEGAN_AT
from tests.sources import ROOT

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


def test_what_no_world_varies_a_test_sets_for_a_running_server() -> None:
    """It is there, and its file has the setting; those of which none does are listed, too."""
    driven = set[str]()
    for path, tests in DRIVEN.items():
        text = (ROOT / "tests" / path).read_text()
        for test, names in tests.items():
            assert f"def {test}(" in text, f"{path} has no {test}: see DRIVEN in knobs.py"
            for name in names.split():
                assert re.search(rf"(\b|\\n){name.rpartition('.')[2]}\b", text), (
                    f"{path}: no {name}"
                )
                driven.add(name)
    assert driven | IN_ROOMS.keys() == UNVARIED.keys(), (
        "add to DRIVEN in knobs.py the test that sets it"
    )
    assert not driven & IN_ROOMS.keys()


def test_what_is_drawn_differs_between_worlds() -> None:
    """Each setting has two values at least, or there is a reason why it has one."""
    rng, seen = random.Random(1), defaultdict(set)
    for _ in range(WORLDS):
        for name, value in settings_of(drawn_config(rng)).items():
            seen[name].add(repr(value))
    constant = {name for name, values in seen.items() if len(values) == 1} - UNVARIED.keys()
    assert not constant, f"add to KNOBS or, with a reason, to UNVARIED in knobs.py: {constant}"
