"""The rules of Kalah, once: what the referee applies and what every compiled kernel must equal.

A board is two rows of pits and two stores. Seen from the player who sows, one lap is a ring of
``2m + 1`` places: the own pits ``0..m-1`` in sowing direction, the own store at ``m``, and the
other row at ``m+1..2m``; the other store is not on the ring. Three facts follow, and the code
below is little else:

* a hand of ``h`` seeds is ``h // (2m+1)`` whole laps and a rest;
* the last seed falls at ``(pit + h) % (2m+1)``. The starting pit is not skipped, so a hand of
  ``2m+1`` ends in it, and it is then an own pit that was empty: it captures;
* own pit ``i`` faces ring place ``2m - i``.

A game is over as soon as either row is empty, also in the middle of a chain of sowings; what is
left goes to the row's owner. With ``majority`` it is over as well once a store holds more than
half of all seeds, and the seeds still in the pits then belong to nobody.

``relap`` and the capture are independent: a hand that ends in its starting pit may do both.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Final, NamedTuple

from protocol import drawing

MAX_PITS: Final = 16
MAX_SEEDS_IN_ALL: Final = 255


class InvalidPositionError(ValueError):
    """A text, state or set of rules that describes no position of the game."""


class IllegalMoveError(ValueError):
    """A pit that may not be sown.

    Attributes:
        pit: the pit named.
        legal: the pits that could have been sown instead.
    """

    def __init__(self, pit: int, legal: tuple[int, ...]) -> None:
        self.pit = pit
        self.legal = legal
        choice = ", ".join(map(str, legal)) or "none, the game is over"
        super().__init__(f"pit {pit} may not be sown; legal: {choice}")


class Capture(StrEnum):
    """What an own empty pit captures when the last seed falls into it."""

    OPPOSITE = "opposite"
    """Both pits' seeds, when the opposite pit holds any; otherwise the seed stays."""
    ALWAYS = "always"
    """Both pits' seeds; the single seed goes to the store even when the opposite pit is empty."""


class Ending(StrEnum):
    """Why a position is over by the rules alone."""

    NORMAL = "normal"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True, repr=False)
