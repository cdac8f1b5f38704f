"""The proven positions of a season: proven once, kept beside its secret seed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from mancala.protocol.loss import ProvenPosition

from ..hosting.shelf import STATE, write_whole
from .settings import SEED


class _KeptPositions(msgspec.Struct, frozen=True):
    """The file: a season whose seed was drawn anew has other positions."""

    seed: int
    positions: tuple[ProvenPosition, ...]


def kept_positions(course: Path, season: str, seed: int) -> dict[int, ProvenPosition]:
    """Return the positions of a season that are proven already, by number.

    Raises:
        OSError: when they cannot be read.
    """
    file = _file(course, season)
    if not file.exists():
        return {}
    kept = msgspec.json.decode(file.read_bytes(), type=_KeptPositions)
    return {each.number: each for each in kept.positions} if kept.seed == seed else {}


def keep_positions(
    course: Path, season: str, seed: int, positions: Iterable[ProvenPosition]
) -> None:
    """Keep proven positions of a season, beside those that are kept.

    Raises:
        OSError: when they cannot be written.
    """
    known = kept_positions(course, season, seed)
    every = known | {each.number: each for each in positions}
    if len(every) > len(known):
        kept = _KeptPositions(seed, tuple(every[number] for number in sorted(every)))
        write_whole(_file(course, season), msgspec.json.encode(kept))


def _file(course: Path, season: str) -> Path:
    return course / STATE / SEED / f"{season}.positions"
