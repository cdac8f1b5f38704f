"""What each position and each move of a game was worth: proven where proofs reach, else estimated.

A review has three passes, each as far as its share of the time goes:

1. *Backwards, the value of each position.* The value of the position after the move played is then
   known, and is the guess that the proof of the position before begins with: right whenever the
   move was best, and one null window for each other move then settles it. What the last proofs
   learnt is in the transposition table for the next.
2. *Backwards again, the value of every other move* of the positions with a proven value.
3. *Deeper and deeper, estimates* of all moves without a proof. All of a position have one depth, so
   they can be compared. The first depth is searched whatever the time, so every move has a value.

Before the estimates, lines of play to the end are drawn from the positions of proven value, each
sowing proven to keep it: they show why a move lost seeds (`mancala.protocol.reasons`).

An estimate never contradicts a proof: it is brought into the bounds that the proofs have left.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from mancala.protocol.messages import LONGEST_LINE, Assessment, MoveValue
from mancala.protocol.review import SHOWN_LINE
from mancala.protocol.rules import Board

from .kernels import INFINITY, PROOF, UNIT
from .knowledge import known
from .search.solver import Proof, Solver

VALUES_SHARE: Final = 0.5
MOVES_SHARE: Final = 0.7
"""Share of the time after which the first and the second pass end."""
LINES_SHARE: Final = 0.2
"""Share of the time that lines to the end may take; all but those from an opening take ms."""
FIRST_DEPTH: Final = 4
STEP: Final = 2
DEEPEST: Final = 40
DIGITS: Final = 1
"""Decimals of an estimate, which is good to about a seed."""


@dataclass(slots=True)
class _Position:
    """A position of the game and what is known of it.

    Attributes:
        estimates: values of the moves for the mover, in seeds, all of one depth.
        depth: that depth.
    """

    board: Board
    pit: int
    proof: Proof
    estimates: dict[int, float] = field(default_factory=dict)
    depth: int = 0
    line: tuple[int, ...] = ()

    @property
    def open_moves(self) -> list[int]:
        """The moves whose value is not proven."""
        return [pit for pit, bounds in self.proof.moves.items() if not bounds.exact]

    def value(self, pit: int) -> float:
        """Return what is known of a move, for the mover."""
        bounds = self.proof.moves[pit]
        if bounds.exact:
            return bounds.low
        within = bounds.clamp(self.estimates.get(pit, 0.0))
        return round(within, DIGITS)

    @property
    def best(self) -> int:
        """A best move: one that is proven if the position's value is."""
        proven = self.proof.best
        if proven is not None:
            played = self.proof.moves[self.pit]
            return self.pit if played.exact and played.low == self.proof.value.low else proven
        return max(self.proof.moves, key=lambda pit: (self.value(pit), pit == self.pit))


