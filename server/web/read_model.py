"""The read model of a running server: API schemas made from the lobby and its tables."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from protocol.messages import VERSION, GameStart
from protocol.rules import Board
from server.config.ladders import LadderSettings
from server.config.settings import Config
from server.ladders.ladder import Ladder
from server.lobby.sessions import SessionRegistry
from server.match.participant import Participant
from server.match.table import Table
from server.model.entrant import bot_name
from server.model.schemas.bots import (
    BotPresence,
    OpponentList,
    OpponentShare,
    OpponentView,
    RatingBases,
    RatingBasis,
)
from server.model.schemas.games import LiveGame, LivePlayer
from server.model.schemas.ladders import (
    LadderList,
    LadderSummary,
    LadderTerms,
    StandingsView,
    StandingView,
    SuperiorityView,
    TermsView,
)
from server.model.schemas.status import BrokerState, Readiness, ServerView
from server.model.standings import Standing
from server.rating.information import Share

if TYPE_CHECKING:
    from server.web.metrics import Metrics

MOST_OPPONENTS: Final = 200
MOST_OPENINGS: Final = 12
PATIENCE_S: Final = 2.0
"""Timeout for a write to the store, or a table that waits for one; both take milliseconds."""


class Writable(Protocol):
    """A store whose writes can be tested."""

    async def try_writing(self) -> None:
        """Write without changing anything."""


@dataclass(slots=True)
class ReadModel:
    """The read model of a running server.

    Attributes:
        config: its settings.
        port: where bots and spectators connect.
        sessions: sessions, tables and ladders.
        store: tested for readiness.
        broker: returns the broker's state.
        measured: the server's metrics.
    """

    config: Config
    port: int
    sessions: SessionRegistry
    store: Writable
    broker: Callable[[], BrokerState]
    measured: Metrics

    def is_alive(self) -> bool:
        """Return True: it is asked in the server's own process."""
        return True

    def about(self) -> ServerView:
        """Return the server's name, version and address."""
        return ServerView(
            server=self.config.name,
            protocol=VERSION,
            websocket=self.config.public_url,
            websocket_port=self.port,
            games_running=len(self.sessions.tables.games),
            guests=self.config.guests,
        )

    async def live(self, game: str) -> LiveGame | None:
        """Return a running game between two moves; None when no such game is running."""
        table = self.sessions.tables.find(game)
        if table is None:
            return None
        shown: asyncio.Future[GameStart] = asyncio.get_running_loop().create_future()
        table.show(partial(_set, shown))
        try:
            async with asyncio.timeout(PATIENCE_S):
                snapshot = await shown
        except TimeoutError:  # the table was suspended
            return None
        return _live_game(snapshot, table) if snapshot.game == game else None

    async def presence(self, name: str) -> BotPresence:
        """Return whether a bot is connected, and its games."""
        who = self.sessions.find(name)
        if who is None:
            return BotPresence(present=False, agent=None, playing=())
        running = set(self.sessions.tables.games)
        playing = sorted(running & {game for match in who.matches.values() for game in match.games})
        return BotPresence(present=who.is_present, agent=who.agent, playing=tuple(playing))

    async def ladders(self) -> LadderList:
        """Return the ladders."""
        return LadderList(ladders=tuple(map(_ladder_summary, self.sessions.ladders.all_ladders)))

    async def terms(self) -> TermsView:
        """Return the terms of the server and its ladders."""
        ladders = tuple(map(_ladder_terms, self.config.ladder))
        return TermsView(guests=self.config.guests, ladders=ladders)

    async def opponents(self) -> OpponentList:
        """Return the connected bots that take challenges."""
        found = [
            OpponentView(
                name=who.name,
                agent=who.agent,
                playing=len(who.matches),
                house=who.name in self.config.house_names,
            )
            for who in self.sessions.present
            if who.takes_challenges
        ]
        found.sort(key=lambda bot: (not bot.house, bot.name))
        return OpponentList(
            opponents=tuple(found[:MOST_OPPONENTS]),
            rules=self.config.default_rules,
            clock=self.config.clock,
        )

    async def standings(self, ladder: str) -> StandingsView | None:
        """Return a ladder's standings; None when there is no such ladder."""
        found = self.sessions.ladders.get(ladder)
        return None if found is None else _standings(found)

    async def rests_on(self, bot: str) -> RatingBases:
        """Return what a bot's ratings rest on, in all ladders."""
        bases = [
            RatingBasis(ladder=ladder.name, name=name, rests_on=tuple(map(_opponent_share, shares)))
            for ladder in self.sessions.ladders.all_ladders
            for name, shares in ladder.rests_on(bot).items()
        ]
        return RatingBases(bases=tuple(bases))

    async def superiority(self, ladder: str) -> SuperiorityView | None:
        """Return who of a ladder's best is stronger than whom; None without such a ladder."""
        found = self.sessions.ladders.get(ladder)
        if found is None:
            return None
        return SuperiorityView(ladder=ladder, **found.superiority._asdict())

    async def readiness(self) -> Readiness:
        """Return whether the store takes writes, and the broker's state."""
        store = "ok"
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self.store.try_writing()
        except TimeoutError:
            store = f"no write in {PATIENCE_S:g} s"
        except Exception as error:  # noqa: BLE001  # any error means that it is not ready
            store = type(error).__name__
        return Readiness(ready=store == "ok", store=store, broker=self.broker())

    async def metrics(self) -> str:
        """Return the server's metrics, in Prometheus's text format."""
        self.measured.connections.set(self.sessions.connections)
        self.measured.games_running.set(len(self.sessions.tables.games))
        return self.measured.text().decode()


