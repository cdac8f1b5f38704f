"""The read model of a running server: API schemas made from the lobby and its tables."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from heapq import nsmallest
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mancala.protocol import codec
from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.messages import VERSION, GameStart
from mancala.protocol.rules import Board

from ...config.ladders import LadderSettings
from ...config.settings import LEVEL_NAMES, Config, LiveConfig
from ...ladders.ladder import Ladder
from ...lobby.sessions import SessionRegistry
from ...match.table import Table
from ...model.entrant import bot_name
from ...model.game import Standing
from ...model.orders import EndedSeason, LoggedAct, public_changes
from ...model.schemas import every as schemas
from ...model.schemas.event_orders import EventOrderAnswer, GivenOrder
from ...model.schemas.views import View
from ...store import Store
from ...store.reading.inspection import findings, size_of
from ...store.rows.orders import logged
from ...store.rows.outbox import PutAside
from ...store.rows.tokens import holders_among
from . import topics
from .topics import InPlay, MetricsText, StandingRows, Topic
from .viewers import MISSED_END, Receive, Viewer

if TYPE_CHECKING:
    from .metrics import Metrics

A = TypeVar("A", bound=View | None)
LINES: Final = 100
"""Lines of the operator's log that are shown."""
MOST_OPPONENTS: Final = 200
MOST_OPENINGS: Final = 12
OPENING_PLIES: Final = 4
"""Positions before this ply are in many games at any time, and known."""
PATIENCE_S: Final = 2.0
"""Timeout for a write to the store, or a table that waits for one; both take milliseconds."""


NONE_ASIDE: Final[tuple[PutAside, ...]] = ()


Handler = Callable[["ReadModel", Any], Awaitable[A]]
_HANDLERS: Final[dict[Topic[View | None], Handler[Any]]] = {}


def _answers(topic: Topic[A]) -> Callable[[Handler[A]], Handler[A]]:
    """Register a method of the read model as the answer to a topic."""

    def register(handler: Handler[A]) -> Handler[A]:
        _HANDLERS[topic] = handler
        return handler

    return register


