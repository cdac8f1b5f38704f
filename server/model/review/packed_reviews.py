"""A review as one value: what its reviewer found out, from which the rest is computed again.

As JSON a review of 43 plies has 25 kB; packed, 140 bytes. The game is needed to read it: positions
say which moves are legal, and most values follow from the ply after. Version 1 is a byte 1, then
bits, the highest of a byte first, filled up with zeros:

==========  =====================================================================================
bits        meaning
==========  =====================================================================================
18 numbers  for each seat in opening, middle and end: moves that count, best ones, seeds lost
number      the version of the way of reviewing
number      milliseconds spent
1           whether the engine's name begins with "mancala-arena ", which is then left out
number      bytes of the engine's name, then 8 bits each (UTF-8)
a position  the last one first: its line, its depths, its moves
==========  =====================================================================================

A line is a bit 1 if it is the move played and then the line of the next position (with the pits
that a line has at most; a review of when they were 16 is read with longer lines). Else a 0, its
length less one as a number, and for each pit its place among the legal ones, in as many bits as the
last place needs.

A depth is a bit 1 if there is a proof; else a 0 and the depth less the last one, which begins at 0.
A position begins with a bit 1 if it and all its moves are proven; else a 0 and its own depth, and
each move then begins with its depth.

A move is its value. The moves come in this order: the one played, the best, the
others by their pits. The value is stated from the mover's side: of the move played, less the value
of the next position (the final score after the last one); of the best, less that of the move
played; of others, the best's less theirs. Proofs count in twos, or in ones under the majority rule,
from the nearest possible value in that direction; estimates in tenths of a seed.

A number is in exponential Golomb code of an order: 5 for differences of estimates, 2 for those of
proofs and what is counted, 1 for lengths of lines, 0 for others. Where it may be negative, n
becomes 2n, and -n 2n - 1.

The bytes of former versions are zlib's compression of the whole review's JSON; they begin with 78.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from zlib import decompress

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, Sums
from mancala.protocol.messages import LONGEST_LINE, Assessment, MoveValue
from mancala.protocol.review import GameReview, ReviewedGame, ReviewWork, compose
from mancala.protocol.rules import Board

from .bits import BitReader, BitWriter
from .reviews import SeatSums

VERSION: Final = 1
FIRST_OF_ZLIB: Final = 0x78
TENTHS: Final = 10
PARTS: Final = (Phase.OPENING, Phase.MIDDLE, Phase.END)
PROOF_ORDER: Final = 2
COUNT_ORDER: Final = 2
OWN: Final = b"mancala-arena "
ESTIMATE_ORDER: Final = 5
LINE_ORDER: Final = 1


class PackedReviewError(Exception):
    """A packed review has a version that this program does not know."""


class _ReviewWriter(BitWriter):
    """Collects bits, depths less the last one."""

    def __init__(self) -> None:
        super().__init__()
        self._last_depth = 0

    def depth(self, depth: int | None) -> None:
        self.bits(depth is None, 1)
        if depth is not None:
            self.signed(depth - self._last_depth)
            self._last_depth = depth


class _ReviewReader(BitReader):
    """Hands out bits, depths less the last one."""

    def __init__(self, packed: bytes) -> None:
        super().__init__(packed)
        self._last_depth = 0

    def depth(self) -> int | None:
        if self.bits(1):
            return None
        self._last_depth += self.signed()
        return self._last_depth


class _Scale(NamedTuple):
    """Which values are possible: all ``base + n * unit``, in tenths of a seed, for the mover."""

    base: int
    unit: int
    order: int

    @classmethod
    def of(cls, board: Board, depth: int | None) -> _Scale:
        if depth is not None:
            return cls(0, 1, ESTIMATE_ORDER)
        return cls(TENTHS * board.total, TENTHS * (1 if board.rules.majority else 2), PROOF_ORDER)

    @property
    def signed_order(self) -> int:
        """The order of a difference that may be negative, and of proofs is mostly none."""
        return self.order if self.unit == 1 else 0

    def place(self, value: int) -> int:
        """Return the place of a value; of the next one below, if it is not possible itself."""
        return (value - self.base) // self.unit

    def place_above(self, value: int) -> int:
        """Return the place of a value; of the next one above, if it is not possible itself."""
        return -((self.base - value) // self.unit)

    def value(self, place: int) -> int:
        return self.base + place * self.unit


def rounded(work: ReviewWork) -> ReviewWork:
    """Return a reviewer's work as precisely as it is kept: tenths of a seed, milliseconds."""
    assessments = tuple(
        Assessment(found.ply, tuple(map(_rounded, found.moves)), found.line, found.depth)
        for found in work.assessments
    )
    return work._replace(assessments=assessments, seconds=round(work.seconds, 3))


def _rounded(move: MoveValue) -> MoveValue:
    return MoveValue(move.pit, round(move.value, 1) + 0.0, move.depth)


def pack(game: ReviewedGame, work: ReviewWork, sums: SeatSums) -> bytes:
    to, engine = _ReviewWriter(), work.engine.encode()
    for seat in sums:
        for phase in PARTS:
            for count in seat.get(phase, Sums())[1:4]:
                to.number(count, COUNT_ORDER)
    to.number(work.version)
    to.number(round(1000 * work.seconds))
    to.bits(engine.startswith(OWN), 1)
    engine = engine.removeprefix(OWN)
    to.number(len(engine))
    for byte in engine:
        to.bits(byte, 8)
    following: tuple[int, ...] = ()
    ahead = _final_score(game)
    for ply in reversed(range(len(game.pits))):
        board, pit, found = game.boards[ply], game.pits[ply], work.assessments[ply]
        _pack_line(to, board, found.line, (pit, *following)[:LONGEST_LINE])
        ahead = _pack_moves(to, board, pit, found, ahead)
        following = found.line
    return bytes((VERSION,)) + to.packed()