class Reviewer:
    """Reviews games of one set of rules; what one proof learns, the next one knows.

    Args:
        solver: of these rules.
        clock: seconds, never going back.
    """

    def __init__(self, solver: Solver, clock: Callable[[], float]) -> None:
        self._solver = solver
        self._clock = clock

    def review(
        self, boards: Sequence[Board], pits: Sequence[int], *, time_s: float
    ) -> tuple[Assessment, ...]:
        """Assess every position of a game in which a move was played.

        Args:
            boards: the position before each move, then the last one.
            pits: the pits sown.
            time_s: seconds for the whole game. The first estimates are made whatever the time,
                about 0.1 s.

        Returns:
            An assessment for each move, in order of play.
        """
        began = self._clock()
        positions = [
            _Position(board, pit, self._solver.proof(board))
            for board, pit in zip(boards, pits, strict=False)
        ]
        self._prove_values(positions, boards[-1], began + VALUES_SHARE * time_s)
        self._estimate([each for each in positions if not each.depth], FIRST_DEPTH)
        self._prove_moves(positions, began + MOVES_SHARE * time_s)
        self._prove_lines(positions, boards[-1], self._clock() + LINES_SHARE * time_s)
        self._deepen(positions, began + time_s)
        self._draw_lines(positions)
        return tuple(_assessment(ply, position) for ply, position in enumerate(positions))

    def forget(self) -> None:
        """Clear what earlier games have taught, so that a review depends on its game only."""
        self._solver.forget()

    def warm_up(self, board: Board) -> None:
        """Load or compile what a review needs, so that its time is spent on the game.

        Args:
            board: any of the solver's rules that is not over.
        """
        pit = board.legal()[0]
        self.review((board, board.sow(pit).board), (pit,), time_s=0.0)

    # Proofs

    def _prove_values(self, positions: Sequence[_Position], last: Board, until: float) -> None:
        following = last.score(last.player) if last.is_over else None
        after = last
        reaches = True
        for position in reversed(positions):
            if following is not None:
                position.proof.know_move(position.pit, _turned(position.board, after, following))
            if (sure := known(position.board)) is not None:
                position.proof.adopt(sure)
            if reaches and not position.proof.value.exact:
                self._estimate([position], FIRST_DEPTH)
                reaches = self._run(self._value_of(position), until)
            value = position.proof.value
            following, after = value.low if value.exact else None, position.board

    def _value_of(self, position: _Position) -> Iterator[bool]:
        played = position.proof.moves[position.pit]
        order = tuple(sorted(position.proof.moves, key=lambda pit: -position.value(pit)))
        guess = played.low if played.exact else position.value(order[0])
        return position.proof.prove_best(guess, order)

    def _prove_moves(self, positions: Sequence[_Position], until: float) -> None:
        for position in reversed(positions):
            for pit in position.open_moves:
                guess = position.value(pit)
                if not self._run(position.proof.prove_move(pit, guess), until):
                    return

    # Estimates

    def _deepen(self, positions: Sequence[_Position], until: float) -> None:
        for depth in range(FIRST_DEPTH + STEP, DEEPEST + 1, STEP):
            if not self._estimate(positions, depth, until):
                return

    def _estimate(
        self, positions: Sequence[_Position], depth: int, until: float | None = None
    ) -> bool:
        """Estimate all moves without a proof; return whether there is more to do."""
        some = False
        for position in reversed(positions):
            moves = position.open_moves
            some = some or bool(moves)
            if moves and not self._run(self._estimates_of(position, moves, depth), until):
                return False
        return some

    def _estimates_of(
        self, position: _Position, moves: Iterable[int], depth: int
    ) -> Iterator[bool]:
        found: dict[int, float] = {}
        for pit in moves:
            window = (-INFINITY, INFINITY)
            value = yield from self._solver.worker.move(position.board, pit, depth, window)
            found[pit] = value / UNIT
        position.estimates, position.depth = found, depth

    def _run(self, steps: Iterator[bool], until: float | None) -> bool:
        """Run a search; return False if it had to be given up."""
        if until is None:
            for _ in steps:
                pass
            return True
        if self._clock() >= until:
            return False
        return all(self._clock() < until for _ in steps)

    # Lines

    def _draw_lines(self, positions: Sequence[_Position]) -> None:
        following: tuple[int, ...] = ()
        for position in reversed(positions):
            best = position.best
            if position.line:
                pass
            elif best == position.pit:
                position.line = (best, *following)[:SHOWN_LINE]
            else:
                position.line = self._solver.worker.expected(position.board, best)[:SHOWN_LINE]
            following = position.line

    def _prove_lines(self, positions: Sequence[_Position], last: Board, until: float) -> None:
        """Draw the lines of positions of proven value to the end of the game, as time allows."""
        following: tuple[int, ...] | None = () if last.is_over else None
        for position in reversed(positions):
            if not position.proof.value.exact:
                following = None
            elif position.best != position.pit:
                following = self._proven_line(position, until)
            elif following is not None:
                following = (position.pit, *following)[:LONGEST_LINE]
            if following:
                position.line = following

    def _proven_line(self, position: _Position, until: float) -> tuple[int, ...] | None:
        """Return proven play to the end, or to the longest line; None when the time is up."""
        board, value = position.board, position.proof.value.low
        line = [position.best]
        while True:
            after = board.sow(line[-1]).board
            value, before, board = _turned(board, after, value), board, after
            if board.is_over or len(line) == LONGEST_LINE:
                return tuple(line)
            guess = self._solver.worker.expected(before, line[-1])[1:2]
            kept = self._keeping(board, value, guess, until)
            if kept is None:
                return None
            line.append(kept)

    def _keeping(
        self, board: Board, value: int, guess: tuple[int, ...], until: float
    ) -> int | None:
        """Return a move that keeps a board's value; None when the time is up."""
        sure = known(board)
        if sure is not None and sure.best is not None:
            return sure.best
        *others, last = sorted(board.legal(), key=lambda pit: pit not in guess)
        step = 1 if board.rules.majority else 2
        window = (value - step) * UNIT, value * UNIT
        for pit in others:
            found: list[int] = []

            def ask(pit: int = pit, found: list[int] = found) -> Iterator[bool]:
                found.append((yield from self._solver.worker.move(board, pit, PROOF, window)))

            if not self._run(ask(), until):
                return None
            if found[0] >= value * UNIT:
                return pit
        return last


def _assessment(ply: int, position: _Position) -> Assessment:
    sign = 1 if position.board.player == 0 else -1
    depth = None if position.proof.value.exact else position.depth
    moves = tuple(
        MoveValue(pit, sign * position.value(pit) + 0.0, None if bounds.exact else position.depth)
        for pit, bounds in position.proof.moves.items()
    )
    return Assessment(ply, moves, position.line, depth)


def _turned(board: Board, other: Board, value: int) -> int:
    """Return a value of one board's mover as that of the other one sees it."""
    return value if other.player == board.player else -value