@dataclass(slots=True)
class ReadModel:
    """The read model of a running server, whose websockets have a port."""

    live: LiveConfig
    port: int
    sessions: SessionRegistry
    store: Store
    broker: Callable[[], schemas.BrokerState]
    measured: Metrics
    delivery: Callable[[], schemas.Delivery | None]
    obey: Callable[[GivenOrder], Awaitable[EventOrderAnswer]]
    fronts_s: Callable[[], tuple[float, ...]]
    remote_fronts_s: Callable[[], tuple[float, ...]]
    noticed: Callable[[], tuple[str, ...]]

    @property
    def config(self) -> Config:
        return self.live.now

    def is_alive(self) -> bool:
        """Return True: it is asked in the server's own process."""
        return True

    def about(self) -> schemas.ServerView:
        return schemas.ServerView(
            server=self.config.name,
            protocol=VERSION,
            websocket=self.config.public_url,
            websocket_port=self.port,
            games_running=len(self.sessions.tables.games),
            guests=self.config.guests,
            notice=self.sessions.orders.notice.text or None,
            public_log=self.config.public_log,
        )

    def follow(self, game: str, receive: Receive) -> Callable[[], None]:
        table = self.sessions.tables.shown.get(game)
        if table is None:
            receive(MISSED_END)
            return lambda: None
        viewer = Viewer(receive)
        table.watch(viewer, game)
        return partial(table.unwatch, viewer)

    async def ask(self, topic: Topic[A], subject: Hashable = "") -> A:
        answer: A = await _HANDLERS[topic](self, subject)
        return answer

    @_answers(topics.ORDER)
    async def _order(self, given: GivenOrder) -> EventOrderAnswer:
        return await self.obey(given)

    @_answers(topics.LIVE)
    async def _live(self, game: str) -> schemas.LiveGame | None:
        """Return a running game between two moves; None when no such game is running."""
        table = self.sessions.tables.shown.get(game)
        if table is None:
            return None
        shown: asyncio.Future[GameStart | None] = asyncio.get_running_loop().create_future()
        table.show(partial(_set, shown))
        try:
            async with asyncio.timeout(PATIENCE_S):
                snapshot = await shown
        except TimeoutError:
            return None
        if snapshot is None or snapshot.game != game:
            return None
        return _live_game(snapshot, table)

    @_answers(topics.PRESENCE)
    async def _presence(self, name: str) -> schemas.BotPresence:
        player = self.sessions.directory.find(name)
        if player is None:
            return schemas.BotPresence(present=False, agent=None, playing=())
        running = self.sessions.tables.shown.keys()
        playing = sorted(
            running & {game for match in player.matches.values() for game in match.games}
        )
        return schemas.BotPresence(
            present=player.is_present, agent=player.agent, playing=tuple(playing)
        )

    @_answers(topics.NEXT)
    async def _next(self, name: str) -> schemas.BotSchedule:
        return schemas.BotSchedule(bot=name, matches=self.sessions.listings.schedule_of(name))

    @_answers(topics.LADDERS)
    async def _ladders(self, _subject: str) -> schemas.LadderList:
        ladders = self.sessions.ladders
        over = {each.name: each for each in self.sessions.orders.seasons}
        found = (_ladder_summary(each, over.get(each.name)) for each in ladders.all_ladders)
        return schemas.LadderList(ladders=tuple(found))

    @_answers(topics.TERMS)
    async def _terms(self, _subject: str) -> schemas.TermsView:
        ladders = tuple(map(_ladder_terms, self.config.ladder))
        return schemas.TermsView(guests=self.config.guests, ladders=ladders)

    @_answers(topics.OPPONENTS)
    async def _opponents(self, _subject: str) -> schemas.OpponentList:
        house = self.config.house_names
        every = (player for player in self.sessions.directory.present if player.takes_challenges)
        found = nsmallest(MOST_OPPONENTS, every, key=lambda bot: (bot.name not in house, bot.name))
        opponents = [
            schemas.OpponentView.of(player, playing=len(player.matches), house=player.name in house)
            for player in found
        ]
        return schemas.OpponentList(
            opponents=tuple(opponents),
            rules=self.config.default_rules,
            clock=self.config.clock,
        )

    @_answers(topics.STANDINGS)
    async def _standings(self, wanted: StandingRows) -> schemas.StandingsView | None:
        found = self.sessions.ladders.get(wanted.ladder)
        return None if found is None else _standings(found, wanted)

    @_answers(topics.PLACES)
    async def _places(self, bot: str) -> schemas.BotPlaces:
        ladders = self.sessions.ladders.all_ladders
        return schemas.BotPlaces(
            places=tuple(place for each in ladders for place in _places(each, bot))
        )

    @_answers(topics.BEST_RATINGS)
    async def _best_ratings(self, names: tuple[str, ...]) -> schemas.BestRatings:
        ladders = self.sessions.ladders.all_ladders
        ratings: dict[str, float] = {}
        for bot in names:
            elos = [elo for each in ladders if (elo := each.state.best_elo(bot)) is not None]
            if elos:
                ratings[bot] = max(elos)
            elif bot in LEVEL_NAMES and bot in self.config.house_names:
                ratings[bot] = float(LEVEL_ELO[LEVEL_NAMES.index(bot)])
        return schemas.BestRatings(ratings=ratings, unnamed=await self._unnamed(names, ratings))

    async def _unnamed(self, names: tuple[str, ...], rated: Container[str]) -> tuple[str, ...]:
        """Return the names of guests that the home page and the stage leave out."""
        if self.config.stage_names == "all":
            return ()
        house = self.config.house_names.union(LEVEL_NAMES)
        unknown = tuple(name for name in names if name not in rated and name not in house)
        holders = await self.store.read_apart(holders_among, unknown) if unknown else ()
        return tuple(name for name in unknown if name not in holders)

    @_answers(topics.SUPERIORITY)
    async def _superiority(self, ladder: str) -> schemas.SuperiorityView | None:
        found = self.sessions.ladders.get(ladder)
        if found is None:
            return None
        fit = found.state.fit
        return schemas.SuperiorityView.of(fit.superiority, ladder=ladder, misfit=fit.misfit)

    @_answers(topics.READINESS)
    async def _readiness(self, _subject: str) -> schemas.Readiness:
        """Return whether the server can work, the broker's state, and what it refuses."""
        store, aside, found = "ok", NONE_ASIDE, list[str]()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self.store.try_writing()
        except TimeoutError:
            store = f"no write in {PATIENCE_S:g} s"
        except Exception as error:  # noqa: BLE001  # any error means that it is not ready
            store = type(error).__name__
        with suppress(Exception):  # a slow way to the database does not make it unready
            async with asyncio.timeout(PATIENCE_S):
                aside = await self.store.all_put_aside()
                found = await self.store.read_apart(findings, self.config.store_path)
        fronts_s = _rounded(self.fronts_s())
        return schemas.Readiness(
            ready=store == "ok" and (bool(fronts_s) or not self.config.fronts),
            store=store,
            broker=self.broker(),
            delivery=self.delivery(),
            put_aside=sum(each.rows for each in aside),
            put_aside_since=aside[0].since if aside else None,
            put_aside_topic=aside[0].topic if aside else None,
            put_aside_why=aside[0].why if aside else None,
            findings=(*found, *self.noticed()),
            fronts_s=fronts_s,
            remote_fronts_s=_rounded(self.remote_fronts_s()),
        )

    @_answers(topics.IN_PLAY)
    async def _in_play(self, literal: str) -> InPlay:
        tables = self.sessions.tables.by_game.values()
        rated = (table for table in tables if table.match.terms.rated)
        return InPlay(is_in_play=any(_is_near(literal, table) for table in rated))

    @_answers(topics.LOG)
    async def _log(self, _subject: str) -> schemas.LogView | None:
        if not self.config.public_log:
            return None
        found = await self.store.read_apart(logged, limit=LINES)
        return schemas.LogView(log=tuple(map(_log_line, found)))

    @_answers(topics.METRICS)
    async def _metrics(self, _subject: str) -> MetricsText:
        self.measured.set(
            connections=len(self.sessions.directory.seats),
            games_running=len(self.sessions.tables.games),
            broker_connected=self.broker() is schemas.BrokerState.CONNECTED,
            house_up=len(self.sessions.directory.present_of(self.config.own_names)),
            house_wanted=len(self.config.own_names),
            fronts_up=len(self.fronts_s()),
            fronts_wanted=self.config.fronts,
            remote_fronts_up=len(self.remote_fronts_s()),
            remote_fronts_wanted=len(self.config.front_tokens),
            store_bytes=size_of(self.config.store_path),
            store_queue=self.store.queued,
            reviewers=self.sessions.reviews.reviewers,
        )
        with suppress(Exception):  # all else is known without the store
            async with asyncio.timeout(PATIENCE_S):
                self.measured.set_put_aside(await self.store.all_put_aside())
        self._note_ladders()
        return MetricsText(text=self.measured.text().decode())

    def _note_ladders(self) -> None:
        games = Counter(table.match.ladder for table in self.sessions.tables.by_game.values())
        for ladder in self.sessions.ladders.all_ladders:
            self.measured.set_ladder(
                ladder.name,
                members=ladder.present,
                waiting=ladder.waiting,
                games_running=games[ladder.name],
                entrants=ladder.state.ranked,
            )


