"""The rules of Kalah: the referee applies them, and every compiled kernel is tested against them.

A board is two rows of pits and two stores. Seen from the player who sows, one lap is a ring of
``2m + 1`` places: the mover's pits ``0..m-1`` in sowing direction, the mover's store at ``m``, and
the other row at ``m+1..2m``; the other store is not on the ring. The code below follows from three
facts:

* sowing ``h`` seeds makes ``h // (2m+1)`` whole laps and a rest;
* the last seed falls at ``(pit + h) % (2m+1)``. The starting pit is not skipped, so ``2m+1`` seeds
  end in it. It was empty by then, so they capture;
* the mover's pit ``i`` is opposite to ring place ``2m - i``.

A game is over as soon as either row is empty, also in the middle of a chain of sowings. The
remaining seeds go to the owner of their row. With ``majority`` it is also over once a store holds
more than half of all seeds; the seeds still in the pits then count for neither player.

``relap`` and the capture are independent: a sowing that ends in its starting pit may do both.

With ``pie`` player 1 may, in place of the first sowing of its first turn, answer `SWAP`: the
players change sides, and player 0 is to move on the side that has not sown yet. The board keeps its
players where they are, so a swap turns it around: rows and stores change places. The rule is used
up by player 1's first answer. The board after it is one without ``pie``, so what knows no swap
plays on from there as always.

With ``first_again=False`` the sowing of the start gives no further turn, wherever it ends. It is
used up by that sowing, so it is known by what knows the pie rule, and nothing else meets it.

The other games of the family sow through the mover's store, too, so that no position repeats:

* with ``relay`` a last seed that falls into a pit with seeds, of either row, is sown on with them,
  until one falls into the store or an empty pit. Each time round the board leaves a seed in the
  store, so it ends;
* with ``keep_one`` the first seed of a lap falls back into its pit, unless it is the only one;
* with ``even`` a last seed that makes the seeds of a pit of the other row even captures them;
* with ``empty_takes`` the seeds that are left go to the player whose row is empty.

With ``oware`` seeds are sown past the stores (`mancala.protocol.oware`), so positions repeat. A
board that was sown from another knows the positions since the last capture, and the game is over
where one comes again, or where they are too many; one that was read from a text or from JSON
begins anew. What is proven of
other games does not hold for it, so what proves knows no ``oware``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import compress
from typing import Final, NamedTuple

from . import drawing, oware
from .board_text import article_index, from_article_index, numbers_of
from .text import quantity
from .variants import (
    FAMILY,
    KALAH,
    MANCHESTER,
    MAX_PITS,
    MAX_SEEDS_IN_ALL,
    OWARE,
    PRESETS,
    Capture,
    InvalidPositionError,
    Rules,
    UnknownRuleError,
)

__all__ = [
    "FAMILY",
    "KALAH",
    "MANCHESTER",
    "MAX_PITS",
    "MAX_SEEDS_IN_ALL",
    "OWARE",
    "PRESETS",
    "SWAP",
    "Board",
    "Capture",
    "Ending",
    "IllegalMoveError",
    "InvalidPositionError",
    "PlayerScore",
    "Rules",
    "Sowing",
    "State",
    "UnknownRuleError",
    "article_index",
    "from_article_index",
]

SWAP: Final = 16
"""The answer that changes sides under the pie rule; no pit has this number."""


class IllegalMoveError(ValueError):
    """A move names a pit that may not be sown.

    Attributes:
        pit: the pit named.
        legal: the pits that may be sown.
    """

    def __init__(self, pit: int, legal: tuple[int, ...]) -> None:
        self.pit = pit
        self.legal = legal
        choice = ", ".join(map(str, legal)) or "none, the game is over"
        super().__init__(f"pit {pit} may not be sown; legal: {choice}")


class Ending(StrEnum):
    """Why the rules end a game."""

    NORMAL = "normal"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class State:
    """A position as JSON carries it: ``pits[p]`` and ``stores[p]`` belong to player ``p``."""

    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    current_player: int


class PlayerScore(NamedTuple):
    """A difference of stores, and whose it is: the player's own less the other's.

    Attributes:
        seeds: positive where ``player`` is ahead; None where it is not known.
        player: 0 or 1.
    """

    seeds: float | None
    player: int

    def of(self, player: int) -> float | None:
        """Return the difference as a player sees it."""
        if self.seeds is None or player == self.player:
            return self.seeds
        return 0 - self.seeds

    def __str__(self) -> str:
        """Return the difference and whose it is."""
        return "unknown" if self.seeds is None else f"{self.seeds:+g} for player {self.player}"


class Sowing(NamedTuple):
    """The effect of one move.

    Attributes:
        board: the position after it; if a row is empty, with the seeds that are left in a store.
        seeds: the number of seeds sown; 0 for a swap.
        captured: seeds that a capture moved to the store, the last seed sown included.
        again: whether the same player moves again.
    """

    board: Board
    seeds: int
    captured: int
    again: bool


@dataclass(frozen=True, slots=True, repr=False)
class Board:
    """A position; players are 0 and 1, pit ``m-1`` lies beside its owner's store.

    ``print(board)`` draws it, a notebook shows it as a table, and ``repr`` is an expression that
    makes it again.

    Attributes:
        rules: the variant in force; ``rules.seeds`` only says how its games start.
        pits: the two rows, ``pits[p][i]`` seeds in pit ``i`` of player ``p``.
        stores: the two stores.
        player: whose turn it is.
        past: in Oware the pits of the positions since the last capture before this one, and whose
            turn it was; boards are not compared by it.
        ending: why the game is over in this position; None if it is not.

    Raises:
        InvalidPositionError: when the numbers are not a possible position.
    """

    rules: Rules
    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    player: int = 0
    past: tuple[object, ...] = field(default=(), compare=False)
    ending: Ending | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        south, north = self.pits
        if not len(south) == len(north) == self.rules.pits:
            raise InvalidPositionError(
                f"rows of {len(south)} and {quantity(len(north), 'pit')};"
                f" the rules have {self.rules.pits}"
            )
        if self.player not in (0, 1):
            raise InvalidPositionError(f"the player must be 0 or 1, not {self.player}")
        if min(*south, *north, *self.stores) < 0:
            raise InvalidPositionError("a pit or a store holds a negative number of seeds")
        if self.total > MAX_SEEDS_IN_ALL:
            raise InvalidPositionError(
                f"{quantity(self.total, 'seed')} in all; the limit is {MAX_SEEDS_IN_ALL}"
            )
        object.__setattr__(self, "ending", self._find_ending())

    @classmethod
    def start(cls, rules: Rules = KALAH) -> Board:
        """Return the start of a game; player 0 begins."""
        row = (rules.seeds,) * rules.pits
        return cls(rules, (row, row), (0, 0))

    @classmethod
    def from_text(cls, text: str, rules: Rules = KALAH) -> Board:
        """Read ``<m,store,other store,pits…,other pits…>``, the mover first, as player 0.

        This is the Kalah Game Protocol's board literal. The number of pits in the text replaces
        the one in ``rules``.

        Raises:
            InvalidPositionError: when the text is not such a literal.
        """
        size, numbers = numbers_of(text)
        if size != rules.pits:
            seeds = min(rules.seeds, MAX_SEEDS_IN_ALL // (2 * size))
            rules = replace(rules, pits=size, seeds=seeds)
        south, north = tuple(numbers[2 : size + 2]), tuple(numbers[size + 2 :])
        return cls(rules, (south, north), (numbers[0], numbers[1]))

    @classmethod
    def from_state(cls, state: State, rules: Rules) -> Board:
        """Read a position as JSON carries it.

        Raises:
            InvalidPositionError: when it is not a possible position under these rules.
        """
        return cls(rules, state.pits, state.stores, state.current_player)

    def __repr__(self) -> str:
        """Return an expression that makes an equal board out of ``Board`` and ``Rules``."""
        return f"Board({self.rules!r}, {self.pits}, {self.stores}, player={self.player})"

    def __str__(self) -> str:
        """Return a drawing of five lines: player 0 below, ``*`` beside the player to move."""
        return drawing.as_text(self.pits, self.stores, None if self.is_over else self.player)

    def _repr_html_(self) -> str:
        mover = None if self.is_over else self.player
        return drawing.as_html(self.pits, self.stores, mover, f"{self.text} {self.rules}")

    def svg(self) -> str:
        """Return a drawing of the position as SVG."""
        return drawing.as_svg(self.pits, self.stores)

    @property
    def text(self) -> str:
        """The Kalah Game Protocol's literal, the mover first."""
        me, other = self.player, 1 - self.player
        numbers = (self.rules.pits, self.stores[me], self.stores[other])
        return f"<{','.join(map(str, (*numbers, *self.pits[me], *self.pits[other])))}>"

    @property
    def state(self) -> State:
        """The position as JSON carries it."""
        return State(self.pits, self.stores, self.player)

    @property
    def in_play(self) -> int:
        """The number of seeds in the pits of both players."""
        return sum(self.pits[0]) + sum(self.pits[1])

    @property
    def total(self) -> int:
        """The number of all seeds, in pits and stores."""
        return self.in_play + self.stores[0] + self.stores[1]

    def _find_ending(self) -> Ending | None:
        if self.rules.oware:
            return self._ending_of_oware()
        south, north = self.pits
        if not any(south) or not any(north):
            return Ending.NORMAL
        if self.rules.majority and 2 * max(self.stores) > self.total:
            return Ending.MAJORITY
        return None

    def _ending_of_oware(self) -> Ending | None:
        is_over = (
            2 * max(self.stores) > self.total
            or len(self.past) >= oware.MOST_IN_VAIN
            or not oware.sowable(*self._mover_first)
            or (self.pits, self.player) in self.past
        )
        return Ending.NORMAL if is_over else None

    @property
    def _mover_first(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return (self.pits[self.player], self.pits[1 - self.player])

    @property
    def is_over(self) -> bool:
        """Whether the game is over in this position."""
        return self.ending is not None

    def legal(self) -> tuple[int, ...]:
        """Return the pits that the player to move may sow, ascending; none if the game is over."""
        if self.ending is not None:
            return ()
        if self.rules.oware:
            return oware.sowable(*self._mover_first)
        return tuple(compress(range(MAX_PITS), self.pits[self.player]))

    @property
    def legal_moves(self) -> tuple[int, ...]:
        """What `legal` returns, under the name that turns and games have for it, too."""
        return self.legal()

    def may_sow(self, pit: int) -> bool:
        """Return whether the player to move may sow this pit."""
        if self.rules.oware:
            return pit in self.legal()
        row = self.pits[self.player]
        return 0 <= pit < len(row) and row[pit] > 0 and self.ending is None

    @property
    def may_swap(self) -> bool:
        """Whether the player to move may answer `SWAP`."""
        return bool(self.rules.pie) and self.player == 1 and self.ending is None

    @property
    def without_pie(self) -> Board:
        """The same position after a game's first turns."""
        return replace(self, rules=self.rules.without_pie) if self.rules.opens else self

    @property
    def as_opening(self) -> Board:
        """The same position without those before it, as a game that begins with it knows it."""
        return replace(self, past=()) if self.past else self

    @property
    def is_start(self) -> bool:
        """Whether nothing was sown yet."""
        row = (self.rules.seeds,) * self.rules.pits
        return self.pits == (row, row) and self.stores == (0, 0)

    def may_play(self, move: int) -> bool:
        """Return whether the player to move may sow this pit, or swap."""
        return self.may_swap if move == SWAP else self.may_sow(move)

    def score(self, player: int = 0) -> int:
        """Return the difference of stores for ``player``, after :meth:`settled`."""
        stores = self.settled().stores
        return stores[player] - stores[1 - player]

    def settled(self) -> Board:
        """Return the board; if a row is empty, what is left is in the store that the rules say."""
        if self.ending is not Ending.NORMAL:
            return self
        south, north = self.pits
        empty = (0,) * self.rules.pits
        if self.rules.empty_takes:
            south, north = north, south
        stores = (self.stores[0] + sum(south), self.stores[1] + sum(north))
        return Board(self.rules, (empty, empty), stores, self.player)

    def sow(self, pit: int, *, sweeps: bool = True) -> Sowing:
        """Return the effect of sowing a pit, or of `SWAP`.

        Without ``sweeps`` the seeds that are left when a row is empty stay in their pits.

        Raises:
            IllegalMoveError: when the pit is empty or not on the board, or the game is over.
        """
        if pit == SWAP and self.may_swap:
            turned = Board(self.rules.without_pie, self.pits[::-1], self.stores[::-1], 0)
            return Sowing(turned, 0, 0, again=False)
        if not self.may_sow(pit):
            raise IllegalMoveError(pit, self.legal())
        if self.rules.oware:
            return self._sow_oware(pit, sweeps=sweeps)
        m, me, other = self.rules.pits, self.player, 1 - self.player
        ring = [*self.pits[me], self.stores[me], *self.pits[other]]
        seeds = ring[pit]
        last = self._spread(ring, pit)
        while self.rules.relay and last != m and ring[last] > 1:
            last = self._spread(ring, last)
        captured = self._capture(ring, last)
        again = last == m or (self.rules.relap and last == pit)
        if again and self.rules.first_again is False:
            again = not self.is_start
        after = self._after(ring, me if again else other)
        if (ending := after.ending) is None:
            return Sowing(after, seeds, captured, again)
        swept = after.settled() if sweeps and ending is Ending.NORMAL else after
        return Sowing(swept, seeds, captured, again=False)

    def _sow_oware(self, pit: int, *, sweeps: bool) -> Sowing:
        me, m = self.player, self.rules.pits
        own, others = self._mover_first
        places = [*own, *others]
        captured = oware.sow(places, pit)
        ring = [*places[:m], self.stores[me] + captured, *places[m:]]
        after = self._after(ring, 1 - me, () if captured else (*self.past, (self.pits, me)))
        swept = after.settled() if sweeps and after.ending is Ending.NORMAL else after
        return Sowing(swept, own[pit], captured, again=False)

    def _after(self, ring: list[int], player: int, past: tuple[object, ...] = ()) -> Board:
        """Return the position after a sowing, without the checks: a sowing keeps it valid."""
        m, me = self.rules.pits, self.player
        own, others = tuple(ring[:m]), tuple(ring[m + 1 :])
        board = object.__new__(Board)
        put = object.__setattr__
        rules = self.rules
        if rules.first_again is False:
            rules = replace(rules, first_again=True)
        put(board, "rules", rules.without_pie if me == 1 and rules.pie else rules)
        put(board, "pits", (own, others) if me == 0 else (others, own))
        put(board, "stores", (ring[m], self.stores[1]) if me == 0 else (self.stores[0], ring[m]))
        put(board, "player", player)
        put(board, "past", past)
        put(board, "ending", board._find_ending())
        return board

    def _spread(self, ring: list[int], pit: int) -> int:
        """Sow a pit of either row; return the place of the last seed."""
        size = len(ring)
        seeds, ring[pit] = ring[pit], 0
        before = pit - 1 if self.rules.keep_one and seeds > 1 else pit
        laps, rest = divmod(seeds, size)
        if laps:
            ring[:] = [count + laps for count in ring]
        for place in range(before + 1, before + 1 + rest):
            ring[place % size] += 1
        return (before + seeds) % size

    def _capture(self, ring: list[int], last: int) -> int:
        m = self.rules.pits
        if self.rules.even and last > m and ring[last] % 2 == 0:
            captured, ring[last] = ring[last], 0
            ring[m] += captured
            return captured
        if last >= m or ring[last] != 1 or self.rules.capture is Capture.NONE:
            return 0
        opposite = 2 * m - last
        if not ring[opposite] and self.rules.capture is Capture.OPPOSITE:
            return 0
        captured = 1 + ring[opposite]
        ring[last] = ring[opposite] = 0
        ring[m] += captured
        return captured
