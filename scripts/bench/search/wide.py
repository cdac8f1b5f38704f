"""Play the engine against a textbook player on boards of any width; print a line of JSON for each.

``python -m mancala.scripts.bench.search.wide 8 10 --pairs 50`` compiles ``textbook.c`` (alpha-beta
with a transposition table, re-turns first, difference of stores) and plays pairs of games on
Kalah(8,8) and Kalah(10,10): each opening twice, with the seats swapped, both players with the same
processor time a move. So other work on the machine slows both alike. The score is the engine's,
with half of its 95 % interval from the spread of pairs.

Openings are random moves from the start that the textbook player thinks worth ``--band`` seeds at
most; otherwise many a pair is decided by its opening and ends 1 to 1 between any two players.
``--nodes`` and ``--textbook-nodes`` replace the time, so that games repeat on every machine.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.engine import Engine, EngineOptions, Limit
from mancala.protocol.rules import Board, Rules

from ...console import output as console
from ..averages import average
from .engine import library_of

PLIES: Final = (4, 9)
"""Fewest and most random moves of an opening."""
JUDGE_NODES: Final = 200_000
"""Positions of the search that judges an opening."""
NO_LIMIT: Final = 1 << 60
FOREVER_S: Final = 1e9


class Thought(NamedTuple):
    """What a search of the textbook player came to: a pit, and what it is based on."""

    pit: int
    nodes: int
    depth: int
    value: int


class Textbook:
    """The textbook player, compiled for this machine."""

    def __init__(self) -> None:
        self._library = library_of("textbook.c")
        self.forget = self._library.forget

    def think(
        self, board: Board, *, seconds: float = FOREVER_S, nodes: int | None = None
    ) -> Thought:
        """Search a board; ``value`` is what the mover still gains over the other."""
        rows = bytes(board.pits[board.player] + board.pits[1 - board.player])
        found = (ctypes.c_int64 * 3)()
        time_ns, most = ctypes.c_int64(int(1e9 * seconds)), ctypes.c_int64(nodes or NO_LIMIT)
        pit = self._library.choose(rows, board.rules.pits, time_ns, most, found)
        return Thought(int(pit), *found)


class DuelLimits(NamedTuple):
    """What each player may spend on a move: processor time, or positions."""

    seconds: float
    nodes: int | None
    textbook_nodes: int | None


class MoveTally(NamedTuple):
    """Moves of one player: how many, and their positions, plies and seconds together."""

    moves: int = 0
    nodes: int = 0
    depth: int = 0
    seconds: float = 0.0

    def and_one(self, nodes: int, depth: int, seconds: float) -> MoveTally:
        """Count one more move."""
        return MoveTally(
            self.moves + 1, self.nodes + nodes, self.depth + depth, self.seconds + seconds
        )

    def summary(self) -> dict[str, float]:
        """Return the means of a move, and the speed."""
        return {
            "depth": round(self.depth / self.moves, 1),
            "nodes": round(self.nodes / self.moves),
            "nps": round(self.nodes / self.seconds),
        }


class TextbookDuel:
    """The engine and the textbook player on one board size, and what their moves took."""

    def __init__(self, rules: Rules, options: EngineOptions, allowed: DuelLimits) -> None:
        self._rules, self._allowed = rules, allowed
        self._engine = Engine(options=options, clock=time.thread_time)
        self._engine.warm_up(rules)
        self._textbook = Textbook()
        self.tallies = [MoveTally(), MoveTally()]

    def openings(self, seed: int, band: int) -> Iterator[Board]:
        """Play random moves to starts that favour no side by more than ``band`` seeds."""
        rng = Random(seed)  # noqa: S311  # games need no cryptography
        while True:
            board = Board.start(self._rules)
            for _ in range(rng.randint(*PLIES)):
                board = board.sow(rng.choice(board.legal())).board
            if abs(self._worth(board)) <= band:
                yield board

    def _worth(self, board: Board) -> int:
        self._textbook.forget()
        return board.score(board.player) + self._textbook.think(board, nodes=JUDGE_NODES).value

    def score(self, opening: Board, seat: int) -> float:
        """Play a game with the engine in a seat; return its 1, ½ or 0."""
        self._engine.forget()
        self._textbook.forget()
        board = opening
        while not board.is_over:
            board = board.sow(self._choice(board, seat)).board
        margin = board.score(seat)
        return 0.5 + 0.5 * ((margin > 0) - (margin < 0))

    def _choice(self, board: Board, seat: int) -> int:
        if len(board.legal()) == 1:
            return board.legal()[0]
        began, allowed = time.thread_time(), self._allowed
        if board.player == seat:
            limit = Limit(time_s=None if allowed.nodes else allowed.seconds, nodes=allowed.nodes)
            report = self._engine.analyse(board, limit)
            pit, nodes, depth = report.pit, report.nodes, report.depth
        else:
            most = allowed.textbook_nodes
            seconds = FOREVER_S if most else allowed.seconds
            pit, nodes, depth, _ = self._textbook.think(board, seconds=seconds, nodes=most)
        which = board.player != seat
        spent = time.thread_time() - began
        self.tallies[which] = self.tallies[which].and_one(nodes, depth, spent)
        return pit


def measured(duel: TextbookDuel, *, pairs: int, seed: int, band: int) -> dict[str, Any]:
    """Play pairs of games; return the engine's score and what moves took."""
    scores = [
        (duel.score(opening, 0) + duel.score(opening, 1)) / 2
        for opening in islice(duel.openings(seed, band), pairs)
    ]
    score, error = average(scores).rounded()
    engine, textbook = duel.tallies
    return {
        "games": 2 * pairs,
        "score": score,
        "error": error,
        "engine": engine.summary(),
        "textbook": textbook.summary(),
    }


def main(
    widths: Annotated[list[int], typer.Argument(help="Pits a row.")],
    *,
    seeds: Annotated[int | None, typer.Option(help="Seeds a pit; default: as many.")] = None,
    pairs: Annotated[int, typer.Option(min=2, help="Pairs of games for each width.")] = 50,
    movetime: Annotated[float, typer.Option(help="Processor seconds a move.")] = 0.02,
    nodes: Annotated[int | None, typer.Option(help="The engine's positions a move.")] = None,
    textbook_nodes: Annotated[int | None, typer.Option(help="The textbook's.")] = None,
    weights: Annotated[Path | None, typer.Option(help="Weights; default: the shipped.")] = None,
    band: Annotated[int, typer.Option(min=0, help="Most that an opening is worth.")] = 4,
    seed: Annotated[int, typer.Option(help="Which openings.")] = 1,
) -> None:
    """Play on each width, and print a line of JSON for each."""
    options = EngineOptions(book=False)
    if weights is not None:
        options = options.with_weights(Weights.load(weights))
    allowed = DuelLimits(movetime, nodes, textbook_nodes)
    with console.bad_input():
        boards = [Rules(pits=width, seeds=seeds or width) for width in widths]
    for rules in boards:
        found = measured(TextbookDuel(rules, options, allowed), pairs=pairs, seed=seed, band=band)
        head = {"rules": str(rules), "movetime_s": movetime, "seed": seed, "band": band}
        console.emit({**head, **found})


if __name__ == "__main__":
    typer.run(main)
