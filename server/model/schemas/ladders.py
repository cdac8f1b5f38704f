"""Ladders, their terms and their standings."""

from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.clock import TimeControl
from mancala.protocol.levels import ScaleHolder
from mancala.protocol.results import LOGISTIC, StandingCounts, Timestamp
from mancala.protocol.rules import Rules

from ..misfit import Misfit
from .views import View


class StandingView(StandingCounts, View, frozen=True):
    """A row of a ladder's standings.

    Attributes:
        rating: strength, in Elo; none without games.
        interval: where the strength lies with 95 % certainty, in Elo.
        accuracy: seeds lost a move against perfect play, over all its reviewed games in the
            ladder; none before the first.
        rank_range: the first and the last place that it may have, with 95 % certainty.
        rating_yesterday: its rating at the end of yesterday, in UTC; none if it did not play in the
            month before today.
        group: ratings can be compared only within a group, whose versions games connect; numbered
            from 1, the largest first; none before the first fit with it.
    """

    bot: str
    rating: float | None
    interval: tuple[float, float] | None
    accuracy: PhaseAccuracy | None = None
    rank_range: tuple[int, int] | None = None
    rating_yesterday: float | None = None
    group: int | None = None


class LadderSummary(View, frozen=True):
    """A ladder in a list.

    Attributes:
        games: games of a match in it.
        players: how many have joined and are here.
        season_of: the ladder whose season this was; none for a ladder that bots may join.
        ended_at: when that season ended.
    """

    ladder: str
    rules: Rules
    clock: TimeControl
    games: int
    players: int
    season_of: str | None = None
    ended_at: Timestamp | None = None


class LadderList(View, frozen=True):
    """The server's ladders.

    Attributes:
        ladders: as configured; then the seasons that are over, the earliest first.
    """

    ladders: tuple[LadderSummary, ...]


class LadderTerms(View, frozen=True):
    """What a bot must know before it joins a ladder.

    Attributes:
        rules_text: the same as text.
        games: games of a match.
        openings: starting positions as text, at most twelve; none for the standard start.
        openings_total: how many there are.
        guests: whether bots without a token may join.
        names: patterns of the names that may join; none for every name.
        house: names of the organiser's bots in it.
        quarantine_after: forfeits in a row after which a version is put out.
        quarantine_s: for how long.
        early_departures: how often a day a bot may leave before its first move.
        departure_pause_s: how long it is not paired after the first time beyond that.
        versions_a_day: new versions that one bot may bring in 24 hours.
        scale_holder: what holds the scale of the ratings: ``anchors`` (fixed ratings that the
            organiser chose), ``levels`` (levels of the engine on the scale of ``mancala rate``,
            level 1 at 0), ``house`` (the mean of the house bots, at 1500), or ``nothing``: then
            ratings say who is stronger than whom in this ladder alone.
        requests: whether it counts the rated matches that bots ask for, and pairs none.
    """

    ladder: str
    rules: Rules
    rules_text: str
    clock: TimeControl
    games: int
    openings: tuple[str, ...]
    openings_total: int
    guests: bool
    names: tuple[str, ...]
    house: tuple[str, ...]
    quarantine_after: int
    quarantine_s: float
    early_departures: int
    departure_pause_s: float
    versions_a_day: int
    scale_holder: ScaleHolder
    requests: bool


class TermsView(View, frozen=True):
    """On which terms bots take part.

    Attributes:
        guests: whether a bot without a token may log in.
        ladders: the terms of each ladder.
    """

    guests: bool
    ladders: tuple[LadderTerms, ...]


class StandingsView(View, frozen=True):
    """The standings of a ladder.

    Attributes:
        at: when they last changed; none before the first game.
        standings: this page's rows, best first.
        total: how many rows there are in all.
        scale: the scale of the ratings: ``logistic``, Elo at the expected score.
    """

    ladder: str
    at: Timestamp | None
    standings: tuple[StandingView, ...]
    total: int = 0
    next: str | None = None
    scale: str = LOGISTIC


class SuperiorityView(View, frozen=True):
    """How likely each of a ladder's best is stronger than each other, as the last fit found it.

    Attributes:
        names: at most twenty rated versions, the strongest first.
        los: the likelihood, 0..1, that the row's version is stronger than the column's; none
            before the first fit, and for two that no games connect.
        misfit: how far results lie from what the ratings let expect, and the pairs that differ
            most; none where there is nothing to compare.
    """

    ladder: str
    names: tuple[str, ...]
    los: tuple[tuple[float | None, ...], ...]
    misfit: Misfit | None = None