class Rules:
    """A variant of Kalah(pits, seeds).

    Attributes:
        pits: pits a row, 1 to 16.
        seeds: seeds a pit at the start; at most 255 in all.
        capture: what the last seed in an empty own pit takes.
        relap: sow again when the last seed falls into its starting pit.
        majority: over once a store holds more than half of all seeds.

    Raises:
        InvalidPositionError: when there are too few or too many pits or seeds.
    """

    pits: int = 6
    seeds: int = 4
    capture: Capture = Capture.OPPOSITE
    relap: bool = False
    majority: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.pits <= MAX_PITS:
            raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {self.pits}")
        if self.seeds < 1:
            raise InvalidPositionError(f"seeds must be 1 or more, not {self.seeds}")
        if 2 * self.pits * self.seeds > MAX_SEEDS_IN_ALL:
            total = 2 * self.pits * self.seeds
            raise InvalidPositionError(f"{total} seeds in all; the limit is {MAX_SEEDS_IN_ALL}")

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read ``PRESET`` or ``PRESET:key=value,…``, such as ``kalah:pits=5,seeds=3``.

        Raises:
            InvalidPositionError: when the preset, a key or a value is unknown.
        """
        name, _, options = text.partition(":")
        if name not in PRESETS:
            raise InvalidPositionError(f"no rules named {name!r}; known: {', '.join(PRESETS)}")
        changes = dict(_rule_option(option) for option in options.split(",") if option)
        return replace(PRESETS[name], **changes)  # type: ignore[arg-type]  # typed by _rule_option

    def __repr__(self) -> str:
        """Return an expression that makes the same rules, such as ``Rules.parse('kalah')``."""
        return f"Rules.parse({str(self)!r})"

    def __str__(self) -> str:
        """Return the shortest text that :meth:`parse` reads back."""
        alike = sorted(PRESETS, key=lambda name: len(_differences(self, PRESETS[name])))
        changes = ",".join(
            f"{key}={str(value).lower()}" for key, value in _differences(self, PRESETS[alike[0]])
        )
        return f"{alike[0]}:{changes}" if changes else alike[0]


PRESETS: Final = {
    "kalah": Rules(),
    "kalah-empty-capture": Rules(capture=Capture.ALWAYS),
    "article": Rules(relap=True, majority=True),
}
KALAH: Final = PRESETS["kalah"]


def _differences(rules: Rules, base: Rules) -> list[tuple[str, object]]:
    values = [(field.name, getattr(rules, field.name)) for field in fields(Rules)]
    return [(name, value) for name, value in values if value != getattr(base, name)]


def _rule_option(option: str) -> tuple[str, int | bool | Capture]:
    key, _, value = option.partition("=")
    try:
        match key:
            case "pits" | "seeds":
                return key, int(value)
            case "relap" | "majority":
                return key, {"true": True, "false": False}[value]
            case "capture":
                return key, Capture(value)
    except (ValueError, KeyError):
        raise InvalidPositionError(f"{value!r} is no value for the rule {key!r}") from None
    known = ", ".join(field.name for field in fields(Rules))
    raise InvalidPositionError(f"no rule named {key!r}; known: {known}")


@dataclass(frozen=True, slots=True)
class State:
    """A position as JSON carries it: ``pits[p]`` and ``stores[p]`` belong to player ``p``."""

    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    current_player: int


class Sowing(NamedTuple):
    """What one move did.

    Attributes:
        board: the position after it; swept when the game is over.
        seeds: how many seeds were sown.
        captured: how many seeds the capture brought to the store, the last one included.
        again: whether the same player sows next.
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

    Raises:
        InvalidPositionError: when the numbers describe no position.
    """

    rules: Rules
    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    player: int = 0

    def __post_init__(self) -> None:
        south, north = self.pits
        if not len(south) == len(north) == self.rules.pits:
            raise InvalidPositionError(
                f"rows of {len(south)} and {len(north)} pits; the rules say {self.rules.pits}"
            )
        if self.player not in (0, 1):
            raise InvalidPositionError(f"the player must be 0 or 1, not {self.player}")
        if min(*south, *north, *self.stores) < 0:
            raise InvalidPositionError("a pit or store holds fewer than 0 seeds")
        if self.total > MAX_SEEDS_IN_ALL:
            raise InvalidPositionError(
                f"{self.total} seeds in all; the limit is {MAX_SEEDS_IN_ALL}"
            )

    @classmethod
    def start(cls, rules: Rules = KALAH) -> Board:
        """Set up a new game; player 0 begins."""
        row = (rules.seeds,) * rules.pits
        return cls(rules, (row, row), (0, 0))

    @classmethod
    def from_text(cls, text: str, rules: Rules = KALAH) -> Board:
        """Read ``<m,store,other store,pits…,other pits…>``, the mover first, as player 0.

        The Kalah Game Protocol's board literal. The number of pits in the text takes the place
        of the one in ``rules``.

        Raises:
            InvalidPositionError: when the text is no such literal.
        """
        stripped = text.strip()
        if not (stripped.startswith("<") and stripped.endswith(">")):
            raise InvalidPositionError(f"a board is written <m,store,store,pits…>, not {text!r}")
        try:
            size, *numbers = (_natural(part) for part in stripped[1:-1].split(","))
        except ValueError:
            raise InvalidPositionError(f"{text!r} holds something that is no number") from None
        if not 1 <= size <= MAX_PITS:
            raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {size}")
        if len(numbers) != 2 * size + 2:
            raise InvalidPositionError(
                f"{size} pits a row take {2 * size + 2} more numbers; {text!r} has {len(numbers)}"
            )
        seeds = max(1, min(rules.seeds, MAX_SEEDS_IN_ALL // (2 * size)))
        south, north = tuple(numbers[2 : size + 2]), tuple(numbers[size + 2 :])
        sized = replace(rules, pits=size, seeds=seeds)
        return cls(sized, (south, north), (numbers[0], numbers[1]))

    @classmethod
    def from_state(cls, state: State, rules: Rules) -> Board:
        """Read a position as JSON carries it.

        Raises:
            InvalidPositionError: when it is no position under these rules.
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
        """The seeds that are left in the pits of both players."""
        return sum(self.pits[0]) + sum(self.pits[1])

    @property
    def total(self) -> int:
        """All seeds, in pits and stores."""
        return self.in_play + self.stores[0] + self.stores[1]

    @property
    def ending(self) -> Ending | None:
        """Why the game is over here, or None while it goes on."""
        if not any(self.pits[0]) or not any(self.pits[1]):
            return Ending.NORMAL
        if self.rules.majority and 2 * max(self.stores) > self.total:
            return Ending.MAJORITY
        return None

    @property
    def is_over(self) -> bool:
        """Whether nothing more may be sown."""
        return self.ending is not None

    def legal(self) -> tuple[int, ...]:
        """List the pits that the player to move may sow, ascending; none when it is over."""
        if self.ending is not None:
            return ()
        return tuple([pit for pit, seeds in enumerate(self.pits[self.player]) if seeds])

    def may_sow(self, pit: int) -> bool:
        """Tell whether the player to move may sow this pit."""
        row = self.pits[self.player]
        return 0 <= pit < len(row) and row[pit] > 0 and self.ending is None

    def score(self, player: int = 0) -> int:
        """Tell the difference of stores for ``player``, what an ended game leaves included."""
        stores = self.settled().stores
        return stores[player] - stores[1 - player]

    def settled(self) -> Board:
        """Give each row's seeds to its owner if a row is empty; else the board as it stands."""
        if self.ending is not Ending.NORMAL:
            return self
        south, north = self.pits
        empty = (0,) * self.rules.pits
        stores = (self.stores[0] + sum(south), self.stores[1] + sum(north))
        return Board(self.rules, (empty, empty), stores, self.player)

    def sow(self, pit: int) -> Sowing:
        """Play one move.

        Raises:
            IllegalMoveError: when the pit is empty, not on the board, or the game is over.
        """
        if not self.may_sow(pit):
            raise IllegalMoveError(pit, self.legal())
        m, me, other = self.rules.pits, self.player, 1 - self.player
        ring = [*self.pits[me], self.stores[me], *self.pits[other]]
        size = len(ring)
        seeds, ring[pit] = ring[pit], 0
        laps, rest = divmod(seeds, size)
        if laps:
            ring = [count + laps for count in ring]
        for place in range(pit + 1, pit + 1 + rest):
            ring[place % size] += 1
        last = (pit + seeds) % size
        captured = self._capture(ring, last)
        again = last == m or (self.rules.relap and last == pit)
        after = self._after(ring, me if again else other)
        if (ending := after.ending) is None:
            return Sowing(after, seeds, captured, again)
        swept = after.settled() if ending is Ending.NORMAL else after
        return Sowing(swept, seeds, captured, again=False)

    def _after(self, ring: list[int], player: int) -> Board:
        """Give the position that a sowing leaves; not checked again, as seeds only move."""
        m, me = self.rules.pits, self.player
        own, others = tuple(ring[:m]), tuple(ring[m + 1 :])
        board = object.__new__(Board)
        put = object.__setattr__
        put(board, "rules", self.rules)
        put(board, "pits", (own, others) if me == 0 else (others, own))
        put(board, "stores", (ring[m], self.stores[1]) if me == 0 else (self.stores[0], ring[m]))
        put(board, "player", player)
        return board

    def _capture(self, ring: list[int], last: int) -> int:
        m = self.rules.pits
        if last >= m or ring[last] != 1:
            return 0
        opposite = 2 * m - last
        if not ring[opposite] and self.rules.capture is Capture.OPPOSITE:
            return 0
        captured = 1 + ring[opposite]
        ring[last] = ring[opposite] = 0
        ring[m] += captured
        return captured


def _natural(text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise ValueError(text)
    return int(text)


def article_index(player: int, pit: int, pits: int = 6) -> int:
    """Number a pit as the simulator of the article does.

    One ring of ``2m + 2`` places, sown by falling index: player 0's pits are ``m-1..0`` and the
    store ``2m + 1``; player 1's pits are ``2m..m+1`` and the store ``m``.
    """
    return pits - 1 - pit if player == 0 else 2 * pits - pit


def from_article_index(index: int, pits: int = 6) -> tuple[int, int]:
    """Turn the article's number of a pit into ``(player, pit)``.

    Raises:
        InvalidPositionError: when the number is a store's, or none on the board.
    """
    if 0 <= index < pits:
        return 0, pits - 1 - index
    if pits < index <= 2 * pits:
        return 1, 2 * pits - index
    raise InvalidPositionError(f"{index} is the number of no pit on a board of {pits} pits a row")
