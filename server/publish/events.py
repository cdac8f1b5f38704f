"""The announcements of results, built from what a table knows; pure.

An event's id is made from the id of what ended, so however often a result is stored or delivered,
it can't be taken for two.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import asdict, replace

from protocol.messages import Agent, Moved
from protocol.referee import Ended, Referee
from protocol.results import (
    Contestant,
    GameResult,
    LadderStandings,
    LiveMove,
    MatchResult,
    Payload,
    Standing,
    Topics,
)
from protocol.rules import Board, State
from server.ladders.state import Line
from server.model.journal import Announcement
from server.model.match import Match


@dataclass(frozen=True, slots=True)
class Herald:
    """Announces in a server's name.

    Attributes:
        server: the server's name.
        topics: where its results go.
    """

    server: str
    topics: Topics

    def game(
        self,
        match: Match,
        referee: Referee,
        ended: Ended,
        agents: tuple[Agent | None, Agent | None],
        span: tuple[str, str],
    ) -> Announcement:
        """Announce the present game's result.

        Args:
            match: the match it belongs to.
            referee: who refereed it.
            ended: how it ended.
            agents: the programs behind the bots, first-named first.
            span: when it began and when it ended.
        """
        game = match.games[-1]
        event_id = f"game-{game}"
        seats = match.side(0), match.side(1)
        opening = unusual(match.opening)

        def payload(seq: int) -> Payload:
            return GameResult(
                event_id=event_id,
                seq=seq,
                server=self.server,
                game=game,
                match=match.id,
                rated=match.terms.rated,
                rules=match.terms.rules,
                clock=match.terms.clock,
                players=(
                    Contestant(match.names[seats[0]], agents[seats[0]]),
                    Contestant(match.names[seats[1]], agents[seats[1]]),
                ),
                winner=ended.winner,
                stores=ended.stores,
                reason=ended.reason,
                plies=len(referee.moves),
                moves=tuple(referee.moves),
                started_at=span[0],
                ended_at=span[1],
                evidence=ended.evidence,
                opening=opening,
                ladder=match.ladder,
            )

        return Announcement(self.topics.game_result(game), event_id, payload)

    def match(
        self,
        match: Match,
        agents: tuple[Agent | None, Agent | None],
        ended_at: str,
        ratings: dict[str, float] | None = None,
    ) -> Announcement:
        """Announce a match's result.

        Args:
            match: the match, all its games booked.
            agents: the programs behind the bots, first-named first.
            ended_at: when it ended.
            ratings: a bot's rating after it, where there is any.
        """
        event_id = f"match-{match.id}"
        score, games = match.score, tuple(match.games)

        def payload(seq: int) -> Payload:
            return MatchResult(
                event_id=event_id,
                seq=seq,
                server=self.server,
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
            )

        return Announcement(self.topics.match_result(match.id), event_id, payload)

    def ladder_game(self, ladder: str, result: Announcement) -> Announcement:
        """Announce a game's result among those of its ladder, too.

        Args:
            ladder: the ladder's name.
            result: as announced for the game.
        """
        event_id = f"ladder-{result.event_id}"

        def payload(seq: int) -> Payload:
            return replace(result.payload(seq), event_id=event_id)

        return Announcement(self.topics.ladder_games(ladder), event_id, payload)

    def standings(self, ladder: str, event: str, at: str, table: tuple[Line, ...]) -> Announcement:
        """Announce a ladder's table; the broker keeps the last one.

        Args:
            ladder: the ladder's name.
            event: an id for this table.
            at: when it was drawn up.
            table: the table.
        """
        event_id = f"standings-{event}"

        def payload(seq: int) -> Payload:
            standings = tuple(map(_standing, table))
            return LadderStandings(
                event_id=event_id,
                seq=seq,
                server=self.server,
                ladder=ladder,
                at=at,
                standings=standings,
            )

        topic = self.topics.ladder_standings(ladder)
        return Announcement(topic, event_id, payload, is_retained=True)

    def live_move(self, moved: Moved) -> tuple[str, LiveMove]:
        """Give the topic and the payload of a move for those who look on by MQTT."""
        event_id = f"move-{moved.game}-{moved.ply}"
        payload = LiveMove(event_id=event_id, seq=0, server=self.server, **asdict(moved))
        return self.topics.game_moves(moved.game), payload


def unusual(opening: Board) -> State | None:
    """Give a game's opening as it is told: not at all, when it is the usual one."""
    return None if opening == Board.start(opening.rules) else opening.state


def _standing(line: Line) -> Standing:
    return Standing(
        rank=line.rank,
        name=line.name,
        games=line.games,
        points=line.points,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        rating=line.elo,
        rating_error=line.error,
    )
