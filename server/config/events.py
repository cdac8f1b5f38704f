"""The settings of an event: one ``[[event]]`` of the configuration file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from mancala.plugins import Plugged, PluginGroup
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Name
from mancala.protocol.rules import Board, Rules
from mancala.protocol.text import quantity

from .annotations import (
    LONGEST_DAYS,
    Count,
    Elo,
    EncounterGames,
    PositiveCount,
    PositiveSeconds,
    RoundCount,
    Seconds,
)
from .games import boards_of, problem_of_games


class Format(StrEnum):
    """The format of an event."""

    ROUND_ROBIN = "rr"
    """Every player meets every other."""
    DOUBLE_ROUND_ROBIN = "drr"
    """Every player meets every other twice."""
    GAUNTLET = "gauntlet"
    """The first player meets every other."""
    SWISS = "swiss"
    """Players with equal scores meet, round by round; rematches are avoided."""
    KNOCKOUT = "knockout"
    """Who loses is out; players are seeded in the order given."""
    DOUBLE_KNOCKOUT = "double-knockout"
    """Who loses twice is out; players are seeded in the order given."""
    ARENA = "arena"
    """All who are there are paired again and again, in waves; on a server, until a time."""
    MATCH = "match"
    """Two players meet."""

    @classmethod
    def _missing_(cls, value: object) -> Format | None:
        if not isinstance(value, str) or value not in FORMATS:
            return None
        plugged = str.__new__(cls, value)
        plugged._name_ = plugged._value_ = value
        return plugged

    @property
    def is_plugged(self) -> bool:
        """Whether a plug-in has made it; ``in Format`` would be true of it, too."""
        return self not in list(Format)


class TieBreak(StrEnum):
    """What decides between equal points; each is a column of the standings."""

    DIRECT = "direct"
    """Points in the games of the level players against one another, if all of them met; those
    still level are compared again among themselves."""
    BUCHHOLZ_1 = "buchholz-1"
    """Buchholz without the round that adds the least (Cut-1), of those that the player chose not
    to play if there are any."""
    BUCHHOLZ = "buchholz"
    """Points of all opponents met, once a game."""
    SONNEBORN_BERGER = "sonneborn-berger"
    """Points of the opponents beaten, and half those of the opponents drawn with."""
    WINS = "wins"
    """Games won."""
    PROGRESSIVE = "progressive"
    """The sum of the points after each round."""
    MARGIN = "margin"
    """Seeds ahead, over all games."""

    @property
    def column(self) -> str:
        return self.value.replace("-", "_")


SeriesName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@+-]{0,23}$(?!\n)")]
"""A name with room for the edition and the division behind it."""
Entry = Literal["list", "tokens", "open"]

FORMATS: Final = Plugged(PluginGroup.FORMATS, object, dict.fromkeys(Format))
"""The names of the formats; `mancala.server.contest.events.plan` has what they are."""
LATE: Final = re.compile(r"half-bye until round ([1-9][0-9]{0,2})")
FILLED: Final = ("rr", "drr", "swiss", "arena")
"""The formats in which one of an odd number of entrants has no opponent in each round."""
UNSET: Final = (None, "", ())
"""The values of a setting that asks for nothing."""
RATED_CONDITIONS: Final = ("min_rating", "max_rating", "min_games")
"""The settings that a bot's rated games meet, or do not."""
CONDITIONS: Final = ("password", "team", *RATED_CONDITIONS)
"""The settings that ask something of bots that enter by themselves."""
TIMES: Final = ("opens", "check_in", "starts")
"""The settings that are times, in the order in which they follow each other."""
FIRST_YEAR: Final = 1900
"""The year from which on a time can be meant."""


class EventSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of an event.

    Attributes:
        name: the event's name, which the store keeps: another event needs another name.
        format: ``rr`` (round robin), ``drr`` (two of them), ``gauntlet`` (the first entrant meets
            all others), ``swiss``, ``knockout``, ``double-knockout``, ``arena`` (all who are there
            are paired in waves, until ``duration_s`` is over), ``match``, or one of a plug-in.
        about: what the event is, its rules and its prizes, as lines of text for its page.
        entrants: the bots that play, in order of seeding; two or more, for a match two. Where bots
            enter by themselves, these are entered already, ahead of the others.
        enter: who enters: ``list`` (the entrants named here, no others), ``tokens`` (any bot with a
            token) or ``open`` (any bot).
        fill: a bot, such as one of the house, that plays too if an odd number of entrants begins
            and it is connected then; by default, one of them has a bye in each round.
        per_owner: how many bots may enter by themselves from one address; by default, any number.
        places: how many bots may enter by themselves. Once all places are taken, and before the
            first round, a bot gets the latest one of the address that holds most of them, if that
            address keeps as many as the bot's own.
        opens: when the event opens, as ``starts``: from then on bots may enter by themselves,
            unless only those listed play; by default, when the organiser says
            ``mancala event open``.
        check_in: from when on those who entered confirm that they are there, by being connected at
            some time between then and the start; who was not is left out. By default, all play.
        password: what a bot that enters by itself has to say with its entry
            (``mancala bot URL --event NAME --event-password WORD``); by default, nothing.
        team: the bots of whom only may enter by themselves; by default, all.
        min_rating: the least rating of a bot that enters by itself, which has to have games; by
            default, any.
        max_rating: the same, at most.
        min_games: how many rated games it has to have played; by default, none.
        rating_in: the ladder whose ratings and games these three ask for, of the version that
            enters; by default, that of ``rated``.
        late: whether a bot may enter a Swiss event that has begun: ``half-bye until round 3`` takes
            it for each round up to the third, with half a point a game for those it missed. By
            default, it is too late.
        rounds: rounds of a Swiss event, laps of the others; by default, as many as the entrants
            need, or one lap. An arena ends earlier after this many waves; by default, after 1000.
        duration_s: how long an arena pairs waves, from its start on; pauses count. A wave that has
            begun is played to its end.
        accelerated: whether the first rounds of a Swiss event are accelerated, by virtual points of
            the upper half.
        pairing: a Swiss event is paired by FIDE's Dutch system, whether this says ``fide`` or
            ``fast``, which was a simplified system before.
        apart: bots of a Swiss event who are not to meet while that can be helped, as groups:
            ``[["ann", "bob"], ["cid", "dan", "eve"]]``.
        interval_s: how long the event rests between two rounds; ``mancala event start`` ends the
            rest.
        games: games of an encounter; seats are swapped after each, so two favour neither side.
        rules: the rules of its games.
        clock: the time control of its games.
        openings: starting positions, as board literals, each for a pair of games; by default, the
            standard start.
        openings_file: file with further openings, one per line; ``#`` begins a comment. Its path
            is relative to the configuration's folder.
        seed: decides lots.
        replays: how often a tied encounter of a knockout is played again before seeds ahead, and
            then a lot, decide.
        tie_breaks: what decides between equal points, in order; by default ``buchholz``,
            ``sonneborn-berger`` and ``margin`` for a Swiss event, ``sonneborn-berger``, ``wins``
            and ``margin`` for the others.
        rated: a ladder that counts its games too, those of bots that the ladder takes; its rules
            are the event's. By default, none.
        starts: when it begins, as ``2026-12-01T19:00:00+01:00``; by default, when the organiser
            says ``mancala event start``. Fewer than two entrants are waited for.
        freeze_rounds: how many of the last rounds are frozen, until the organiser says ``mancala
            event reveal``, which shows one of them, or ``publish``.
        freeze: what is frozen of these rounds: ``table`` (the table leaves them out; the results of
            their games are shown) or ``results`` (their games are hidden, too, and no ladder may
            count them).
        series: the series that it is an edition of, such as ``friday``. Its page shows the points
            of all editions together.
        edition: which edition of the series it is; another event of it has another edition or
            division.
        every_days: after how many days the next edition begins, which the server makes once this
            one is over and no round of it frozen: with these settings, all times later by that, and
            the name ``SERIES-EDITION``. The series ends when that event is deleted.
        division: in a series with divisions, the strongest is 1. All events of an edition make the
            next one together, once all of them are over.
        promoted: how many change places between neighbouring divisions for the next edition: the
            last of one and the first of the other. Who has entered and not withdrawn is an entrant
            there; by default, the entrants stay as listed.
        boards: maximum number of its matches at the same time.
        absent_s: how long an entrant that is away when it is to play is waited for; then it loses
            its games of the round. Two such rounds in a row withdraw it. Who is not connected when
            a round of a Swiss event or an arena is paired is left out of it, without points.
    """

    name: Name
    format: str
    about: Annotated[str, Meta(max_length=4000)] = ""
    entrants: tuple[Name, ...] = ()
    enter: Entry = "list"
    fill: Name | None = None
    per_owner: PositiveCount | None = None
    places: PositiveCount = 256
    opens: str | None = None
    check_in: str | None = None
    password: Annotated[str, Meta(max_length=256)] = ""
    team: tuple[Name, ...] = ()
    min_rating: Elo | None = None
    max_rating: Elo | None = None
    min_games: PositiveCount | None = None
    rating_in: Name | None = None
    late: str | None = None
    rounds: RoundCount | None = None
    duration_s: PositiveSeconds | None = None
    accelerated: bool = False
    pairing: Literal["fast", "fide"] = "fide"
    apart: tuple[tuple[Name, ...], ...] = ()
    interval_s: Seconds = 0.0
    games: EncounterGames = 2
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    openings: tuple[str, ...] = ()
    openings_file: str | None = None
    seed: int = 1
    replays: Count = 1
    tie_breaks: tuple[TieBreak, ...] = ()
    rated: str | None = None
    starts: str | None = None
    freeze_rounds: Count = 0
    freeze: Literal["table", "results"] = "table"
    series: SeriesName | None = None
    edition: Annotated[int, Meta(ge=1, le=100_000)] = 1
    every_days: Annotated[float, Meta(ge=0.05, le=LONGEST_DAYS)] | None = None
    division: Annotated[int, Meta(ge=1, le=100)] = 1
    promoted: Count = 0
    boards: PositiveCount = 16
    absent_s: Seconds = 120.0

    @property
    def parsed_rules(self) -> Rules:
        return Rules.parse(self.rules)

    @property
    def positions(self) -> tuple[Board, ...]:
        return boards_of(self.openings, self.parsed_rules)

    @property
    def hides_results(self) -> bool:
        """Whether results of its last rounds are hidden until they are revealed."""
        return self.freeze == "results" and self.freeze_rounds > 0

    @property
    def ratings_of(self) -> str | None:
        """The ladder whose ratings and games decide who may enter."""
        return self.rating_in or self.rated

    @property
    def late_until(self) -> int:
        """The last round that a late entrant may join in; 0 if none may."""
        found = LATE.fullmatch(self.late or "")
        return int(found[1]) if found is not None else 0

    @property
    def place_in_series(self) -> tuple[str, int, int] | None:
        """Its series, edition and division, which no other event here has; None without one."""
        return None if self.series is None else (self.series, self.edition, self.division)

    def problem(self) -> str | None:
        """Return the first invalid key and the reason; None when all are valid."""
        return next(self._problems(), None)

    def _problems(self) -> Iterator[str]:
        if self.format not in FORMATS:
            yield f"format: must be one of {', '.join(FORMATS)}, not {self.format!r}"
        if problem := problem_of_games(self.rules, self.openings):
            yield problem
        if self.format == "arena" and self.duration_s is None:
            yield "duration_s: an arena lasts as long as this says"
        if self.format != "arena" and self.duration_s is not None:
            yield "duration_s: only for an arena"
        yield from self._problems_of_entrants()
        yield from self._problems_of_entry()
        yield from self._problems_of_times()
        yield from self._problems_of_series()

    def _problems_of_entrants(self) -> Iterator[str]:
        names = Counter(name.lower() for name in self.entrants)
        if twice := [name for name, count in names.items() if count > 1]:
            yield f"entrants: named twice: {', '.join(twice)}"
        if len(self.entrants) < 2 and self.enter == "list":
            yield f"entrants: an event needs two or more, not {len(self.entrants)}"
        if self.format == "match" and len(self.entrants) > 2:
            yield f"entrants: a match has two, not {len(self.entrants)}"
        if self.format == "swiss" and self.enter == "list":
            filled = self.fill is not None and self.fill not in self.entrants
            most = most_swiss_rounds(len(self.entrants) + filled)
            if self.rounds is not None and self.rounds > most:
                yield f"rounds: {too_many_rounds(len(self.entrants), most, self.rounds)}"
        if self.format == "match" and self.enter != "list":
            yield "enter: a match is between the two in entrants"

    def _problems_of_entry(self) -> Iterator[str]:
        if self.enter == "list":
            asked = (key for key in ("per_owner", *CONDITIONS) if getattr(self, key) not in UNSET)
            by_themselves = "bots enter by themselves only with enter = tokens or open"
            yield from (f"{key}: {by_themselves}" for key in asked)
        rated = [key for key in RATED_CONDITIONS if getattr(self, key) is not None]
        if rated and self.ratings_of is None:
            yield f"{rated[0]}: in which ladder? Name it as rating_in, or as rated"
        low, high = self.min_rating, self.max_rating
        if low is not None and high is not None and low > high:
            yield f"max_rating: {high:g} is below min_rating, {low:g}"
        if self.fill is not None and self.format not in FILLED:
            yield f"fill: an odd number is made even only in {', '.join(FILLED)}"
        if self.format != "swiss":
            given: dict[str, object] = {"late": self.late, "accelerated": self.accelerated or None}
            given["apart"] = self.apart or None
            yield from (f"{key}: only for a Swiss event" for key in given if given[key] is not None)
        if self.freeze_rounds and self.format in {"knockout", "double-knockout", "arena"}:
            yield "freeze_rounds: knockouts and arenas have no fixed number of rounds"
        if self.hides_results and self.rated is not None:
            yield "rated: the ladder would show the results that freeze hides"
        if self.late is not None and not self.late_until:
            yield f"late: write it as half-bye until round 3, not {self.late!r}"

    def _problems_of_series(self) -> Iterator[str]:
        if self.series is None:
            given = {"every_days": self.every_days, "promoted": self.promoted or None}
            given["division"] = None if self.division == 1 else self.division
            yield from (f"{key}: only for a series" for key in given if given[key] is not None)
        elif self.every_days is not None and self.starts is None:
            yield "every_days: the first edition needs its time, starts"

    def _problems_of_times(self) -> Iterator[str]:
        times = {key: text for key in TIMES if (text := getattr(self, key)) is not None}
        read = {key: _time_of(text) for key, text in times.items()}
        for key, at in read.items():
            if at is None:
                yield f"{key}: write it as 2026-12-01T19:00:00+01:00, not {times[key]!r}"
            elif at.year < FIRST_YEAR:
                yield f"{key}: the year {at.year} can't be meant"
        for (earlier, at), (later, then) in pairwise(read.items()):
            if at is not None and then is not None and at > then:
                yield f"{later}: comes before {earlier}"


def problem_of_place(event: EventSettings, others: Iterable[EventSettings]) -> str | None:
    place = event.place_in_series
    if place is None:
        return None
    twins = (each.name for each in others if each.place_in_series == place)
    twin = next(twins, None)
    said = "edition: {} is edition {} of {} in division {} already"
    return None if twin is None else said.format(twin, event.edition, event.series, event.division)


def most_swiss_rounds(players: int) -> int:
    """Return how many rounds of a Swiss event there are in which no two meet again."""
    return players - 1 + players % 2


def too_many_rounds(players: int, most: int, rounds: int) -> str:
    """Return why a Swiss event of some players can't have as many rounds."""
    found = quantity(most, "Swiss round")
    return f"{quantity(players, 'player')} can have {found} without meeting again, not {rounds}"


def _time_of(text: str) -> datetime | None:
    """Return an instant; None where the text is none, or names no time zone."""
    try:
        at = datetime.fromisoformat(text)
        at.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return at if at.tzinfo is not None else None
