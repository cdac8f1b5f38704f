"""What the endpoints of ``/api/v1`` answer, and where their results come from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from datetime import date
from typing import Final

from msgspec.structs import replace

from mancala.protocol import codec
from mancala.protocol.messages import Assessment
from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.review import GameReview
from mancala.protocol.rules import Board

from ...config.events import EventSettings
from ...contest.events.lifecycle import OVER
from ...contest.live.state import settings_of
from ...contest.live.views import (
    EventList,
    EventLosingMoves,
    EventView,
    SeriesView,
    event_summary,
    events_of,
    hides_results,
    series_view,
    shown_games,
    stored_event,
)
from ...model.contests import EventArchive, EventStands, KeptEvent
from ...model.schemas import every as schemas
from ...net.limits.costs import HTTP_ANALYSIS, HTTP_QUERY, HTTP_SCAN
from ...store.reading.archive import Archive
from ..feed import topics
from ..feed.kept_answers import KeptAnswers
from ..feed.topics import LiveState, UnavailableError
from ..http.dear_work import Asker
from ..http.responses import (
    BadRequestError,
    BusyError,
    NotFoundError,
    NotLiveError,
    NotReviewedError,
    there,
)
from .analyst import Analyst
from .endpoints import endpoint
from .explorer import Explorer
from .mistakes import LosingMoves, mistakes_of_bot
from .parameters import (
    AnalysisParameters,
    BotsParameters,
    DayParameters,
    DuelParameters,
    GameParameters,
    GamesParameters,
    MatchParameters,
    NamedParameters,
    RiverParameters,
    StandingsParameters,
    SubmissionParameters,
    board_of,
    cursor_of,
    game_filter,
    game_key,
    source_of,
)
from .puzzles import Puzzles
from .stage import Stage

RECHECK_S: Final = 1.0
RECHECKS: Final = 10
"""How often a position is found to be played before the request is refused."""
LEADING: Final = 8
"""Versions in the chart of a ladder."""
MOST_EDITIONS: Final = 30
"""The latest editions of a series, of which its standings are made."""
SERIES_KEPT_S: Final = 10.0
"""How long they are shown to all who ask, unless one of them takes a step: each is read."""


class Api:
    """The handlers of all endpoints, for the requests of one ``asker``."""

    def __init__(
        self,
        live_state: LiveState,
        archive: Archive,
        analyst: Analyst | None = None,
        events: Sequence[EventSettings] = (),
        today: Callable[[], date] = lambda: date.max,
        stage_words: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.asker: Asker = ()
        self._today = today
        self._events = {each.name: each for each in events}
        self._analyst = analyst
        self.live_state = live_state
        self.archive = archive
        self._stage = Stage(archive, live_state, stage_words)
        self._puzzles = Puzzles(archive)
        self._explorer = Explorer(archive)
        self._losing_moves = LosingMoves(archive)
        self._series: KeptAnswers[SeriesView] = KeptAnswers(SERIES_KEPT_S)

    def prepare(self) -> None:
        """Begin what takes long to make for its first visitor."""
        self._puzzles.prepare()
        self._explorer.prepare()

    def asked_by(self, asker: Asker) -> Api:
        """Return the handlers for the requests of a network, which takes turns with others."""
        handlers = copy(self)
        handlers.asker = asker
        return handlers

    @endpoint("", needs_game_server=True)
    async def about(self) -> schemas.ServerView:
        """Return the server's name, version and address."""
        return self.live_state.about()

    @endpoint("/ladders", needs_game_server=True)
    async def ladders(self) -> schemas.LadderList:
        """Return the list of ladders, as ``GET /ladders`` answers it."""
        return await self.live_state.ask(topics.LADDERS)

    @endpoint("/ladders/{name}/standings", needs_game_server=True)
    async def standings(self, wanted: StandingsParameters) -> schemas.StandingsView:
        """Return a ladder's standings, with rating intervals."""
        begin = int(wanted.cursor or 0)
        found = await self._standings(wanted.name, wanted.limit, begin=begin)
        end, rows = begin + wanted.limit, found.standings
        more = str(end) if end < found.total else None
        names = tuple(row.name for row in rows)
        known = await self.archive.accuracies(wanted.name, names)
        before = await self.archive.ratings_before(wanted.name, names, self._today())
        rows = tuple(
            replace(row, accuracy=known.get(row.name), rating_yesterday=before.get(row.name))
            for row in rows
        )
        return replace(found, standings=rows, next=more)

    @endpoint("/ladders/{name}/ratings", HTTP_QUERY, needs_game_server=True)
    async def ladder_ratings(self, wanted: NamedParameters) -> schemas.RatingHistory:
        """Return the ratings over time of the eight versions that lead a ladder now."""
        found = await self._standings(wanted.name, LEADING)
        leading = tuple(row.name for row in found.standings)
        return await self.archive.ratings_in(wanted.name, leading)

    @endpoint("/terms", needs_game_server=True)
    async def terms(self) -> schemas.TermsView:
        """Return on which terms bots take part: guests, and each ladder's terms."""
        return await self.live_state.ask(topics.TERMS)

    @endpoint("/opponents", needs_game_server=True)
    async def opponents(self) -> schemas.OpponentList:
        """Return the connected bots that take challenges."""
        return await self.live_state.ask(topics.OPPONENTS)

    @endpoint("/ladders/{name}/superiority", needs_game_server=True)
    async def superiority(self, wanted: NamedParameters) -> schemas.SuperiorityView:
        """Return how likely each of a ladder's best is stronger than each other."""
        found = await self.live_state.ask(topics.SUPERIORITY, wanted.name)
        return there(found, f"there is no ladder {wanted.name}")

    @endpoint("/analysis", HTTP_ANALYSIS, needs_game_server=True)
    async def analysis(self, wanted: AnalysisParameters) -> schemas.AnalysisView:
        """Return what the moves of a position are worth."""
        board = board_of(wanted)
        if board.is_over:
            raise BadRequestError("the game is over in this position")
        if self._analyst is None:
            raise BusyError("this server offers no analysis")
        await self._wait_while_in_play(board)
        return _analysis(board, await self._analyst.ask(board, self.asker))

    @endpoint("/explorer", HTTP_QUERY)
    async def explorer(self, wanted: AnalysisParameters) -> schemas.ExplorerView:
        """Return what was played in a position in the latest games, and what it came to."""
        return await self._explorer.show(board_of(wanted))

    @endpoint("/river", HTTP_SCAN)
    async def river(self, wanted: RiverParameters) -> schemas.RiverView:
        """Return how the latest games went on from a position, by default from their start."""
        return await self._explorer.river(source_of(wanted))

    @endpoint("/log", HTTP_QUERY, needs_game_server=True, can_be_missing=True)
    async def log(self) -> schemas.LogView:
        """Return what the operator did, if this server's log is public."""
        found = await self.live_state.ask(topics.LOG)
        return there(found, "this server's log is not public")

    @endpoint("/events", HTTP_QUERY)
    async def events(self) -> EventList:
        """Return the server's events, those of its settings first, and where each stands."""
        stands = await self.archive.event_states()
        found = events_of(self._events, stands)
        return EventList(
            events=tuple(event_summary(each, stands.get(name)) for name, each in found.items())
        )

    @endpoint("/events/{name}", HTTP_SCAN)
    async def event(self, wanted: NamedParameters) -> EventView:
        """Return an event: its entrants, table and rounds, with what came of each game."""
        kept = await self.archive.event(wanted.name)
        boards = await self.archive.event_boards(wanted.name)
        return stored_event(self._event_settings(wanted.name, kept), kept, boards)

    @endpoint("/events/{name}/series", HTTP_SCAN)
    async def event_series(self, wanted: NamedParameters) -> SeriesView:
        """Return the series of an event: its latest 30 editions, and their points."""
        stands = await self.archive.event_states()
        every = events_of(self._events, stands)
        series = there(every.get(wanted.name), f"there is no event {wanted.name}").series
        if series is None:
            raise NotFoundError(f"the event {wanted.name} is in no series")
        its = [each for each in every.values() if each.series == series]
        latest = sorted({each.edition for each in its})[-MOST_EDITIONS:]
        shown = [each for each in its if each.edition in latest]
        since = tuple(
            (name, it and it._replace(settings=None))  # their passwords stay where they are
            for name, it in ((each.name, stands.get(each.name)) for each in shown)
        )
        return await self._series.get(
            (series, since), lambda: self._series_of(series, shown, stands)
        )

    async def _series_of(
        self, series: str, shown: Sequence[EventSettings], stands: Mapping[str, EventStands]
    ) -> SeriesView:
        held = [(each, await self.archive.event(each.name)) for each in shown]
        return await asyncio.to_thread(series_view, series, held, stands)

    @endpoint("/events/{name}/losing-moves", HTTP_SCAN)
    async def event_losing_moves(self, wanted: NamedParameters) -> EventLosingMoves:
        """Return which moves lost the games of an event, as far as reviews know them."""
        kept = await self.archive.event(wanted.name)
        settings = self._event_settings(wanted.name, kept)
        return await self._losing_moves.of(shown_games(settings, kept))

    @endpoint("/events/{name}/archive", HTTP_SCAN)
    async def event_archive(self, wanted: NamedParameters) -> EventArchive:
        """Return an event that is over as another server can import it, with all its games."""
        kept = await self.archive.event(wanted.name)
        settings = self._event_settings(wanted.name, kept)
        if kept is None or kept.state not in OVER:
            raise NotFoundError(f"the event {wanted.name} is not over; its archive comes then")
        if hides_results(settings, kept):
            raise NotFoundError(
                f"results of {wanted.name} are hidden; its archive comes after that"
            )
        text = codec.to_json(settings).decode()
        return await self.archive.event_archive(wanted.name, kept, text)

    @endpoint("/elsewhere", HTTP_QUERY)
    async def elsewhere(self) -> schemas.SubmissionList:
        """Return the latest events that were played elsewhere and submitted here, without tests."""
        return await self.archive.submissions(tests=False)

    @endpoint("/elsewhere/{event}", HTTP_SCAN)
    async def submission(self, wanted: SubmissionParameters) -> schemas.SubmissionView:
        """Return an event or a test that was played elsewhere, as its author submitted it."""
        found = await self.archive.submission(wanted.event)
        return there(found, f"no event {wanted.event} was submitted here")

    @endpoint("/tests", HTTP_QUERY)
    async def tests(self) -> schemas.SubmissionList:
        """Return the latest sequential tests of two engines that were submitted here."""
        return await self.archive.submissions(tests=True)

    @endpoint("/bots", HTTP_SCAN)
    async def bots(self, wanted: BotsParameters) -> schemas.BotPage:
        """Return the bots, ordered by name."""
        cursor = wanted.cursor
        after = None if cursor is None else cursor.replace("~", "+")
        found = await self.archive.bots(after=after, limit=wanted.limit + 1)
        bots = found[: wanted.limit]
        more = len(found) > wanted.limit
        following = bots[-1].name.replace("+", "~") if more else None
        if wanted.named:
            bots = tuple(bot for bot in bots if not self._stage.is_rude(bot.name))
        return schemas.BotPage(bots=bots, next=following)

    @endpoint("/bots/{name}", HTTP_QUERY, needs_game_server=True)
    async def bot(self, wanted: NamedParameters) -> schemas.BotView:
        """Return a bot: its totals, its places in ladders, and whether it is connected."""
        found = await self.archive.bots(name=wanted.name, limit=1)
        if not found:
            raise NotFoundError(f"no bot named {wanted.name} has played here")
        places = (await self.live_state.ask(topics.PLACES, wanted.name)).places
        presence = await self.live_state.ask(topics.PRESENCE, wanted.name)
        accuracy = await self.archive.accuracy_of(wanted.name)
        return schemas.BotView(bot=found[0], presence=presence, ladders=places, accuracy=accuracy)

    @endpoint("/bots/{name}/next", HTTP_QUERY, needs_game_server=True)
    async def next_matches(self, wanted: NamedParameters) -> schemas.BotSchedule:
        """Return when a bot plays next: its matches under way, and what it waits for."""
        return await self.live_state.ask(topics.NEXT, wanted.name)

    @endpoint("/bots/{name}/ratings", HTTP_QUERY)
    async def bot_ratings(self, wanted: NamedParameters) -> schemas.RatingHistory:
        """Return the ratings of a bot's versions over time, in all ladders."""
        return await self.archive.ratings_of(wanted.name)

    @endpoint("/bots/{name}/statistics", HTTP_QUERY)
    async def bot_statistics(self, wanted: NamedParameters) -> schemas.BotStatistics:
        """Return what a bot's games came to: by ending, version, opening, length and opponent."""
        return await self.archive.statistics_of(wanted.name)

    @endpoint("/bots/{name}/mistakes", HTTP_SCAN)
    async def bot_mistakes(self, wanted: NamedParameters) -> schemas.BotMistakes:
        """Return the dearest mistakes of a bot's versions, and their commonest kinds, by proof."""
        return await mistakes_of_bot(self.archive, wanted.name)

    @endpoint("/bots/{name}/vs/{other}", HTTP_QUERY)
    async def duel(self, wanted: DuelParameters) -> schemas.Duel:
        """Return what the games of two bots against each other came to."""
        return await self.archive.duel(wanted.name, wanted.other)

    @endpoint("/games", HTTP_QUERY, needs_game_server=True)
    async def games(self, wanted: GamesParameters) -> schemas.GamePage:
        """Return games, the latest first, of a bot, a match, a ladder, or all; see `next`."""
        if wanted.ladder is not None:
            await self._standings(wanted.ladder, 0)
        after = None if wanted.cursor is None else game_key(wanted.cursor)
        games, limit = game_filter(wanted), wanted.limit
        if wanted.named:
            found = await self._stage.named(games, after, limit, guests=wanted.named == "guests")
        else:
            found = await self.archive.games(games, after=after, limit=limit)
        return schemas.GamePage(games=found.games, next=found.next and cursor_of(found.next))

    @endpoint("/stage", HTTP_QUERY)
    async def stage(self) -> schemas.StageView:
        """Return the games that are worth watching: those that run, then the best of the latest."""
        return await self._stage.show()

    @endpoint("/puzzles", HTTP_SCAN)
    async def puzzles(self) -> schemas.PuzzleList:
        """Return positions with one right move: today's, and those of the latest reviews."""
        return await self._puzzles.show(self._today().isoformat())

    @endpoint("/puzzles/{day}", HTTP_QUERY)
    async def puzzle(self, wanted: DayParameters) -> schemas.DailyPuzzle:
        """Return the puzzle of a day."""
        found = await self._puzzles.of_day(wanted.day, self._today().isoformat())
        return there(found, f"there is no puzzle of {wanted.day}")

    @endpoint("/games/{game}", HTTP_QUERY, is_final=lambda record: record.result is not None)
    async def record(self, wanted: GameParameters) -> GameRecord:
        """Return a game's record: every move with its times and search info, and the result."""
        found = await self.archive.record(wanted.game)
        return there(found, f"there is no game {wanted.game}")

    @endpoint("/games/{game}/live", HTTP_QUERY, needs_game_server=True)
    async def live(self, wanted: GameParameters) -> schemas.LiveGame:
        """Return a running game."""
        live = await self.live_state.ask(topics.LIVE, wanted.game)
        if live is not None:
            return live
        await self.record(wanted)
        raise NotLiveError(f"game {wanted.game} is not being played; see its record")

    @endpoint("/games/{game}/positions", HTTP_QUERY, is_final=lambda found: found.over)
    async def positions(self, wanted: GameParameters) -> schemas.GamePositions:
        """Return every position of a game."""
        record = await self.record(wanted)
        try:
            return _positions(record)
        except RecordError as error:  # only possible if another program wrote to the database
            raise NotFoundError(f"game {wanted.game} can't be replayed: {error}") from None

    @endpoint("/games/{game}/neighbours", HTTP_QUERY)
    async def neighbours(self, wanted: GameParameters) -> schemas.GameNeighbours:
        """Return the games that began just before and after a game."""
        found = await self.archive.neighbours(wanted.game)
        return there(found, f"there is no game {wanted.game}")

    @endpoint("/games/{game}/review", HTTP_QUERY)
    async def review(self, wanted: GameParameters) -> GameReview:
        """Return a game's review: what each move was worth, and which one lost."""
        try:
            found = await self.archive.review(wanted.game)
        except LookupError:
            record = await self.record(wanted)
            reason = "has no review" if record.result is not None else "is being played"
            raise NotReviewedError("not_reviewed", f"game {record.game} {reason}") from None
        if found is None:
            raise NotReviewedError("queued", f"game {wanted.game} waits for its review")
        return found

    @endpoint(
        "/matches/{match}",
        HTTP_QUERY,
        is_final=lambda match: match.status is schemas.GameStatus.OVER,
    )
    async def match(self, wanted: MatchParameters) -> schemas.MatchView:
        """Return a match, its games and its score."""
        found = await self.archive.match(wanted.match)
        return there(found, f"there is no match {wanted.match}")

    def _event_settings(self, name: str, kept: KeptEvent | None) -> EventSettings:
        if (settings := self._events.get(name)) is not None:
            return settings
        if kept is None or kept.settings is None:
            raise NotFoundError(f"there is no event {name}")
        return settings_of(kept.settings)

    async def _standings(self, ladder: str, most: int, *, begin: int = 0) -> schemas.StandingsView:
        rows = topics.StandingRows(begin, most, ladder)
        found = await self.live_state.ask(topics.STANDINGS, rows)
        return there(found, f"there is no ladder {ladder}")

    async def _wait_while_in_play(self, board: Board) -> None:
        """Wait, for a while, until no rated game has a position on its board (fair play)."""
        for _ in range(RECHECKS):
            try:
                found = await self.live_state.ask(topics.IN_PLAY, board.text)
            except UnavailableError:  # no game goes on without its server
                return
            if not found.is_in_play:
                return
            await asyncio.sleep(RECHECK_S)
        raise BusyError("a rated game has this position on its board; ask again when it has moved")


def _positions(record: GameRecord) -> schemas.GamePositions:
    boards = list(replay(record))
    opening = schemas.GamePosition.of(
        boards[0], legal=boards[0].legal(), move=None, captured=0, again=False
    )
    positions = [opening]
    for before, board, move in zip(boards, boards[1:], record.moves, strict=False):
        sowing = before.sow(move.pit)
        positions.append(
            schemas.GamePosition.of(sowing, state=board.state, legal=board.legal(), move=move)
        )
    over = record.result is not None
    return schemas.GamePositions(game=record.game, over=over, positions=tuple(positions))


def _analysis(board: Board, found: Assessment) -> schemas.AnalysisView:
    best = next(move for move in found.moves if move.pit == found.line[0])
    moves = (schemas.AnalysedMove.of(move, proven=move.depth is None) for move in found.moves)
    return schemas.AnalysisView(
        board=board.text,
        rules=str(board.rules),
        best=best.pit,
        value=best.value,
        proven=found.depth is None,
        line=found.line,
        moves=tuple(moves),
    )