def _is_near(literal: str, table: Table) -> bool:
    """Return whether a position is on a table's board, or would be after one more move."""
    board = table.board
    if table.ply < OPENING_PLIES:
        return False
    if board.text == literal:
        return True
    return any(board.sow(pit).board.text == literal for pit in board.legal())


def _set(shown: asyncio.Future[GameStart | None], snapshot: GameStart | None) -> None:
    if not shown.done():
        shown.set_result(snapshot)


def _rounded(ages_s: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(age_s, 1) for age_s in ages_s)


def _log_line(line: LoggedAct) -> schemas.LogLineView:
    number, act = line
    changed = codec.from_json(act.what, dict[str, Any])["changed"]
    shown = public_changes(changed)
    return schemas.LogLineView.of(act, number=number, changed=shown, changes=len(changed))


def _ladder_summary(ladder: Ladder, over: EndedSeason | None) -> schemas.LadderSummary:
    return schemas.LadderSummary.of(
        ladder.terms,
        ladder=ladder.name,
        players=ladder.present,
        season_of=over.season.ladder if over is not None else None,
        ended_at=over.at if over is not None else None,
    )


def _ladder_terms(ladder: LadderSettings) -> schemas.LadderTerms:
    rules = ladder.parsed_rules
    return schemas.LadderTerms.of(
        ladder,
        ladder=ladder.name,
        rules=rules,
        rules_text=str(rules),
        openings=ladder.openings[:MOST_OPENINGS],
        openings_total=len(ladder.openings),
        house=tuple(ladder.house),
    )


def _standings(ladder: Ladder, wanted: StandingRows) -> schemas.StandingsView:
    found = ladder.state.standings(wanted.most, begin=wanted.begin)
    rows = tuple(_standing(row, ladder) for row in found)
    return schemas.StandingsView(
        ladder=ladder.name, at=ladder.standings_at, standings=rows, total=ladder.state.ranked
    )


def _places(ladder: Ladder, bot: str) -> list[schemas.LadderPlace]:
    found = ladder.state.places(bot)
    shares = ladder.state.rests_on(bot) if found else {}
    return [
        schemas.LadderPlace(
            ladder=ladder.name,
            standing=_standing(row, ladder),
            rests_on=tuple(
                schemas.OpponentShare(opponent=share.opponent, share=round(share.share, 3))
                for share in shares.get(row.name, ())
            ),
        )
        for row in found
    ]


def _standing(row: Standing, ladder: Ladder) -> schemas.StandingView:
    """Return a row, with its interval to a tenth of an Elo, as rating and error are published."""
    interval = None
    if row.elo is not None and row.elo_error is not None:
        interval = round(row.elo - row.elo_error, 1), round(row.elo + row.elo_error, 1)
    bot, group = bot_name(row.name), ladder.state.fit.groups.get(row.name)
    return schemas.StandingView.of(row, bot=bot, rating=row.elo, interval=interval, group=group)


def _live_game(snapshot: GameStart, table: Table) -> schemas.LiveGame:
    return schemas.LiveGame.of(
        snapshot,
        ladder=table.match.ladder,
        players=tuple(
            schemas.LivePlayer.of(each, present=each.is_present) for each in table.seated
        ),
        opening=snapshot.opening or Board.start(snapshot.rules).state,
    )
