"""What decides the pairings of an event, and the plan that follows from it and the results."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec import Struct

from ...config.events import Format
from ...model.game import Encounter, RatedGame, Round

HALF_BYE: Final = 0.5
"""Points a game of a bye asked for, of a round before a late entry, and of an arena's rest."""
BRACKETS: Final = frozenset({Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT})
"""The formats in which who loses is out."""
BY_SCORES: Final = frozenset({Format.SWISS, Format.ARENA})
"""The formats that pair each round by the points so far; players may come late and leave early."""


class Attendance(Struct, frozen=True):
    """In which rounds of a Swiss event or an arena a player is paired.

    Attributes:
        joins: the first round; in a Swiss event each one before it is a half-point bye.
        leaves: the last round, after which the player has withdrawn; 0 for the event's last.
        away: the first and the last round of each time in which it was not connected when rounds
            were paired, and so was left out of them, without points.
    """

    joins: int = 1
    leaves: int = 0
    byes: tuple[int, ...] = ()
    away: tuple[tuple[int, int], ...] = ()

    def points(self, number: int) -> float | None:
        """Return the points a game of a Swiss round without play; None for one that is played."""
        is_away = any(first <= number <= last for first, last in self.away)
        if is_away or (self.leaves and number > self.leaves):
            return 0.0
        return HALF_BYE if number < self.joins or number in self.byes else None


class Terms(Struct, frozen=True):
    """What decides the pairings of an event, besides the results.

    Attributes:
        players: names, in order of seeding.
        games: games per encounter.
        rounds: rounds of a Swiss event; the most waves of an arena; laps of a round robin,
            gauntlet or match.
        replays: how often a tied encounter of a knockout is played again before seeds ahead,
            and then a lot, decide.
        owners: whose bots the players of a Swiss event are, as far as that is known; two of one
            owner meet in the last round only if it can't be helped.
        apart: players of a Swiss event of whom no two are to meet, by groups.
        meetings: encounters of a Swiss event that the organiser ordered, with their rounds; where
            one of the two is not paired, the other is paired as usual.

    Raises:
        ValueError: when the values are inconsistent.
    """

    format: Format
    players: tuple[str, ...]
    games: int
    rounds: int
    seed: int = 0
    accelerated: bool = False
    replays: int = 0
    attendance: dict[str, Attendance] = {}
    owners: dict[str, str] = {}
    apart: tuple[tuple[str, ...], ...] = ()
    meetings: tuple[tuple[int, str, str], ...] = ()

    def __post_init__(self) -> None:
        if len(self.players) < 2:  # two players
            raise ValueError("an event needs two players or more")
        if self.format is Format.MATCH and len(self.players) > 2:  # two players
            raise ValueError(f"a match has two players, not {len(self.players)}")
        if self.games < 1:
            raise ValueError(f"an encounter has a game or more, not {self.games}")
        if self.rounds < 1:
            raise ValueError(f"an event has a round or more, not {self.rounds}")
        if self.replays < 0:
            raise ValueError(f"replays are counted from 0, not {self.replays}")
        if twice := [name for name, count in Counter(self.players).items() if count > 1]:
            raise ValueError(f"named twice: {', '.join(twice)}")
        self._check_attendance()

    def _check_attendance(self) -> None:
        has_byes = any(each.byes for each in self.attendance.values())
        if self.format is not Format.SWISS and (self.accelerated or has_byes):
            raise ValueError("only a Swiss event has acceleration, and byes that are asked for")
        if self.attendance and self.format not in BY_SCORES:
            raise ValueError("only a Swiss event or an arena has late entries and withdrawals")
        for name, each in self.attendance.items():
            if name not in self.players:
                raise ValueError(f"no player is named {name!r}")
            if not all(1 <= it <= self.rounds for it in (each.joins, each.leaves or 1, *each.byes)):
                raise ValueError(f"{name}: rounds are 1 to {self.rounds}")
            if each.leaves and each.leaves < each.joins:
                raise ValueError(f"{name} leaves after round {each.leaves}, before it joins")


class Tie(Struct, frozen=True):
    """An encounter of a knockout with its replays.

    Attributes:
        stage: such as ``round 1``, ``lower 2`` or ``final``.
        decided_by: ``points``, ``replay``, ``margin`` (seeds ahead over all games), ``void``
            (fewer games void by one's own fault) or ``lot``; None while it is being played.
    """

    stage: str
    players: tuple[str, str]
    points: tuple[float, float]
    winner: str | None = None
    decided_by: str | None = None

    def sentence(self) -> str:
        (one, two), (ours, theirs) = self.players, self.points
        score = f"{self.stage}: {one} {ours:g} : {theirs:g} {two}"
        return score if self.winner is None else f"{score}, {self.winner} by {self.decided_by}"


class Plan(NamedTuple):
    """The rounds of an event decided so far.

    Attributes:
        rounds: the rounds paired so far; replays of a knockout are rounds of their own.
        reached: how many ties of a knockout were decided before the stage that each player
            reached; the champion's is the highest. Empty for other formats.
    """

    rounds: tuple[Round, ...]
    is_complete: bool
    ties: tuple[Tie, ...] = ()
    reached: Mapping[str, int] = {}


def seats_of(encounter: Encounter, games: int, number: int) -> tuple[str, str]:
    """Return who has which seat in a game, given its number in the whole event."""
    return encounter.games[number % games % 2]


def games_of(
    terms: Terms, encounter: int, results: Mapping[int, RatedGame]
) -> tuple[RatedGame, ...]:
    first = encounter * terms.games
    return tuple(results[it] for it in range(first, first + terms.games) if it in results)
