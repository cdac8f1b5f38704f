"""The value of a position for the mover where a search stops: two published evaluations.

A third, ``weighted``, has a file of its own.

``stores`` is the difference of the stores. The article that uses it calls it "a simple and weak
evaluation": it leaves many moves equal, and a player then chooses among them at random.

``side`` counts every seed on the mover's side, store included, and three more for each pit whose
last seed would fall into the store. The notebook that walks through minimax prints its game but not
its evaluation. A search to depth 5 with ``side`` makes the notebook's choices (pits 4, 0, 0), while
``stores`` opens with pit 5. ``side`` plays much worse than ``stores``, since seeds on one's side
can be captured: 25 points of 100 games at depth 3, after 4 random plies.

Both are zero at the start, and change sign when the board is turned round, as a value for the mover
must. The searches value a finished game by its difference of stores, whatever the evaluation.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from .game import Position, lead
from .weighted import Weighted

Evaluation: TypeAlias = "Callable[[Position], float]"
Utilities: TypeAlias = tuple[float, float]
"""A position's value for the mover, and its value for the other player."""
Utility: TypeAlias = "Callable[[Position], Utilities]"

RETURN_WORTH: Final = 3
"""Seeds that ``side`` adds for each possible re-turn."""


def stores(position: Position) -> int:
    """Return the mover's store minus the other's, and count nothing of the pits."""
    return lead(position)


def side(position: Position) -> int:
    """Return the difference of the sides: seeds, and possible re-turns."""
    half = len(position) // 2
    return _side(position[:half]) - _side(position[half:])


def _side(cells: Position) -> int:
    store = len(cells) - 1
    returns = sum(cells[pit] == store - pit for pit in range(store))
    return sum(cells) + RETURN_WORTH * returns


def margin(position: Position) -> Utilities:
    """Return the difference of the stores for each player: what one gains, the other loses."""
    return lead(position), -lead(position)


def harvest(position: Position) -> Utilities:
    """Return each player's own store alone; a player who maximises it ignores the other's."""
    return position[len(position) // 2 - 1], position[-1]


EVALUATIONS: Final[dict[str, Evaluation]] = {"stores": stores, "side": side, "weighted": Weighted()}
UTILITIES: Final[dict[str, Utility]] = {"margin": margin, "harvest": harvest}
