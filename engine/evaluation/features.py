"""What the evaluation counts: each feature once, with its meaning, its weights and its count.

Names in files and options, ranges, the layout of the compiled weights, tables by pit, the plain
evaluation (`mancala.engine.classics.weighted`) and what is learnt or tuned follow from `FEATURES`.
The compiled evaluation has tables for what is a sum over single pits, and counts all else by itself
(`mancala.engine.kernels.evaluation`); a test compares it with the counts here.

All is plain Python, so that commands list the features without loading numpy or the kernels.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

Cells: TypeAlias = tuple[int, ...]
"""A flat position: own pits ``0..m-1``, own store, other pits ``0..m-1``, other store."""

FILE_VERSION: Final = 2
"""Of a file with weights."""
SCALE: Final = "table_scale"
"""Stands among changed weights for the factor that multiplies all tables."""
NET_SCALE: Final = "net_scale"
"""Stands among changed weights for the factor that multiplies what the net adds."""
STORES: Final = "stores"
"""Stands among changed weights for the weight of the store difference."""
FACTORS: Final[Mapping[str, tuple[float, float]]] = {
    SCALE: (0.25, 4.0),
    NET_SCALE: (0.0, 4.0),
    STORES: (0.25, 4.0),
}
"""Least and greatest of each."""


def spread(cells: list[int], pit: int, *, keep_one: bool = False) -> int:
    """Sow a pit's seeds over the cells of a flat position; return the place of the last one.

    Places are the mover's pits, its store, and the other row; the other store is left out. With
    ``keep_one`` the first of several seeds falls back into the pit.
    """
    places, hand = len(cells) - 1, cells[pit]
    cells[pit] = 0
    if keep_one and hand > 1:
        cells[pit], hand = 1, hand - 1
    laps, rest = divmod(hand, places)
    if laps:
        cells[:places] = [count + laps for count in cells[:places]]
    end = pit + 1 + rest
    for place in range(pit + 1, min(end, places)):
        cells[place] += 1
    for place in range(end - places):
        cells[place] += 1
    return (end - 1) % places


def _seeds(position: Cells) -> int:
    return sum(_row(position))


def _mobility(position: Cells) -> int:
    return sum(map(bool, _row(position)))


def _returns(position: Cells) -> int:
    return len(_again(_row(position)))


def _chain(position: Cells) -> int:
    return _after_chain(position)[0]


def _capture(position: Cells) -> int:
    store, most = len(position) // 2 - 1, 0
    for pit in range(store):
        if position[pit]:
            cells = list(position)
            last = spread(cells, pit)
            if last < store and cells[last] == 1:
                most = max(most, cells[2 * store - last])
    return most


def _chain_capture(position: Cells) -> int:
    return _capture(_after_chain(position)[1])


def _row(position: Sequence[int]) -> Sequence[int]:
    return position[: len(position) // 2 - 1]


def _again(row: Sequence[int]) -> list[int]:
    """Return the pits whose last seed falls into the store."""
    pits = len(row)
    return [pit for pit in range(pits) if row[pit] % (2 * pits + 1) == pits - pit]


@lru_cache(maxsize=4)  # two features ask for the same
def _after_chain(position: Cells) -> tuple[int, Cells]:
    """Return how many re-turns follow one another, the rightmost always first, and the end."""
    cells, length = list(position), 0
    while again := _again(_row(cells)):
        spread(cells, again[-1])
        length += 1
    return length, tuple(cells)


class Feature(NamedTuple):
    """One thing the evaluation counts, once for the mover and once for the other side.

    Attributes:
        name: as in a weights file, where ``my_`` or ``their_`` stands before it.
        meaning: what is counted, from the side that owns it.
        mine: default weight for the mover's count, seeds.
        theirs: default weight for the other side's count, seeds.
        tally: counts it for the mover of a flat position.
        by_pit: whether it is a sum over single pits, each of which counts by its own seeds alone.
        size: how large it usually is.
        low: least sensible weight, seeds.
        high: greatest sensible weight, seeds.
    """

    name: str
    meaning: str
    mine: float
    theirs: float
    tally: Callable[[Cells], int]
    by_pit: bool = False
    size: int = 1
    low: float = -4.0
    high: float = 4.0


_CHAIN: Final = "sowings in the chain of re-turns, the rightmost always first"
_CAPTURE: Final = "most seeds one sowing captures; the other side's vulnerable seeds"
_AFTER_CHAIN: Final = "most seeds captured at the end of that chain"
FEATURES: Final = (
    Feature("seeds", "seeds in the row", 0.15, -0.15, _seeds, by_pit=True, size=10),
    Feature("mobility", "pits that are not empty", 0.1, -0.1, _mobility, by_pit=True, size=4),
    Feature("returns", "pits whose sowing gives another turn", 0.5, -0.3, _returns, by_pit=True),
    Feature("chain", _CHAIN, 0.6, -0.3, _chain),
    Feature("capture", _CAPTURE, 0.2, -0.1, _capture, size=4),
    Feature("chain_capture", _AFTER_CHAIN, 0.4, -0.2, _chain_capture, size=4),
)
PIT_FEATURES: Final = tuple(each for each in FEATURES if each.by_pit)
BOARD_FEATURES: Final = tuple(each for each in FEATURES if not each.by_pit)
SIDES: Final = ("my", "their")
_BY_NAME: Final = {f"{side}_{each.name}": each for each in FEATURES for side in SIDES}
NAMES: Final = ("tempo", *_BY_NAME)
"""What has a weight: having the move, and each feature of both sides."""
RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "tempo": (-4.0, 4.0),
    **{name: (each.low, each.high) for name, each in _BY_NAME.items()},
}
"""Least and greatest sensible weight by name, seeds."""
DEFAULTS: Final[Mapping[str, float]] = {
    "tempo": 0.5,
    **{f"my_{each.name}": each.mine for each in FEATURES},
    **{f"their_{each.name}": each.theirs for each in FEATURES},
}
SIZES: Final[Mapping[str, int]] = {
    "tempo": 1,
    **{name: each.size for name, each in _BY_NAME.items()},
}
MEANINGS: Final[Mapping[str, str]] = {
    "tempo": "having the move",
    **{f"my_{each.name}": f"{each.meaning}, own side" for each in FEATURES},
    **{f"their_{each.name}": f"{each.meaning}, opponent's side" for each in FEATURES},
}


def counts(position: Cells) -> dict[str, int]:
    """Return how often each of `NAMES` counts in a flat position."""
    half = len(position) // 2
    views = {"my": position, "their": position[half:] + position[:half]}
    return {
        "tempo": 1,
        **{f"{side}_{each.name}": each.tally(views[side]) for each in FEATURES for side in SIDES},
    }


def check(weights: Mapping[str, float], ranges: Mapping[str, tuple[float, float]] = RANGES) -> None:
    """Check that each weight has a known name and is within its range."""
    for name, weight in weights.items():
        if name not in ranges:
            raise ValueError(f"no feature named {name!r}; known: {', '.join(NAMES)}")
        low, high = ranges[name]
        if not low <= weight <= high:
            raise ValueError(f"{name} must be {low:g}..{high:g}, not {weight:g}")
