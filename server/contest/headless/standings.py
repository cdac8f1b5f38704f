"""The results of an event: standings with ratings, crosstable, and statistics of openings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.results import LOGISTIC

from ...config.events import Format, TieBreak
from ...model.game import RatedGame, tally
from ...model.misfit import Misfit
from ...model.pair_counts import paired
from ..events.plan import table_of
from ..events.standings import (
    Crosstable,
    EventStanding,
    OpeningStatistics,
    crosstable,
    opening_statistics,
)
from ..events.terms import Tie
from .disabled_players import progress_of
from .event import Contender, Event
from .played_game import PlayedGame
from .score import Lateness, lateness_of

if TYPE_CHECKING:
    from ...rating.ratings import Ratings

STANDINGS_FILE: Final = "table.json"
CENTRE: Final = 0.0
"""Mean of the ratings: only differences are meaningful."""
DIGITS: Final = 3


class EloInterval(Struct, frozen=True):
    """A rating or an advantage in Elo, with its 95 % interval."""

    elo: float
    elo_error: float


class EventStandings(Struct, frozen=True):
    """The standings of an event, its crosstable in their order, and its statistics.

    All Elo is logistic, at the expected score.

    Attributes:
        standings: the best first; in a knockout by the stage reached. ``elo`` is the joint
            maximum-likelihood rating, whose mean over all players is 0.
        los: likelihood, 0..1, that the row's player is stronger than the column's.
        disabled: the players of whom too many games in a row were forfeited or void, and the number
            of the last one; their later games are lost, or void.
        void: games that are void since a service failed that a player asks, by player; they count
            nowhere.
        without_forfeits: the ratings from the games that were not forfeited, by player; empty when
            none was.
        misfit: how far results lie from what the ratings let expect; none where there is nothing
            to compare, as with two players.
    """

    format: Format
    rules: str
    seed: int
    players: tuple[Contender, ...]
    games: int
    complete: bool
    tie_breaks: tuple[TieBreak, ...]
    standings: tuple[EventStanding, ...]
    crosstable: Crosstable
    openings: tuple[OpeningStatistics, ...]
    first_move: EloInterval
    los: tuple[tuple[float, ...], ...]
    disabled: dict[str, int]
    void: dict[str, int] = {}
    without_forfeits: dict[str, EloInterval] = {}
    lateness: dict[str, Lateness] = {}
    ties: tuple[Tie, ...] = ()
    scale: str = LOGISTIC
    misfit: Misfit | None = None


def standings_of(event: Event, played: Mapping[int, PlayedGame]) -> EventStandings:
    """Return the results of an event, finished or not; games of disabled players are lost."""
    progress = progress_of(event, played)
    finished = dict(sorted(progress.games.items()))
    void = {number: str(game.failed) for number, game in finished.items() if game.is_void}
    ended = {number: game.rated for number, game in finished.items()}
    results = {number: game for number, game in ended.items() if number not in void}
    fair = {number: game for number, game in results.items() if not finished[number].forfeiter}
    decided, ratings = progress.plan.decided, _fitted(event, results)
    forfeits = Counter(game.forfeiter for game in finished.values())
    table = table_of(
        *(event.terms, decided.rounds, ended, event.order_of_tie_breaks),
        reached=decided.reached,
        annulled=void,
    )
    names = [row.name for row in table]
    ranges = ratings.rank_ranges()
    rows = (
        replace(
            row,
            elo=_round(ratings[row.name].elo),
            elo_error=_round(ratings[row.name].error),
            forfeits=forfeits[row.name],
            rank_range=tuple(ranges[row.name]),
        )
        for row in table
    )
    return EventStandings(
        format=event.format,
        rules=str(event.conditions.rules),
        seed=event.conditions.seed,
        players=event.contenders,
        games=len(results),
        complete=decided.is_complete and not progress.missing,
        tie_breaks=event.order_of_tie_breaks,
        standings=tuple(rows),
        crosstable=crosstable(results.values(), names),
        openings=opening_statistics(results.values()),
        first_move=EloInterval(_round(ratings.advantage), _round(ratings.advantage_error)),
        los=_los(ratings, names),
        disabled=progress.disabled,
        void=dict(sorted(Counter(void.values()).items())),
        without_forfeits=_intervals(event, fair) if len(fair) < len(results) else {},
        lateness=lateness_of(finished.values(), event.conditions.margin_ms),
        ties=decided.ties,
        misfit=ratings.misfit,
    )


def _fitted(event: Event, games: Mapping[int, RatedGame]) -> Ratings:
    from ...rating.fit import Model, fit  # noqa: PLC0415  # numpy, which a match need not have

    return fit(
        tally(games.values()),
        pairs=paired(games),
        players=event.names,
        model=Model(centre=CENTRE, widen=True, leave_out=event.leave_out_unusual),
    )


def _intervals(event: Event, games: Mapping[int, RatedGame]) -> dict[str, EloInterval]:
    ratings = _fitted(event, games)
    return {
        name: EloInterval(_round(ratings[name].elo), _round(ratings[name].error))
        for name in event.names
    }


def _los(ratings: Ratings, names: list[str]) -> tuple[tuple[float, ...], ...]:
    place = {rating.name: number for number, rating in enumerate(ratings.players)}
    order = [place[name] for name in names]
    return tuple(tuple(map(_round, row)) for row in ratings.los()[order][:, order].tolist())


def _round(value: float) -> float:
    return round(value, DIGITS) + 0.0  # so that there is no -0.0


def to_bytes(event_standings: EventStandings) -> bytes:
    return codec.to_json(event_standings, indent=True) + b"\n"
