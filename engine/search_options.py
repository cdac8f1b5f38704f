"""What can be turned in the search without compiling it anew, and how far.

Each parameter is a whole number that the kernels find among their control words. They decide how
estimates are searched, never how a value is proven, so any of them may be tuned by play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, field, fields
from typing import NamedTuple


class Range(NamedTuple):
    """The least and the greatest value of a parameter."""

    low: int
    high: int


def _whole(default: int, low: int, high: int) -> int:
    """Declare a whole number with its range; typed as what it becomes, as ``field`` is."""
    return field(default=default, metadata={"range": Range(low, high)})


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchOptions:
    """How a position is searched to a depth, and how much of a think is spent on proof.

    Attributes:
        again_cost: plies that an extra turn costs; 0 searches chains for nothing.
        quiescence: most plies of captures and re-turns searched on past the depth.
        futility_plies: greatest depth at which a static value far outside the window stands.
        futility_margin: how far above the window, a ply of depth; 1/64 seed.
        razor_margin: how far below the window, a ply of depth; 1/64 seed.
        probe_from: least depth at which a shallower search may answer for the whole one.
        probe_less: plies by which it is shallower.
        probe_margin: how far outside the window its value has to lie; 1/64 seed.
        proof_share: per cent of the usual nodes that go to the proof; see
            :mod:`engine.session`.
        early_share: per cent of that while the deepening is young.

    Raises:
        ValueError: when a number is out of its range.
    """

    again_cost: int = _whole(1, 0, 1)
    quiescence: int = _whole(6, 0, 64)
    futility_plies: int = _whole(6, 0, 16)
    futility_margin: int = _whole(128, 0, 2048)
    razor_margin: int = _whole(256, 0, 2048)
    probe_from: int = _whole(6, 2, 64)
    probe_less: int = _whole(5, 1, 16)
    probe_margin: int = _whole(192, 0, 2048)
    proof_share: int = _whole(100, 0, 400)
    early_share: int = _whole(25, 0, 100)

    def __post_init__(self) -> None:
        for name, (low, high) in self.ranges().items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must be {low}..{high}, not {value}")

    def __iter__(self) -> Iterator[int]:
        """Give the values in the order of the kernels' control words."""
        return iter(astuple(self))

    @classmethod
    def ranges(cls) -> dict[str, Range]:
        """Give the range of each parameter by its name."""
        return {each.name: each.metadata["range"] for each in fields(cls)}
