"""The input and output of a search: limits, options and reports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan
from pathlib import Path
from typing import Any, Final, NamedTuple

from mancala.protocol.rules import Board, PlayerScore
from mancala.protocol.tabular import Tabular

from .. import tablebase
from ..evaluation.search_options import SearchOptions
from ..evaluation.weights import Weights, shipped

GLANCE_NODES: Final = 2048
"""Nodes that value an only move, within a millisecond or two."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Limit:
    """When to stop searching; the first limit reached applies, None is no limit.

    Attributes:
        time_s: seconds on the engine's clock.
        depth: plies of the deepening; with it, nothing is proven and no book consulted.
        nodes: positions whose sowings are generated.

    Raises:
        ValueError: when the time is no number.
    """

    time_s: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        if self.time_s is not None and isnan(self.time_s):
            raise ValueError("the time must be a number of seconds, not nan")

    def within(self, time_s: float) -> Limit:
        """Return the same limit with at most ``time_s`` seconds."""
        return replace(self, time_s=time_s if self.time_s is None else min(time_s, self.time_s))

    def to_choose_on(self, board: Board) -> Limit:
        """Return the limit for choosing a move; an only move needs few nodes."""
        if len(board.legal()) > 1:
            return self
        return replace(self, nodes=min(self.nodes or GLANCE_NODES, GLANCE_NODES))


class MoveValue(NamedTuple):
    """One move and what it is worth: the difference of stores at the end, for the mover.

    ``value`` is None as long as nothing is known of the move.
    """

    pit: int
    value: float | None
    exact: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Report(Tabular):
    """The result of a search so far.

    Attributes:
        player: the mover, for whom all values are.
        depth: plies searched; 0 before the first iteration.
        pit: the best move.
        value: store difference at the end of the game, for the mover, in seeds; None before the
            first iteration, unless the book knows it.
        exact: whether ``value`` is proven.
        pv: the expected line, the best move first; extra turns are moves of their own.
        nodes: positions whose sowings were generated.
        seconds: time spent.
        moves: every legal move, best first; a value that is not exact may be an upper bound, or
            that of the best where the move seems up to a quarter of a seed better.
        lines: expected lines of moves by their pits, where they were asked for.
    """

    player: int = 0
    depth: int
    pit: int
    value: float | None
    exact: bool
    pv: tuple[int, ...]
    nodes: int
    seconds: float
    moves: tuple[MoveValue, ...]
    lines: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def known_value(self) -> float:
        """The value, for callers whose limit lets the first iteration finish.

        Raises:
            ValueError: when the search was stopped before that.
        """
        if self.value is None:
            raise ValueError("the search was stopped before its first iteration")
        return self.value

    @property
    def score(self) -> PlayerScore:
        """The value, and whose it is."""
        return PlayerScore(self.value, self.player)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values, as ``mancala analyze --json`` prints it."""
        return {
            "best": self.pit,
            "value": _number(self.value, exact=self.exact),
            "exact": self.exact,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "nps": round(self.nodes / self.seconds) if self.seconds else 0,
            "pv": list(self.pv),
            "moves": self.rows,
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each move, best first."""
        return [
            {
                "pit": move.pit,
                "value": _number(move.value, exact=move.exact),
                "exact": move.exact,
                **({"pv": list(self.lines[move.pit])} if move.pit in self.lines else {}),
            }
            for move in self.moves
        ]

    def __str__(self) -> str:
        """Return the best move and its value."""
        proven = "proven" if self.exact else f"depth {self.depth}"
        return f"pit {self.pit}, {self.score}, {proven}"


def _number(value: float | None, *, exact: bool) -> float | None:
    if value is None:
        return None
    return int(value) if exact else round(value, 3)


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineOptions:
    """How an engine is built.

    Attributes:
        table_bits: the transposition table has ``2 ** table_bits`` buckets of 64 bytes; 16 to 30.
        weights: the evaluation.
        search: how positions are searched; a player's spec has its names beside the ones here.
        verify_plies: plies that the end of the best line is searched on, before a move is
            committed to after a limit of depth; 0 trusts the line. Without such a limit the next
            iteration does as much.
        tables: seeds that the endgame tables reach; None for the largest file in ``cache``, or 31
            million positions where there is none as large.
        cache: directory of the endgame tables; None keeps small ones in memory only.
        book: 1 to know the opening book.
        threads: number of searching threads, on one table; 1..64. With one, a search repeats to
            the node.
        ponder: 1 makes a bot on a server keep searching during the other side's turn; see
            :meth:`mancala.engine.search.engine.Engine.ponder`. Headless games have no such time.
        all_moves: give every move its value, not only a bound to those that are not best.

    Raises:
        ValueError: when a number is out of its range.
    """

    table_bits: int = 18
    weights: Weights = field(default_factory=shipped)
    search: SearchOptions = field(default_factory=SearchOptions)
    verify_plies: int = 0
    tables: int | None = None
    cache: Path | None = field(default_factory=tablebase.default_cache)
    threads: int = 1
    ponder: int = 0
    book: int = 1
    all_moves: bool = False

    def __post_init__(self) -> None:
        if not 16 <= self.table_bits <= 30:
            raise ValueError(f"table_bits must be 16..30, not {self.table_bits}")
        if not 0 <= self.verify_plies <= 64:
            raise ValueError(f"verify_plies must be 0..64, not {self.verify_plies}")
        if self.tables is not None and self.tables not in tablebase.SIZES:
            low, high = min(tablebase.SIZES), max(tablebase.SIZES)
            raise ValueError(f"tables must be {low}..{high}, not {self.tables}")
        if self.book not in (0, 1):
            raise ValueError(f"book must be 0 or 1, not {self.book}")
        if self.ponder not in (0, 1):
            raise ValueError(f"ponder must be 0 or 1, not {self.ponder}")
        if not 1 <= self.threads <= 64:
            raise ValueError(f"threads must be 1..64, not {self.threads}")

    def with_weights(self, weights: Weights) -> EngineOptions:
        """Return options with these weights, and the search options tuned with them, if any."""
        return replace(self, weights=weights, search=weights.search or self.search)
