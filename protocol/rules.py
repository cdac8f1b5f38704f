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

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import lru_cache
from itertools import compress
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from mancala.plugins import Plugged

from . import drawing, oware
from .text import quantity, shortened, whole_number

MAX_PITS: Final = 16
MAX_SEEDS_IN_ALL: Final = 255
SWAP: Final = 16
"""The answer that changes sides under the pie rule; no pit has this number."""
LONGEST_NUMBER: Final = 9
"""Most digits of a number in a board's text."""
MOST_NUMBERS: Final = 2 * MAX_PITS + 3
"""Most numbers of a board's text."""
LONGEST_QUOTE: Final = 100
"""Characters of a text that a message about it quotes: the start of a board of sixteen pits."""
AT_START: Final = frozenset({"seeds"})
"""Fields of `Rules` that say only how a game starts; each other one affects play."""
KEY_PARTS: Final = {
    "pits": "{}",
    "capture": "{}",
    "relap": "relap={}",
    "majority": "majority={}",
}
"""Parts of every `Rules.key`. A later rule adds its part only where it is in force, so that keys in
stored data stay as they are."""
LATER: Final = ("pie", "first_again", "relay", "keep_one", "even", "empty_takes", "oware")
"""Rules that JSON holds only where they are in force."""
_PLAIN: Final = re.compile(rf"<[0-9]{{1,{LONGEST_NUMBER}}}(,[0-9]{{1,{LONGEST_NUMBER}}})*>")
"""Boards as programs write them, which need no check number by number."""


class InvalidPositionError(ValueError):
    """A text, state or set of rules is not valid."""


class UnknownRuleError(InvalidPositionError):
    """Rules are in force that a part of the program does not know."""

    def __init__(self, part: str, rules: tuple[str, ...]) -> None:
        self.rules = rules
        super().__init__(f"{part} cannot play the rules {', '.join(rules)}")


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


class Capture(StrEnum):
    """What is captured when the last seed falls into an empty pit of the mover."""

    OPPOSITE = "opposite"
    """The seeds of both pits if the opposite pit holds any; otherwise nothing."""
    ALWAYS = "always"
    """The seeds of both pits, even if the opposite pit is empty."""
    NONE = "none"
    """Nothing."""


class Ending(StrEnum):
    """Why the rules end a game."""

    NORMAL = "normal"
    MAJORITY = "majority"


