"""Simulated reviewers: good ones, and those that send what is false, late or nothing."""

from collections.abc import Sequence
from functools import lru_cache, partial
from random import Random
from typing import Final

from msgspec.structs import replace

from mancala.protocol import messages as wire
from mancala.protocol.rules import Board
from tests.simulate.bots import SimBot
from tests.simulate.trace import RareEvent
from tests.simulate.wire import SimulatedLine

HONEST: Final = "honest"
FALSE: Final = "false"
"""What a reviewer calls its engine when the review is one that the server has to refuse."""
VERSIONS: Final = (1, 2)
MOST_GAMES: Final = 3
PATIENCE_S: Final = 10.0
"""How long the server waits for a review."""
PROVEN_PLIES: Final = 4
"""How far reviewers look for the ends of games. Only proven moves count for a bot's accuracy."""
POSITIONS: Final = 4096
"""Positions of which they remember what is proven."""


class SimReviewer(SimBot):
    """A bot that reviews games and plays none."""

    def heard(self, line: SimulatedLine, message: wire.Message) -> None:
        if isinstance(message, wire.ReviewWanted):
            self._on_wanted(line, message)
        else:
            super().heard(line, message)

    def _begin(self, line: SimulatedLine, _welcome: wire.Welcome) -> None:
        self._offer(line)

    def _end_season(self, line: SimulatedLine) -> None:
        """Go on: what was played is still to be reviewed."""
        self._offer(line)

    def _offer(self, line: SimulatedLine) -> None:
        rng = self._trace.rng
        line.say(wire.OfferReviews(rng.choice(VERSIONS), rng.randint(1, MOST_GAMES)))

    def _on_wanted(self, line: SimulatedLine, wanted: wire.ReviewWanted) -> None:
        faults, trace = self.faults, self._trace
        if trace.happens(faults.drop):
            self._drop(line)
            return
        if trace.happens(faults.silent):
            trace.count(RareEvent.REVIEW_LATE, self.name)
            return
        think_s = trace.rng.expovariate(1 / faults.think_s)
        if trace.happens(faults.late):
            trace.count(RareEvent.REVIEW_LATE, self.name)
            think_s = PATIENCE_S * trace.rng.uniform(0.9, 1.5)
        self._world.later(think_s, partial(self._send, line, wanted))

    def _send(self, line: SimulatedLine, wanted: wire.ReviewWanted) -> None:
        trace = self._trace
        plies, engine = assess(wanted), HONEST
        if trace.happens(self.faults.lie):
            trace.count(RareEvent.REVIEW_FALSE, self.name)
            plies, engine = falsified(plies, trace.rng), FALSE
        size = trace.rng.randint(1, wire.ASSESSMENTS)
        parts = [plies[first : first + size] for first in range(0, len(plies), size)] or [plies]
        for part in parts:
            review = wire.Review(wanted.game, tuple(part), engine, 1.0, more=part is not parts[-1])
            line.say(review)
        if trace.happens(self.faults.twice):
            trace.count(RareEvent.DUPLICATE, self.name)
            line.say(review)


def assess(wanted: wire.ReviewWanted) -> list[wire.Assessment]:
    """Return a review: what ``PROVEN_PLIES`` prove, else what a move brings immediately."""
    board, plies = Board.from_state(wanted.opening, wanted.rules), []
    for ply, pit in enumerate(wanted.moves):
        plies.append(_assessment(ply, board))
        board = board.sow(pit).board
    return plies


def falsified(plies: Sequence[wire.Assessment], rng: Random) -> list[wire.Assessment]:
    place = rng.randrange(len(plies))
    ply = plies[place]
    one, *others = ply.moves
    best = next(move.value for move in ply.moves if move.pit == ply.line[0])
    worse = next((move.pit for move in ply.moves if move.value != best), None)
    false: tuple[list[wire.Assessment], ...] = (
        [],  # the ply is missing
        [ply, ply],
        [replace(ply, ply=ply.ply + 1)],
        [replace(ply, moves=(replace(one, value=1000.0), *others))],
        [replace(ply, line=(15,))],
        [replace(ply, moves=(replace(one, pit=15), *others))],
        [replace(ply, moves=(replace(one, value=one.value + 0.5, depth=None), *others))],
        [_proven_otherwise(ply)],
        [replace(ply, line=(worse,))] if worse is not None else [],
    )
    return [*plies[:place], *rng.choice(false), *plies[place + 1 :]]


def _proven_otherwise(ply: wire.Assessment) -> wire.Assessment:
    """Return a position that is called proven by an estimate, or estimated by proofs."""
    if ply.depth is None:
        return replace(ply, depth=1)
    return replace(ply, depth=None, moves=tuple(replace(each, depth=1) for each in ply.moves))


def _assessment(ply: int, board: Board) -> wire.Assessment:
    sign = 1 if board.player == 0 else -1
    afters = {pit: board.sow(pit).board for pit in board.legal()}
    moves = tuple(_move_value(pit, after) for pit, after in afters.items())
    best = max(moves, key=lambda move: sign * move.value)
    depth = None if all(move.depth is None for move in moves) else 1
    return wire.Assessment(ply, moves, (best.pit,), depth)


def _move_value(pit: int, after: Board) -> wire.MoveValue:
    proven = exact(after, PROVEN_PLIES)
    if proven is None:
        return wire.MoveValue(pit, float(after.score()), 1)
    return wire.MoveValue(pit, float(proven), None)


@lru_cache(POSITIONS)
def exact(board: Board, plies: int) -> int | None:
    """Return the first player's margin with best play; None if it takes more plies to know."""
    if board.is_over:
        return board.score()
    if plies == 0:
        return None
    values = [exact(board.sow(pit).board, plies - 1) for pit in board.legal()]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return max(known) if board.player == 0 else min(known)
