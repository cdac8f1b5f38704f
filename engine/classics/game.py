"""The rules of Kalah on flat tuples, as the classic players search it.

``(own pits 0..m-1, own store, other pits 0..m-1, other store)``. Turning the board for the other
player is a rotation by half, so every rule and every value is written once, for the mover, and a
value changes its sign exactly when the turn passes. Plain Python, about 2 µs a sowing where
``mancala.protocol.rules.Board`` takes ten; that file stays the reference, and a test holds this one
to it.
"""

from typing import Final, NamedTuple, TypeAlias

from mancala.protocol import oware
from mancala.protocol.rules import Board, Capture, Rules

from ..evaluation.features import spread

Position: TypeAlias = tuple[int, ...]
KNOWN_RULES: Final = frozenset(
    {"pits", "capture", "relap", "majority", "keep_one", "even", "empty_takes", "oware"}
)
"""Not ``relay``: the players look through whole turns, of which it makes too many."""
FINITE: Final = KNOWN_RULES - {"oware"}
"""The rules by which every line of play comes to its end: no position repeats."""


class Sown(NamedTuple):
    """What a sowing leads to: a position, its mover first, which is swept when a row is empty.

    ``again`` is whether that is the same player, never so when the game is over; ``captured``
    counts the seeds that a capture brought to the store, the last one sown included.
    """

    position: Position
    again: bool
    captured: int


def position_of(board: Board) -> Position:
    """Return a board as a flat tuple, the mover first; a finished game is swept before."""
    settled, me = board.settled(), board.player
    return (*settled.pits[me], settled.stores[me], *settled.pits[1 - me], settled.stores[1 - me])


def lead(position: Position) -> int:
    """Return the mover's store minus the other store."""
    return position[len(position) // 2 - 1] - position[-1]


class ClassicGame:
    """The moves of one variant, of any size; UnknownRuleError for rules not written here.

    A position of Oware does not know those before it, so none ends a game by coming again.
    """

    def __init__(self, rules: Rules) -> None:
        rules.require_known(KNOWN_RULES, "the classic players")
        self._store = rules.pits
        self._places = 2 * rules.pits + 1
        self._reach = 0 if rules.capture is Capture.NONE else rules.pits
        self._lone_seed_is_taken = rules.capture is Capture.ALWAYS
        self._relap = rules.relap
        self._keep_one = bool(rules.keep_one)
        self._even = bool(rules.even)
        self._empty_takes = bool(rules.empty_takes)
        self._majority = rules.majority or bool(rules.oware)
        self._oware = bool(rules.oware)

    def moves(self, position: Position) -> list[int]:
        """Return the pits the mover may sow, ascending; none when the game is over."""
        if self._majority and self._is_decided(position):
            return []
        if self._oware:
            return [*oware.sowable(position[: self._store], position[self._store + 1 : -1])]
        return [pit for pit in range(self._store) if position[pit]]

    def sowings(self, position: Position) -> list[tuple[int, Sown]]:
        """Return each pit that the mover may sow with what that leads to."""
        return [(pit, self.sow(position, pit)) for pit in self.moves(position)]

    def sow(self, position: Position, pit: int) -> Sown:
        """Play a pit that :meth:`moves` lists."""
        if self._oware:
            return self._sow_oware(position, pit)
        cells = list(position)
        last = spread(cells, pit, keep_one=self._keep_one)
        captured = self._capture(cells, last)
        again = last == self._store or (self._relap and last == pit)
        if self._sweep(cells) or (again and self._majority and self._is_decided(cells)):
            again = False
        half = self._store + 1
        return Sown(tuple(cells) if again else tuple(cells[half:] + cells[:half]), again, captured)

    def _sow_oware(self, position: Position, pit: int) -> Sown:
        size, places = self._store, [*position[: self._store], *position[self._store + 1 : -1]]
        captured = oware.sow(places, pit)
        store = position[size] + captured
        after = (*places[size:], position[-1], *places[:size], store)
        if not self.moves(after):
            left, others = sum(places[:size]), sum(places[size:])
            row = (0,) * size
            after = (*row, position[-1] + others, *row, store + left)
        return Sown(after, again=False, captured=captured)

    def _capture(self, cells: list[int], last: int) -> int:
        if self._even and last > self._store and cells[last] % 2 == 0:
            captured, cells[last] = cells[last], 0
            cells[self._store] += captured
            return captured
        opposite = 2 * self._store - last
        if last >= self._reach or cells[last] != 1:
            return 0
        if not (cells[opposite] or self._lone_seed_is_taken):
            return 0
        captured = 1 + cells[opposite]
        cells[last] = cells[opposite] = 0
        cells[self._store] += captured
        return captured

    def _sweep(self, cells: list[int]) -> bool:
        store, places = self._store, self._places
        own, other = cells[:store], cells[store + 1 : places]
        if any(own) and any(other):
            return False
        if self._empty_takes:
            own, other = other, own
        cells[store] += sum(own)
        cells[places] += sum(other)
        cells[:store] = cells[store + 1 : places] = [0] * store
        return True

    def _is_decided(self, cells: Position | list[int]) -> bool:
        return 2 * max(cells[self._store], cells[self._places]) > sum(cells)
