"""What the evaluation counts: the features by name, with their default weights and ranges.

Names and numbers only, so that commands can list them without loading numpy or the kernels;
`mancala.engine.evaluation.weights` gives them their meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SCALE: Final = "table_scale"
"""Stands among changed weights for the factor that multiplies all tables."""
LEAST_SCALE, MOST_SCALE = 0.25, 4.0
NET_SCALE: Final = "net_scale"
"""Stands among changed weights for the factor that multiplies what the net adds."""
MOST_NET_SCALE: Final = 4.0
STORES: Final = "stores"
"""Stands among changed weights for the weight of the store difference."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing the evaluation counts.

    Attributes:
        name: as in a weights file, where ``my_`` or ``their_`` stands before it.
        meaning: what is counted, from the side that owns it.
        mine: default weight for the mover's count, seeds.
        theirs: default weight for the other side's count, seeds.
        low: least sensible weight, seeds.
        high: greatest sensible weight, seeds.
    """

    name: str
    meaning: str
    mine: float
    theirs: float
    low: float = -4.0
    high: float = 4.0


FEATURES: Final = (
    Feature("seeds", "seeds in the row", 0.15, -0.15),
    Feature("mobility", "pits that are not empty", 0.1, -0.1),
    Feature("returns", "pits whose sowing gives another turn", 0.5, -0.3),
    Feature("chain", "sowings in the chain of re-turns, the rightmost always first", 0.6, -0.3),
    Feature(
        "capture", "most seeds one sowing captures; the other side's vulnerable seeds", 0.2, -0.1
    ),
    Feature("chain_capture", "most seeds captured at the end of that chain", 0.4, -0.2),
)
TEMPO: Final = 0.5
"""Default worth of having the move, seeds."""
NAMES: Final = (
    "tempo",
    *(f"{side}_{feature.name}" for feature in FEATURES for side in ("my", "their")),
)
RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "tempo": (-4.0, 4.0),
    **{
        f"{side}_{feature.name}": (feature.low, feature.high)
        for feature in FEATURES
        for side in ("my", "their")
    },
}
"""Least and greatest sensible weight by name, seeds."""
DEFAULTS: Final[Mapping[str, float]] = {
    "tempo": TEMPO,
    **{f"my_{feature.name}": feature.mine for feature in FEATURES},
    **{f"their_{feature.name}": feature.theirs for feature in FEATURES},
}
