"""The weights of an evaluation as options, one a name of `mancala.engine.evaluation.features`."""

from __future__ import annotations

from typing import Final

from mancala.engine.evaluation.features import FEATURES, RANGES

from .options import Option, number


def _meanings() -> dict[str, str]:
    meanings = {
        f"{side}_{feature.name}": f"weight, seeds: {feature.meaning}, {whose}"
        for feature in FEATURES
        for side, whose in (("my", "own side"), ("their", "opponent's side"))
    }
    return meanings | {"tempo": "weight, seeds: having the move"}


WEIGHT_OPTIONS: Final[tuple[Option, ...]] = tuple(
    number(name, _meanings()[name], None, low=low, high=high)
    for name, (low, high) in RANGES.items()
)
