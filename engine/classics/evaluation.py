"""What a position is worth to the mover when a search stops: two evaluations, both seen in print.

``stores`` is the article's: the difference of the stores, "a simple and weak evaluation". It
leaves many moves equal, and a player then chooses among them at random.

``side`` counts every seed that lies on one's own side, store included, and three more for each
pit that could be sown into the store for another turn. The notebook that walks through minimax
does not print its evaluation, only its game; a search to depth 5 with this one makes the same
choices (pits 4, 0, 0), where ``stores`` opens with pit 5. In play it is much the weaker of the two,
since seeds on one's side can be captured: 25 points of 100 games at depth 3, 4 random plies first.

Both are zero at the start and change sign when the board is turned, as a value for the mover must.
An ended game is worth the difference of its stores by either, which the searches see to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.classics.game import lead

if TYPE_CHECKING:
    from engine.classics.game import Position

Evaluation: TypeAlias = "Callable[[Position], int]"
Utilities: TypeAlias = tuple[float, float]
"""What a position is worth to the mover, and what it is worth to the other player."""
Utility: TypeAlias = "Callable[[Position], Utilities]"

RETURN_WORTH: Final = 3
"""Seeds that a re-turn at hand counts for in ``side``."""


def stores(position: Position) -> int:
    """Value a position by the difference of the stores."""
    return lead(position)


def side(position: Position) -> int:
    """Value a position by the seeds on either side and the re-turns at hand."""
    half = len(position) // 2
    return _side(position[:half]) - _side(position[half:])


def _side(cells: Position) -> int:
    store = len(cells) - 1
    returns = sum(cells[pit] == store - pit for pit in range(store))
    return sum(cells) + RETURN_WORTH * returns


def margin(position: Position) -> Utilities:
    """Give each player the difference of the stores: what one gains, the other loses."""
    return lead(position), -lead(position)


def harvest(position: Position) -> Utilities:
    """Give each player its own store alone: who plays for this does not mind the other's."""
    return position[len(position) // 2 - 1], position[-1]


EVALUATIONS: Final[dict[str, Evaluation]] = {"stores": stores, "side": side}
UTILITIES: Final[dict[str, Utility]] = {"margin": margin, "harvest": harvest}
