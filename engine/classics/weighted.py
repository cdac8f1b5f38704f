"""The better evaluation that the article asks for: weighted features, by the engine's names.

The article proposes to value "captures, re-turns, winning moves, defensive moves to prevent
captures, re-turns that lead to captures". Each has a name in `mancala.engine.evaluation.features`:
``my_capture``, ``my_returns``, ``their_capture`` (what the opponent threatens, so a defence lowers
it) and ``my_chain_capture``; a winning move needs no weight, since the searches value it above all.

`features` counts them as the compiled evaluation of the engine does, in plain Python to be read;
a test compares the two. Re-turns by the rule ``relap`` are not among them, as in the engine's
tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..evaluation.features import DEFAULTS, FEATURES, NAMES, RANGES
from .game import Position, lead, spread

FILE_VERSION: Final = 2
"""Of a file with weights; `mancala.engine.evaluation.weights` reads and writes the same."""


class Weighted:
    """An evaluation: the lead, and the weighted features as an estimate of what is still won.

    The estimate never exceeds the seeds in play, since neither side can win more than these.

    Args:
        weights: seeds by name, as in `mancala.engine.evaluation.features`; names left out weigh
            nothing.

    Raises:
        ValueError: when a name is unknown or a weight is out of its range.
    """

    def __init__(self, weights: Mapping[str, float] = DEFAULTS) -> None:
        for name, weight in weights.items():
            low, high = RANGES.get(name, (0.0, -1.0))
            if name not in RANGES:
                raise ValueError(f"no feature named {name!r}; known: {', '.join(NAMES)}")
            if not low <= weight <= high:
                raise ValueError(f"{name} must be {low:g}..{high:g}, not {weight:g}")
        self.weights = {name: weight for name, weight in weights.items() if weight}

    def __call__(self, position: Position) -> float:
        """Return the value of a position for its mover, in seeds."""
        found = features(position)
        worth = sum(weight * found[name] for name, weight in self.weights.items())
        left = sum(position) - position[len(position) // 2 - 1] - position[-1]
        return lead(position) + max(-left, min(left, worth))


def features(position: Position) -> dict[str, int]:
    """Return what `mancala.engine.evaluation.features` names, counted in a position."""
    half = len(position) // 2
    mine, theirs = _counts(position), _counts(position[half:] + position[:half])
    found = {"tempo": 1}
    for feature in FEATURES:
        found[f"my_{feature.name}"] = mine[feature.name]
        found[f"their_{feature.name}"] = theirs[feature.name]
    return found


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
    """Return the weights by name in a file; names left out weigh their default.

    Raises:
        OSError: when the file cannot be read.
        ValueError: when it holds no weights, or tables by pit, which only the engine reads.
    """
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        given = {str(name): float(weight) for name, weight in body["values"].items()}
        tables = bool(body.get("pits") or body.get("pairs"))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no weights file: {error}") from error
    if tables:
        raise ValueError(f"{path} holds tables by pit, which only the engine reads")
    return {**DEFAULTS, **given}


def _counts(position: Position) -> dict[str, int]:
    """Return the counts of `FEATURES` by name, for the mover's side."""
    half = len(position) // 2
    row = position[: half - 1]
    length, after = _chain(position)
    return {
        "seeds": sum(row),
        "mobility": sum(count > 0 for count in row),
        "returns": sum(_moves_again(row, pit) for pit in range(len(row))),
        "chain": length,
        "capture": _best_capture(position),
        "chain_capture": _best_capture(after),
    }


def _moves_again(row: Position, pit: int) -> bool:
    """Return whether the pit's last seed falls into the store."""
    return row[pit] % (2 * len(row) + 1) == len(row) - pit


def _chain(position: Position) -> tuple[int, Position]:
    """Return how many re-turns follow one another, the rightmost always first, and the end."""
    cells, store, length = list(position), len(position) // 2 - 1, 0
    while True:
        row = tuple(cells[:store])
        pit = next((pit for pit in reversed(range(store)) if _moves_again(row, pit)), None)
        if pit is None:
            return length, tuple(cells)
        spread(cells, pit)
        length += 1


def _best_capture(position: Position) -> int:
    """Return the most seeds of the other row that one sowing captures."""
    store, most = len(position) // 2 - 1, 0
    for pit in range(store):
        if position[pit]:
            cells = list(position)
            last = spread(cells, pit)
            if last < store and cells[last] == 1:
                most = max(most, cells[2 * store - last])
    return most
