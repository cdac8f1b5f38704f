"""The settings of a simulated event; its own random generator leaves other draws as they are."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec.structs import replace

from mancala.protocol.clock import TimeControl
from mancala.server.config.events import FILLED, TIMES, EventSettings, TieBreak, most_swiss_rounds
from mancala.server.config.settings import Config
from mancala.server.model.timestamps import rfc3339
from tests.simulate.faults import LADDER

EVENT: Final = "cup"
WORD: Final = "wari"
"""What each bot says with its entry."""
SHARE: Final = 0.3
"""The share of worlds that have an event."""
KNOBS: Final[Mapping[str, tuple[Any, ...]]] = {
    "format": (
        *("swiss", "swiss", "swiss", "swiss"),
        *("rr", "drr", "gauntlet", "knockout", "double-knockout", "match"),
        *("arena", "arena"),
    ),
    "duration_s": (3.0, 15.0, 60.0),
    "enter": ("list", "open", "open", "open", "tokens"),
    "per_owner": (None, 1, 3),
    "places": (2, 2, 3, 256),
    "late": (None, "half-bye until round 2", "half-bye until round 9"),
    "rounds": (None, 1, 2, 3),
    "accelerated": (False, False, True),
    "games": (1, 2),
    "rules": ("kalah:pits=2,seeds=2", "kalah:pits=3,seeds=2", "article:pits=3,seeds=3"),
    "clock": (
        TimeControl(move_ms=1000),
        TimeControl(move_ms=2000),
        TimeControl(bank_ms=8000, increment_ms=200),
    ),
    "seed": (1, 2),
    "replays": (0, 1),
    "tie_breaks": (
        (),
        (TieBreak.DIRECT, TieBreak.BUCHHOLZ_1, TieBreak.WINS),
        (TieBreak.PROGRESSIVE, TieBreak.MARGIN),
    ),
    "freeze_rounds": (0, 0, 1),
    "boards": (1, 2, 16),
    "absent_s": (2.0, 8.0),
}
"""The values of each setting, beside entrants and times; what a format forbids is left out."""
ASKED: Final[Mapping[str, tuple[Any, ...]]] = {
    "password": ("", "", WORD),
    "min_games": (None, None, None, 1),
    "interval_s": (0.0, 0.0, 2.0),
    "min_rating": (None, None, -500.0),
    "series": (None, "league"),
}
"""The same, drawn apart from the others, so that these are what they were."""
FREEZES: Final = ("table", "results")
"""What is frozen of an event with frozen rounds; drawn apart as well."""
EARLIEST_S: Final = 5.0
LONGEST_STEP_S: Final = 12.0
IS_FILLED: Final = 0.5
"""The share of events with a bot that fills an odd number; one that is not listed, if there is."""
SELF_ENTERED: Final = 0.8
"""The share of the entrants of an open event that enter by themselves."""
HAS_TEAM: Final = 0.3
"""The share of open events that only some of the bots may enter."""
SEPARATES: Final = 0.8
"""The share of Swiss events with two bots that are not to meet."""
EVERY_DAYS: Final = 7.0


def with_event(
    config: Config, rng: random.Random, names: Sequence[str], began_at: datetime
) -> Config:
    """Return the settings of a world, in a share of worlds with an event."""
    if rng.random() >= SHARE or len(names) < 2:
        return config
    return replace(config, event=(draw_event(rng, names, began_at),))


def draw_event(rng: random.Random, names: Sequence[str], began_at: datetime) -> EventSettings:
    """Draw the settings of an event among bots of these names; two or more."""
    drawn: dict[str, Any] = {key: rng.choice(values) for key, values in KNOBS.items()}
    if drawn["format"] == "match":
        drawn |= {"enter": "list", "entrants": tuple(rng.sample(names, 2))}
    elif drawn["enter"] == "list":
        drawn["entrants"] = tuple(rng.sample(names, rng.randint(2, len(names))))
    else:
        drawn["entrants"] = tuple(name for name in names if rng.random() > SELF_ENTERED)
    drawn |= _draw_times(rng, began_at)
    if drawn["enter"] == "list" and drawn["format"] == "swiss" and drawn["rounds"]:
        drawn["rounds"] = min(drawn["rounds"], most_swiss_rounds(len(drawn["entrants"])))
    for key in _forbidden(drawn["format"], drawn["enter"]):
        drawn.pop(key, None)
    if drawn.get("freeze_rounds"):
        drawn["freeze"] = random.Random(f"freeze {drawn}").choice(FREEZES)
    if drawn["format"] in FILLED and rng.random() < IS_FILLED:
        others = [name for name in names if name not in drawn["entrants"]]
        drawn["fill"] = rng.choice(others or names)
    return EventSettings(name=EVENT, **drawn, **_draw_asked(drawn, names))


def _draw_asked(drawn: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Draw what an event asks of its bots, and how it goes on, from what was drawn of it."""
    apart = random.Random(f"{drawn}")
    asked = {key: apart.choice(values) for key, values in ASKED.items()}
    if drawn["enter"] == "list":
        asked |= {"password": "", "min_games": None, "min_rating": None}
    elif apart.random() < HAS_TEAM:
        asked["team"] = tuple(name for name in names if apart.random() < SELF_ENTERED)
    if asked["min_games"] is not None or asked["min_rating"] is not None:
        asked["rating_in"] = LADDER
    if drawn["format"] == "swiss" and apart.random() < SEPARATES:
        asked["apart"] = (tuple(apart.sample(names, 2)),)
    if asked["series"] is not None and "starts" in drawn:
        asked["every_days"] = EVERY_DAYS
    return asked


def _draw_times(rng: random.Random, began_at: datetime) -> dict[str, str]:
    """Draw some of the times of an event; what has no time is ordered by the organiser."""
    at, times = EARLIEST_S, {}
    for key in TIMES:
        at += rng.uniform(0.0, LONGEST_STEP_S)
        if rng.random() < 0.6:
            times[key] = rfc3339(began_at + timedelta(seconds=at))
    return times


def _forbidden(format_: str, enter: str) -> Iterator[str]:
    """Yield the settings that an event of a format and a way of entering can't have."""
    if format_ != "swiss":
        yield from ("late", "accelerated")
    if format_ != "arena":
        yield "duration_s"
    if format_ not in {"swiss", "arena"}:
        yield "rounds"
    if format_ in {"knockout", "double-knockout", "arena"}:
        yield "freeze_rounds"
    if enter == "list":
        yield from ("per_owner", "places")