def _set(shown: asyncio.Future[GameStart], snapshot: GameStart) -> None:
    if not shown.done():
        shown.set_result(snapshot)


def _ladder_summary(ladder: Ladder) -> LadderSummary:
    rules, clock, _rated, games = ladder.terms
    return LadderSummary(
        ladder=ladder.name, rules=rules, clock=clock, games=games, players=ladder.present
    )


def _ladder_terms(ladder: LadderSettings) -> LadderTerms:
    rules = ladder.parsed_rules
    return LadderTerms(
        ladder=ladder.name,
        rules=rules,
        rules_text=str(rules),
        clock=ladder.clock,
        games=ladder.games,
        openings=ladder.openings[:MOST_OPENINGS],
        openings_total=len(ladder.openings),
        guests=ladder.guests,
        names=ladder.names,
        house=tuple(ladder.house),
        quarantine_after=ladder.quarantine_after,
        quarantine_s=ladder.quarantine_s,
        early_departures=ladder.early_departures,
        departure_pause_s=ladder.departure_pause_s,
        versions_a_day=ladder.versions_a_day,
    )


def _standings(ladder: Ladder) -> StandingsView:
    rows = tuple(map(_standing, ladder.standings()))
    return StandingsView(
        ladder=ladder.name, at=ladder.standings_at, standings=rows, total=len(rows)
    )


def _standing(row: Standing) -> StandingView:
    return StandingView(
        rank=row.rank,
        name=row.name,
        bot=bot_name(row.name),
        games=row.games,
        points=row.points,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        rating=row.elo,
        interval=_interval(row.elo, row.elo_error),
        rank_range=row.rank_range,
    )


def _opponent_share(share: Share) -> OpponentShare:
    return OpponentShare(opponent=share.opponent, share=round(share.share, 3))


def _interval(elo: float | None, error: float | None) -> tuple[float, float] | None:
    """Return the interval to a tenth of an Elo, as the rating and its error are published."""
    if elo is None or error is None:
        return None
    return round(elo - error, 1), round(elo + error, 1)


def _live_game(snapshot: GameStart, table: Table) -> LiveGame:
    south, north = table.seated
    return LiveGame(
        game=snapshot.game,
        match=snapshot.match,
        ladder=table.match.ladder,
        rated=snapshot.rated,
        rules=snapshot.rules,
        clock=snapshot.clock,
        players=(_live_player(south), _live_player(north)),
        opening=snapshot.opening or Board.start(snapshot.rules).state,
        state=snapshot.state,
        moves=snapshot.moves,
        clocks=snapshot.clocks,
    )


def _live_player(who: Participant) -> LivePlayer:
    return LivePlayer(name=who.name, agent=who.agent, present=who.is_present)
