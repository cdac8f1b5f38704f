"""Builds the announcements of results; pure.

An event's id is made from the id of what ended, so a result that is stored or delivered twice is
recognised as one.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from msgspec.structs import asdict, replace

from mancala.protocol import results
from mancala.protocol.messages import Agent, Moved, Outcome
from mancala.protocol.referee import Referee
from mancala.protocol.results import (
    LOGISTIC,
    ActChange,
    Contestant,
    GameResult,
    GameReviewed,
    GamesAnnulled,
    LadderStandings,
    LiveMove,
    MatchResult,
    OrganiserActed,
    ServerNotice,
    Topics,
)
from mancala.protocol.review import GameReview

from .game import Standing
from .journal import Announcement
from .match import Match, nonstandard
from .orders import AdminAct
from .review.reviews import ReviewableGame

UNNUMBERED: Final = 0
"""The store numbers a payload when it becomes durable."""


@dataclass(frozen=True, slots=True)
class EventFactory:
    server: str
    topics: Topics

    def game(
        self,
        match: Match,
        referee: Referee,
        ended: Outcome,
        agents: tuple[Agent | None, Agent | None],
        span: tuple[str, str],
    ) -> Announcement:
        game = match.games[-1]
        seats = match.side(0), match.side(1)
        opening = nonstandard(match.opening)
        payload = GameResult(
            *self.head(f"game-{game}"),
            game=game,
            match=match.id,
            rated=match.terms.rated,
            rules=match.terms.rules,
            clock=match.terms.clock,
            players=(
                Contestant(match.names[seats[0]], agents[seats[0]]),
                Contestant(match.names[seats[1]], agents[seats[1]]),
            ),
            plies=len(referee.moves),
            moves=tuple(referee.moves),
            started_at=span[0],
            ended_at=span[1],
            opening=opening,
            ladder=match.ladder,
            **asdict(ended),
        )
        return Announcement.of(self.topics.game_result(game), payload)

    def match(
        self,
        match: Match,
        agents: tuple[Agent | None, Agent | None],
        ended_at: str,
        ratings: dict[str, float] | None = None,
    ) -> Announcement:
        score, games = match.score, tuple(match.games)
        payload = MatchResult(
            *self.head(f"match-{match.id}"),
            match=match.id,
            rated=match.terms.rated,
            rules=match.terms.rules,
            clock=match.terms.clock,
            players=(
                Contestant(match.names[0], agents[0]),
                Contestant(match.names[1], agents[1]),
            ),
            score=score,
            games=games,
            started_at=match.began_at,
            ended_at=ended_at,
            ratings=ratings,
            ladder=match.ladder,
            scale=LOGISTIC if ratings is not None else None,
        )
        return Announcement.of(self.topics.match_result(match.id), payload)

    def ladder_game(self, ladder: str, result: Announcement) -> Announcement:
        payload = replace(result.payload, event_id=f"ladder-{result.event_id}")
        return Announcement.of(self.topics.ladder_games(ladder), payload)

    def standings(
        self,
        ladder: str,
        event: str,
        at: str,
        rows: tuple[Standing, ...],
        *,
        total: int,
        games: int,
    ) -> Announcement:
        """Return the announcement of a ladder's standings; the broker retains the last one."""
        payload = LadderStandings(
            *self.head(f"standings-{event}"),
            ladder=ladder,
            at=at,
            standings=tuple(map(_payload_row, rows)),
            total=total,
            more=f"/api/v1/ladders/{quote(ladder)}/standings",
            scale=LOGISTIC,
            players=total,
            games=games,
            top_rating=rows[0].elo if rows else None,
        )

        return Announcement.of(self.topics.ladder_standings(ladder), payload)

    def review(
        self,
        game: ReviewableGame,
        review: GameReview,
        at: str,
    ) -> Announcement:
        payload = GameReviewed(
            *self.head(f"review-{review.game}-{review.version}-{round(1000 * review.proven)}"),
            game=review.game,
            names=game.names,
            version=review.version,
            engine=review.engine,
            seconds=review.seconds,
            reviewed_at=at,
            proven=review.proven,
            players=review.players,
            changes=review.changes,
            path=f"/api/v1/games/{quote(review.game)}/review",
            losing=review.losing,
            ladder=game.ladder,
        )
        return Announcement.of(self.topics.game_review(review.game), payload)

    def notice(self, event: str, text: str, at: str, until: str | None) -> Announcement:
        """Return the announcement of a notice; the broker retains the last one."""
        payload = ServerNotice(*self.head(f"notice-{event}"), text, at, until)
        return Announcement.of(self.topics.notice, payload)

    def acted(
        self, event: str, act: AdminAct, changed: tuple[ActChange, ...], changes: int
    ) -> Announcement:
        payload = OrganiserActed(
            *self.head(f"act-{event}"), act.action, act.by, changed, changes, act.why, act.at
        )
        return Announcement.of(self.topics.log, payload)

    def annulled(
        self,
        event: str,
        games: tuple[tuple[str, bool], ...],
        at: str,
        reason: str,
        *,
        counts: bool,
    ) -> Announcement:
        """Return the announcement that games count no longer, or count again."""
        events = [f"game-{game}" for game, _ in games]
        events += [f"ladder-game-{game}" for game, in_ladder in games if in_ladder]
        ids = tuple(game for game, _ in games)
        payload = GamesAnnulled(
            *self.head(f"annulled-{event}"),
            games=ids,
            event_ids=tuple(events),
            counts=counts,
            reason=reason,
            at=at,
        )
        return Announcement.of(self.topics.annulments, payload)

    def live_move(self, moved: Moved) -> tuple[str, LiveMove]:
        """Return the topic and the payload of a move, for spectators by MQTT."""
        payload = LiveMove(*self.head(f"move-{moved.game}-{moved.ply}"), **asdict(moved))
        return self.topics.game_moves(moved.game), payload

    def head(self, event_id: str) -> tuple[str, int, str]:
        return event_id, UNNUMBERED, self.server


def _payload_row(row: Standing) -> results.Standing:
    return results.Standing(
        rank=row.rank,
        name=row.name,
        games=row.games,
        points=row.points,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        rating=row.elo,
        rating_error=row.elo_error,
        rank_range=row.rank_range,
    )