def unpack(packed: bytes, game: ReviewedGame) -> ReviewWork:
    if packed[0] != VERSION:
        raise PackedReviewError(f"a review of version {packed[0]} is packed in a way unknown here")
    given = _ReviewReader(packed[1:])
    _sums(given)
    version, seconds = given.number(), given.number() / 1000
    own = OWN if given.bits(1) else b""
    engine = (own + bytes(given.bits(8) for _ in range(given.number()))).decode()
    found: list[Assessment] = []
    line: tuple[int, ...] = ()
    ahead = _final_score(game)
    for ply in reversed(range(len(game.pits))):
        board, pit = game.boards[ply], game.pits[ply]
        line = _unpack_line(given, board, (pit, *line)[:LONGEST_LINE])
        are_proven = bool(given.bits(1))
        depth = None if are_proven else given.depth()
        moves, ahead = _unpack_moves(given, board, (pit, line[0]), ahead, are_proven=are_proven)
        found.append(Assessment(ply, moves, line, depth))
    return ReviewWork(tuple(reversed(found)), version, engine, seconds)


def review_in(packed: bytes, game: ReviewedGame) -> GameReview:
    """Return the review that a stored value holds, of this or of a former version."""
    if packed[0] == FIRST_OF_ZLIB:
        return codec.from_json(decompress(packed), GameReview)
    return compose(game, unpack(packed, game))


def unpack_sums(packed: bytes, former: str | None) -> SeatSums:
    """Return what a stored review adds to the accuracy of both players."""
    if former is not None:
        return codec.from_json(former, tuple[dict[Phase, Sums], dict[Phase, Sums]])
    return _sums(_ReviewReader(packed[1:]))


def _sums(given: _ReviewReader) -> SeatSums:
    return _sums_of_seat(given), _sums_of_seat(given)


def _sums_of_seat(given: _ReviewReader) -> dict[Phase, Sums]:
    parts = [[given.number(COUNT_ORDER) for _ in range(3)] for _ in PARTS]
    whole = [sum(column) for column in zip(*parts, strict=True)]
    phases = zip((Phase.ALL, *PARTS), (whole, *parts), strict=True)
    found = {phase: Sums.of_game(*each) for phase, each in phases}
    return {phase: sums for phase, sums in found.items() if sums.moves}


def _final_score(game: ReviewedGame) -> int:
    """Return the difference of stores for seat 0 after the last move, in tenths of a seed."""
    last = game.boards[len(game.pits) - 1].sow(game.pits[-1]).board if game.pits else None
    return TENTHS * last.score() if last is not None else 0


def _sign(board: Board) -> int:
    return 1 if board.player == 0 else -1


def _order(board: Board, played: int, best: int) -> Iterator[int]:
    yield played
    if best != played:
        yield best
    yield from (pit for pit in board.legal() if pit not in {played, best})


def _pack_moves(to: _ReviewWriter, board: Board, pit: int, found: Assessment, ahead: int) -> int:
    """Pack the moves of a position; return its value for seat 0, in tenths of a seed."""
    sign, best = _sign(board), found.line[0]
    by_pit = {move.pit: move for move in found.moves}
    known = sign * ahead
    are_proven = found.depth is None and all(move.depth is None for move in found.moves)
    to.bits(are_proven, 1)
    if not are_proven:
        to.depth(found.depth)
    for place, each in enumerate(_order(board, pit, best)):
        move = by_pit[each]
        if not are_proven:
            to.depth(move.depth)
        scale, value = _Scale.of(board, move.depth), sign * round(TENTHS * move.value)
        if place == 0:
            to.signed(scale.place(value) - scale.place(known), scale.signed_order)
        elif each == best:
            to.number(scale.place(value) - scale.place_above(known), scale.order)
        else:
            to.number(scale.place(known) - scale.place(value), scale.order)
        if each in {pit, best}:
            known = value
    return sign * known


def _unpack_moves(
    given: _ReviewReader, board: Board, pits: tuple[int, int], ahead: int, *, are_proven: bool
) -> tuple[tuple[MoveValue, ...], int]:
    (pit, best), sign, moves = pits, _sign(board), dict[int, MoveValue]()
    known = sign * ahead
    for place, each in enumerate(_order(board, pit, best)):
        depth = None if are_proven else given.depth()
        scale = _Scale.of(board, depth)
        if place == 0:
            at = scale.place(known) + given.signed(scale.signed_order)
        elif each == best:
            at = scale.place_above(known) + given.number(scale.order)
        else:
            at = scale.place(known) - given.number(scale.order)
        value = scale.value(at)
        moves[each] = MoveValue(each, sign * value / TENTHS + 0.0, depth)
        if each in {pit, best}:
            known = value
    return tuple(moves[each] for each in board.legal()), sign * known


def _pack_line(
    to: _ReviewWriter, board: Board, line: Iterable[int], expected: tuple[int, ...]
) -> None:
    pits = tuple(line)
    to.bits(pits == expected, 1)
    if pits != expected:
        to.number(len(pits) - 1, LINE_ORDER)
        for pit in pits:
            legal = board.legal()
            to.bits(legal.index(pit), _width(legal))
            board = board.sow(pit).board


def _unpack_line(given: _ReviewReader, board: Board, expected: tuple[int, ...]) -> tuple[int, ...]:
    if given.bits(1):
        return expected
    pits = []
    for _ in range(given.number(LINE_ORDER) + 1):
        legal = board.legal()
        pits.append(legal[given.bits(_width(legal))])
        board = board.sow(pits[-1]).board
    return tuple(pits)


def _width(legal: tuple[int, ...]) -> int:
    return (len(legal) - 1).bit_length()
