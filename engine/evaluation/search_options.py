"""Run-time search options and their ranges; changing them compiles nothing.

Each parameter is a whole number that the kernels find among their control words. They decide how
estimates are searched, never how a value is proven, so any of them may be tuned by play.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import NamedTuple


class Range(NamedTuple):
    """The least and the greatest value of a parameter."""

    low: int
    high: int


def _whole(default: int, low: int, high: int, meaning: str) -> int:
    """Declare a whole number with range and meaning; typed as what it becomes, as ``field`` is."""
    return field(default=default, metadata={"range": Range(low, high), "meaning": meaning})


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchOptions:
    """How a position is searched to a depth, and how much of a search is spent on proof.

    Each field's metadata holds its range and meaning, which `mancala players` lists.

    Raises:
        ValueError: when a number is out of its range.
    """

    again_cost: int = _whole(
        1, 0, 1, "plies that an extra turn costs; 0 searches chains of extra turns for free"
    )
    quiescence: int = _whole(
        0, 0, 64, "greatest number of plies of captures and re-turns searched past the depth"
    )
    futility_plies: int = _whole(
        6, 0, 16, "greatest depth at which a static value far outside the window stands"
    )
    futility_margin: int = _whole(
        108, 0, 2048, "how far above the window it must lie, for each ply of depth; 1/64 seed"
    )
    razor_margin: int = _whole(
        216, 0, 2048, "how far below the window it must lie, for each ply of depth; 1/64 seed"
    )
    probe_from: int = _whole(
        6, 2, 64, "least depth at which a shallower search may stand in for the full one (ProbCut)"
    )
    probe_less: int = _whole(5, 1, 16, "plies by which that search is shallower")
    probe_margin: int = _whole(
        160, 0, 2048, "how far outside the window its value must lie; 1/64 seed"
    )
    proof_share: int = _whole(
        100,
        0,
        400,
        "effort spent on proving the value exact, per cent of the usual",
    )
    early_share: int = _whole(25, 0, 100, "per cent of that effort while the deepening is young")

    def __post_init__(self) -> None:
        for name, (low, high) in self.ranges().items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must be {low}..{high}, not {value}")

    def __iter__(self) -> Iterator[int]:
        """Return the values in the order of the kernels' control words."""
        return (getattr(self, each.name) for each in fields(self))

    @classmethod
    def ranges(cls) -> dict[str, Range]:
        return {each.name: each.metadata["range"] for each in fields(cls)}
