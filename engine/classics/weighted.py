"""The better evaluation that the article asks for: weighted features, by the engine's names.

The article proposes to value "captures, re-turns, winning moves, defensive moves to prevent
captures, re-turns that lead to captures". Each has a name in `mancala.engine.evaluation.features`:
``my_capture``, ``my_returns``, ``their_capture`` (what the opponent threatens, so a defence lowers
it) and ``my_chain_capture``; a winning move needs no weight, since the searches value it above all.

Re-turns by the rule ``relap`` are not among them, as in the engine's tables.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mancala.protocol.text import written_text

from ..evaluation.features import (
    DEFAULTS,
    FACTORS,
    FILE_VERSION,
    NAMES,
    RANGES,
    STORES,
    check,
    counts,
)
from .game import Position, lead

MOST_STORES: Final = FACTORS[STORES][1]
LEAD_RANGE: Final = {**RANGES, STORES: (0.0, MOST_STORES)}
"""The range of each weight. The engine's unit is a seed of the lead, so there it is never 0."""


class Weighted:
    """An evaluation: the weighted lead, and weighted features as an estimate of what is still won.

    The estimate never exceeds the seeds in play, since neither side can win more than these. Names
    left out of the weights weigh nothing, and the lead, ``stores``, one; ValueError for an unknown
    name or a weight out of its range.
    """

    def __init__(self, weights: Mapping[str, float] = DEFAULTS) -> None:
        check(weights, LEAD_RANGE)
        self.stores = weights.get(STORES, 1.0)
        self.weights = {name: each for name, each in weights.items() if each and name != STORES}

    def __call__(self, position: Position) -> float:
        """Return the value of a position for its mover, in seeds."""
        found = counts(position)
        worth = sum(weight * found[name] for name, weight in self.weights.items())
        left = sum(position) - position[len(position) // 2 - 1] - position[-1]
        return self.stores * lead(position) + max(-left, min(left, worth))


def save(weights: Mapping[str, float], path: Path, provenance: str) -> None:
    """Write weights as a file that these players and the engine read."""
    body = {
        "version": FILE_VERSION,
        "provenance": provenance,
        "values": dict.fromkeys(NAMES, 0.0) | dict(weights),
        "pits": [],
        "pairs": [],
    }
    path.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> dict[str, float]:
    """Return the weights by name in a file; names left out weigh nothing.

    ValueError when it holds no weights, or tables by pit, which only the engine reads.
    """
    try:
        body = json.loads(written_text(path.read_bytes()))
        given = {str(name): float(weight) for name, weight in body["values"].items()}
        tables = bool(body.get("pits") or body.get("pairs"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no weights file: {error}") from error
    if tables:
        raise ValueError(f"{path} holds tables by pit, which only the engine reads")
    return given
