"""Proven positions of the first third of a game, of which a rating asks some.

With 45 seeds or more in the pits a position takes the solver seconds to minutes, so 500 are kept
with their values (`openings.json`; `mancala.scripts.bench.search.strength` makes them) and a seed
draws from them. They are chosen against rules of thumb as the other positions are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from random import Random
from typing import Final

from mancala.protocol.rules import KALAH, Board

from .positions import (
    DEMANDS,
    FEWEST_MOVES,
    Demand,
    PositionPhase,
    ProvenPosition,
    avoided_pits,
    choices_on,
)

OPENING: Final = PositionPhase("opening", 45, 66)
SHARE: Final = 3
"""Of how many other positions there is one opening."""


def openings(seed: int, count: int, first: int = 0) -> list[ProvenPosition]:
    """Return openings that a seed draws, each once; fewer where not as many suit.

    Args:
        seed: the same seed draws the same ones.
        count: how many.
        first: the number of the first.
    """
    rng = Random(f"openings {seed}")  # noqa: S311  # games need no cryptography
    suited = _suited(rng.sample(_kept(), len(_kept())))
    return [
        each._replace(number=number, choices=choices_on(_board_of(each)))
        for number, each in enumerate(islice(suited, count), start=first)
    ]


def _suited(waiting: list[ProvenPosition]) -> Iterator[ProvenPosition]:
    """Take positions that meet the demands in turn, until none does."""
    for demand in cycle(DEMANDS):
        found = next((each for each in waiting if _meets(each, demand)), None)
        if found is None:
            return
        waiting.remove(found)
        yield found


def _meets(position: ProvenPosition, demand: Demand) -> bool:
    return avoided_pits(_board_of(position), demand).isdisjoint(position.best)


def _board_of(position: ProvenPosition) -> Board:
    return Board.from_text(position.board, KALAH)


@cache
def _kept() -> list[ProvenPosition]:
    """Read the positions that leave a choice."""
    text = files("mancala.scripts.rating").joinpath("openings.json").read_text(encoding="utf-8")
    found = []
    for entry in json.loads(text)["positions"]:
        values = {int(pit): value for pit, value in entry["moves"].items()}
        if len(values) >= FEWEST_MOVES and len(set(values.values())) > 1:
            found.append(ProvenPosition(0, OPENING.name, entry["board"], values))
    return found