@dataclass(frozen=True, slots=True, repr=False)
class Rules:
    """A variant of the rules of Kalah(pits, seeds).

    Attributes:
        pits: pits in each row, 1 to 16.
        seeds: seeds in each pit at the start; at most 255 in all pits together.
        capture: what a last seed in an empty pit of the mover captures.
        relap: sow again when the last seed falls into its starting pit.
        majority: end the game once a store holds more than half of all seeds.
        pie: player 1 may change sides in place of the first sowing of its first turn. ``False``
            becomes ``UNSET``, so that JSON holds the field only where it is in force.
        first_again: the sowing of the start gives a further turn where it ends in the store.
            ``True`` becomes ``UNSET``.
        relay: sow on from the pit of the last seed if it held any. From here on ``False`` becomes
            ``UNSET``.
        keep_one: the first seed falls back into the pit that is sown, unless it is the only one.
        even: the last seed captures a pit of the other row whose seeds it makes even.
        empty_takes: what is left at the end goes to the player whose row is empty.
        oware: sow, capture and end as in Oware; of the other rules only ``pie`` goes with it.

    Raises:
        InvalidPositionError: when there are too few or too many pits or seeds, or rules that
            exclude each other.
    """

    pits: int = 6
    seeds: int = 4
    capture: Capture = Capture.OPPOSITE
    relap: bool = False
    majority: bool = False
    pie: bool | UnsetType = UNSET
    first_again: bool | UnsetType = UNSET
    relay: bool | UnsetType = UNSET
    keep_one: bool | UnsetType = UNSET
    even: bool | UnsetType = UNSET
    empty_takes: bool | UnsetType = UNSET
    oware: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        for name in LATER:
            if getattr(self, name) is not (name != "first_again"):
                object.__setattr__(self, name, UNSET)
        if not 1 <= self.pits <= MAX_PITS:
            raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {self.pits}")
        if self.seeds < 1:
            raise InvalidPositionError(f"seeds must be 1 or more, not {self.seeds}")
        if 2 * self.pits * self.seeds > MAX_SEEDS_IN_ALL:
            total = 2 * self.pits * self.seeds
            raise InvalidPositionError(
                f"{quantity(total, 'seed')} in all; the limit is {MAX_SEEDS_IN_ALL}"
            )
        if self.oware and (others := _besides(self, {"pits", "pie", "oware"})):
            raise InvalidPositionError(f"the rule oware does not go with {', '.join(others)}")

    @classmethod
    def of(cls, rules: Rules | str) -> Rules:
        """Return rules that may be written as text; InvalidPositionError where it is none."""
        return cls.parse(rules) if isinstance(rules, str) else rules

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read ``PRESET`` or ``PRESET:key=value,…``, such as ``kalah:pits=5,seeds=3``.

        Raises:
            InvalidPositionError: for an unknown preset, key or value, or a key that stands twice.
        """
        name, _, options = text.partition(":")
        try:
            preset = PLUGGED[name]
        except KeyError:
            known = ", ".join(PLUGGED)
            raise InvalidPositionError(f"no rules named {name!r}; known: {known}") from None
        except ImportError as error:
            raise InvalidPositionError(str(error)) from error
        changes: dict[str, object] = {}
        for key, value in (_rule_option(option) for option in options.split(",") if option):
            if key in changes:
                raise InvalidPositionError(f"the rule {key!r} is given twice")
            changes[key] = value
        return replace(preset, **changes)  # type: ignore[arg-type]  # typed by _rule_option

    @property
    def key(self) -> str:
        """Key of the rules that affect play (not the start), such as stored data holds.

        What is exact under a key is exact under all rules that have it.
        """
        return _key_of(self)

    @property
    def is_kalah(self) -> bool:
        """Whether only the size of the board differs from the preset ``kalah``."""
        return self.key == replace(KALAH, pits=self.pits).key

    @property
    def is_family(self) -> bool:
        """Whether seeds are sown, captured or left otherwise than in Kalah, as in `FAMILY`."""
        others = self.relay, self.keep_one, self.even, self.empty_takes, self.oware
        return any(others) or self.capture is Capture.NONE

    @property
    def opens(self) -> bool:
        """Whether a rule of a game's first turns is in force."""
        return bool(self.pie) or self.first_again is False

    @property
    def without_pie(self) -> Rules:
        """The same rules after a game's first turns."""
        return replace(self, pie=False, first_again=True) if self.opens else self

    def require_known(self, known: Collection[str], part: str) -> None:
        """Refuse rules in force that a part of the program does not know.

        Args:
            known: the fields that it takes into account.
            part: what it is, for the error.

        Raises:
            UnknownRuleError: when another field that affects play is not at its default.
        """
        if unknown := _besides(self, known):
            raise UnknownRuleError(part, unknown)

    def __repr__(self) -> str:
        """Return an expression that makes the same rules, such as ``Rules.parse('kalah')``."""
        return f"Rules.parse({str(self)!r})"

    def __str__(self) -> str:
        """Return the shortest text that :meth:`parse` reads back wherever this program runs."""
        alike = sorted(PRESETS, key=lambda name: len(_differences(self, PRESETS[name])))
        changes = ",".join(
            f"{key}={str(value).lower()}" for key, value in _differences(self, PRESETS[alike[0]])
        )
        return f"{alike[0]}:{changes}" if changes else alike[0]


def _affecting_play(rules: Rules) -> Iterator[tuple[str, object, object]]:
    for each in fields(rules):
        if each.name not in AT_START:
            yield each.name, getattr(rules, each.name), each.default


def _besides(rules: Rules, known: Collection[str]) -> tuple[str, ...]:
    """Return the fields that affect play, are not at their default, and are not among others."""
    return tuple(
        name
        for name, value, default in _affecting_play(rules)
        if name not in known and value != default
    )


@lru_cache
def _key_of(rules: Rules) -> str:
    """Return the key of rules, for which a search asks ten times before it begins."""
    return " ".join(
        KEY_PARTS.get(name, f"{name}={{}}").format(value)
        for name, value, default in _affecting_play(rules)
        if name in KEY_PARTS or value != default
    )


PRESETS: Final = {
    "kalah": Rules(),
    "kalah-empty-capture": Rules(capture=Capture.ALWAYS),
    "article": Rules(relap=True, majority=True),
}
"""Those that texts of rules name, since all peers know them; `Rules.parse` knows others."""
KALAH: Final = PRESETS["kalah"]
MANCHESTER: Final = Rules(pits=7, seeds=7, pie=True, first_again=False)
"""As the course of Manchester plays; a preset by its name, which knows rules of the first turns."""
FAMILY: Final = {
    "avalanche": Rules(capture=Capture.NONE, relay=True),
    "congkak": Rules(pits=7, seeds=7, relay=True),
    "mangala": Rules(keep_one=True, even=True, empty_takes=True),
}
"""The games that sow through the mover's store; docs/values.md has the sources of their rules."""
OWARE: Final = Rules(oware=True)
PLUGGED: Final = Plugged(
    "rules", Rules, {**PRESETS, "manchester": MANCHESTER, **FAMILY, "oware": OWARE}
)
"""The presets, and those of plug-ins. Peers may lack these, so no text that is sent names them."""

