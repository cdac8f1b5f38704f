"""Why Pacman starves: an agent that plans a few steps, makes one, and plans again.

It stands in a corridor and wants to eat. Within its horizon it may be worth as much to eat later as
to eat now, and there is nothing else to win: so it may walk away from the food, and back at its
next plan, and never eat. A longer horizon does not help. What helps is to value a dot more the
sooner it is eaten. The example is the lecture's ("Why Pacman Can Starve", UC Berkeley's course
CS 188).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

STEPS: Final = {"west": -1, "east": 1}
SHAPE: Final = re.compile(r"[._]*P[._]*")


class Corridor(NamedTuple):
    """How long the corridor is, and in which of its cells, from the west, are Pacman and food."""

    cells: int
    pacman: int
    food: frozenset[int]

    @classmethod
    def parse(cls, text: str) -> Corridor:
        """Return the corridor of a drawing: ``P`` for Pacman, ``.`` for a dot, ``_`` for nothing.

        ValueError when it is none, or Pacman has no room to move.
        """
        if SHAPE.fullmatch(text) is None or len(text) == 1:
            raise ValueError(f"{text!r} is no corridor: draw one P, dots as . and free cells as _")
        food = frozenset(cell for cell, drawn in enumerate(text) if drawn == ".")
        return cls(len(text), text.index("P"), food)

    def __str__(self) -> str:
        drawn = ("P" if cell == self.pacman else "_."[cell in self.food] for cell in self.places)
        return "".join(drawn)

    @property
    def places(self) -> range:
        """All cells."""
        return range(self.cells)

    def moved(self, step: str) -> tuple[Corridor, int] | None:
        """Return what a step leads to and the dots that it eats; None where a wall is."""
        cell = self.pacman + STEPS[step]
        if cell not in self.places:
            return None
        return Corridor(self.cells, cell, self.food - {cell}), int(cell in self.food)


class PlannedStep(NamedTuple):
    """A step from a corridor, if it ate, and the best plan's ``worth`` by first step, in dots."""

    corridor: Corridor
    worth: dict[str, float]
    step: str
    ate: bool


@cache
def worth_of(corridor: Corridor, horizon: int, discount: float) -> float:
    """Return the dots of the best plan of ``horizon`` steps.

    A dot is worth ``discount``, 0 to 1, of itself a step later.
    """
    return max(worths(corridor, horizon, discount).values()) if horizon else 0.0


def worths(corridor: Corridor, horizon: int, discount: float) -> dict[str, float]:
    """Return the dots of the best plan that begins with each possible step."""
    found = {}
    for step in STEPS:
        if (moved := corridor.moved(step)) is not None:
            after, eaten = moved
            found[step] = eaten + discount * worth_of(after, horizon - 1, discount)
    return found


def walk(
    corridor: Corridor, horizon: int, discount: float, *, favourite: str = "east"
) -> Iterator[PlannedStep]:
    """Yield step after step until nothing is left to eat; perhaps for ever.

    Horizon (1 or more) and discount are those of `worth_of`; where both steps are worth the same,
    the favourite is made.
    """
    while corridor.food:
        worth = worths(corridor, horizon, discount)
        best = [step for step in worth if worth[step] == max(worth.values())]
        step = favourite if favourite in best else best[0]
        moved = corridor.moved(step)
        if moved is None:
            raise AssertionError(f"{step} was offered")
        yield PlannedStep(corridor, worth, step, bool(moved[1]))
        corridor = moved[0]