_DEFAULTS: Final = {field.name: field.default for field in fields(Rules)}


def _differences(rules: Rules, base: Rules) -> list[tuple[str, object]]:
    values = [(field.name, getattr(rules, field.name), field.default) for field in fields(rules)]
    return [
        (name, value) for name, value, default in values if value != getattr(base, name, default)
    ]


def _rule_option(option: str) -> tuple[str, object]:
    key, _, text = option.partition("=")
    if key not in _DEFAULTS:
        raise InvalidPositionError(f"no rule named {key!r}; known: {', '.join(_DEFAULTS)}")
    read, expected = _reader_of(_DEFAULTS[key])
    try:
        return key, read(text)
    except (ValueError, KeyError):
        raise InvalidPositionError(
            f"{text!r} is no value for the rule {key!r}; expected {expected}"
        ) from None


def _reader_of(default: object) -> tuple[Callable[[str], object], str]:
    """Return what reads a value of a rule, by the type of its default, and what it expects."""
    match default:
        case bool() | UnsetType():
            return {"true": True, "false": False}.__getitem__, "true or false"
        case StrEnum():
            return type(default), " or ".join(type(default))
        case _:
            return whole_number, "a whole number"


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

    Raises:
        InvalidPositionError: when the numbers are not a possible position.
    """

    rules: Rules
    pits: tuple[tuple[int, ...], tuple[int, ...]]
    stores: tuple[int, int]
    player: int = 0
    past: tuple[object, ...] = field(default=(), compare=False)

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
        stripped = text.strip()
        shown = repr(shortened(text, LONGEST_QUOTE))
        if not (stripped.startswith("<") and stripped.endswith(">")):
            raise InvalidPositionError(f"a board is written <m,store,store,pits…>, not {shown}")
        parts = stripped[1:-1].split(",", MOST_NUMBERS)
        if len(parts) > MOST_NUMBERS:
            raise InvalidPositionError(
                f"a board has at most {MOST_NUMBERS} numbers; {shown} has more"
            )
        if _PLAIN.fullmatch(stripped):
            size, *numbers = map(int, parts)
        else:
            size, *numbers = (_natural(part, place) for place, part in enumerate(parts, start=1))
        if not 1 <= size <= MAX_PITS:
            raise InvalidPositionError(f"pits must be 1..{MAX_PITS}, not {size}")
        if len(numbers) != 2 * size + 2:
            raise InvalidPositionError(
                f"{quantity(size, 'pit a row takes', 'pits a row take')} {2 * size + 2} more"
                f" numbers; {shown} has {len(numbers)}"
            )
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

    @property
    def ending(self) -> Ending | None:
        """Why the game is over in this position; None if it is not."""
        if self.rules.oware:
            return self._ending_of_oware()
        if not any(self.pits[0]) or not any(self.pits[1]):
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


def _natural(text: str, place: int) -> int:
    digits = text.strip()
    try:
        return whole_number(digits)
    except ValueError:
        what = ("the pits a row", "the mover's store", "the other store")[place - 1 : place]
        shown = shortened(digits, LONGEST_NUMBER)
        raise InvalidPositionError(
            f"{what[0] if what else f'pit {place - 3}'} of a board is a whole number, not {shown!r}"
        ) from None


def article_index(player: int, pit: int, pits: int = 6) -> int:
    """Return the number of a pit in the article's simulator.

    It has one ring of ``2m + 2`` places, sown by falling index: player 0's pits are ``m-1..0`` and
    the store ``2m + 1``; player 1's pits are ``2m..m+1`` and the store ``m``.
    """
    return pits - 1 - pit if player == 0 else 2 * pits - pit


def from_article_index(index: int, pits: int = 6) -> tuple[int, int]:
    """Return ``(player, pit)`` for the article's number of a pit.

    Raises:
        InvalidPositionError: when it is a store's number, or not on the board.
    """
    if 0 <= index < pits:
        return 0, pits - 1 - index
    if pits < index <= 2 * pits:
        return 1, 2 * pits - index
    raise InvalidPositionError(
        f"{index} is not the number of a pit on a board of {quantity(pits, 'pit')} a row"
    )
