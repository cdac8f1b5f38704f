"""The tables: every match under way, and how ladders, events and bots begin one."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from mancala.protocol.messages import ErrorCode, Message, Move, Outcome, Resign

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.context import Context
from ..match.info_quota import InfoQuota
from ..match.pace import Pace
from ..match.participant import Participant, RequestError
from ..match.steps import Players
from ..match.table import Table
from ..model.contests import KeptEvent
from ..model.entrant import entrant_name
from ..model.journal import NOTHING_ELSE, Along, Announcement, Entry, KeptMatch
from ..model.match import EventContext, LadderContext, Match, Terms
from ..reviews.dispatcher import ReviewDispatcher
from .directory import Directory, OrderedNames
from .spectators import Spectators

ReadEvent = Callable[[str, Callable[[KeptEvent | None], None]], None]
"""Reads an event from the store, then calls with it, or with None before its first step."""


class Tables:
    """All tables; observes their matches, and starts them.

    Attributes:
        must_yield: returns whether a match gives its place to others before its next game.
        freed: called with each player when a match is over.
    """

    def __init__(
        self,
        context: Context,
        directory: Directory,
        reviews: ReviewDispatcher,
        read_event: ReadEvent,
    ) -> None:
        self.read_event = read_event
        self.must_yield: Callable[[Match], bool] = lambda _match: False
        self.freed: Callable[[Participant], object] = lambda _player: None
        self.is_stopping = False
        self._context = context
        self._directory = directory
        self._reviews = reviews
        self._games: dict[str, Table] = {}
        self._shown: dict[str, Table] = {}
        self._shown_names = OrderedNames()
        self._matches: dict[str, Table] = {}
        self._info_quota = InfoQuota(context.config)
        self._pace = Pace(context.config)
        self._idle: Callable[[], None] = lambda: None
        self.ladders = Ladders(context, self)
        self.contests = Contests(context.config.now.event, context, self)
        self.spectators = Spectators(self._shown, self.ladders, context.config)

    # How it stands

    @property
    def is_draining(self) -> bool:
        return self.is_stopping or self._context.orders.is_drained

    @property
    def games(self) -> tuple[str, ...]:
        return tuple(self._games)

    @property
    def by_game(self) -> Mapping[str, Table]:
        """The tables by the id of their present game."""
        return self._games

    @property
    def shown(self) -> Mapping[str, Table]:
        """The same, without games that their events hide."""
        return self._shown

    def shown_after(self, after: str) -> Iterator[str]:
        """Yield the ids of games that are shown and follow a text, in their order."""
        return self._shown_names.after(after)

    @property
    def matches_under_way(self) -> int:
        """The number of matches under way, those between two games too."""
        return len(self._matches)

    @property
    def ladders_at_play(self) -> Counter[str]:
        """How many matches of each ladder are under way, those between two games too."""
        ladders = (table.match.ladder for table in self._matches.values())
        return Counter(ladder for ladder in ladders if ladder is not None)

    @property
    def unplayed_ladders(self) -> frozenset[str]:
        """The ladders that have no game in this season, and no match under way."""
        ladders, playing = self.ladders.all_ladders, self.ladders_at_play
        unplayed = (ladder.name for ladder in ladders if not ladder.state.has_games)
        return frozenset(name for name in unplayed if name not in playing)

    def of_ladder(self, ladder: str) -> tuple[Table, ...]:
        """Return the tables of a ladder's matches, those between two games too."""
        return tuple(table for table in self._matches.values() if table.match.ladder == ladder)

    def find(self, game: str) -> Table | None:
        """Return the table where a game is being played."""
        return self._games.get(game)

    def of(self, player: Participant) -> tuple[Table, ...]:
        return tuple(self._matches[match] for match in player.matches)

    # Who may play, as ladders and events ask

    def has_time(self, name: str) -> bool:
        return self._has_room(name) and not self.contests.holds(name)

    def is_free(self, name: str) -> bool:
        player = self._directory.find(name)
        if player is None or not self._has_room(name):
            return False
        return not any(map(self.ladders.is_paired, player.matches.values()))

    def _has_room(self, name: str) -> bool:
        player, most = self._directory.find(name), self._context.config.now.limits.tables
        return player is not None and len(player.matches) < most

    def is_here(self, name: str) -> bool:
        return self._directory.find_here(name) is not None

    def has_session(self, name: str) -> bool:
        player = self._directory.find(name)
        return player is not None and not player.has_left

    def back_by(self, name: str) -> float:
        player = self._directory.find(name)
        if player is None or player.is_present or not player.return_s:
            return 0.0
        return player.lost_at + player.return_s

    def can_rate(self, ladder: str | None) -> bool:
        return ladder is None or self.ladders.get(ladder) is not None

    def standing_in(self, ladder: str | None, player: Participant) -> tuple[float | None, int]:
        found = self.ladders.get(ladder)
        if found is None:
            return None, 0
        entrant = entrant_name(player.name, player.agent)
        games = found.state.games(entrant)
        return found.state.entrant(entrant).live.elo if games else None, games

    def send(self, name: str, message: Message) -> None:
        if (player := self._directory.find_here(name)) is not None:
            player.send(message)

    def release(self, names: Collection[str]) -> None:
        for name in names:
            if (player := self._directory.find(name)) is not None:
                self.ladders.found_time(player)

    # Matches begin and stop

    def open_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        ladder_context: LadderContext | None = None,
        along: Along = NOTHING_ELSE,
    ) -> None:
        self._open(self._players(names), terms, ladder_context, along=along)

    def open_request(self, names: tuple[str, str], terms: Terms) -> None:
        """Start a match that two bots asked for; a ladder of requests may count it."""
        players = self._players(names)
        terms, counting = self.ladders.counting_request(terms, players)
        self._open(players, terms, counting)

    def open_event_match(
        self,
        names: tuple[str, str],
        terms: Terms,
        event_context: EventContext,
        rated: str | None = None,
    ) -> None:
        players = self._players(names)
        counting = self.ladders.counting(rated, players, event_context)
        self._open(players, terms._replace(rated=counting is not None), counting, event_context)

    def _players(self, names: tuple[str, str]) -> Players:
        first, second = names
        return self._directory.by_name[first], self._directory.by_name[second]

    def _open(
        self,
        players: Players,
        terms: Terms,
        ladder_context: LadderContext | None,
        event_context: EventContext | None = None,
        along: Along = NOTHING_ELSE,
    ) -> None:
        names = players[0].name, players[1].name
        match = Match(
            *(self._context.new_id(), names, terms, self._context.utc()),
            ladder_context=ladder_context,
            event_context=event_context,
        )
        self._context.log.info("match", match=match.id, names=match.names, games=match.terms.games)
        self._set_up(match, players).open(along)

    def restore(self, kept: KeptMatch, players: Players) -> None:
        ladder = self.ladders.get(kept.match.ladder)
        if ladder is not None and self.ladders.is_paired(kept.match):
            ladder.resumed(kept.match)
        self._set_up(kept.match, players).restore(kept)

    def _set_up(self, match: Match, players: Players) -> Table:
        quota, pace = self._info_quota, self._pace
        table = Table(match, players, self._context, self, quota=quota, pace=pace)
        self._matches[match.id] = table
        for player in players:
            player.matches[match.id] = match
        self.contests.opened(match)
        return table

    def end_match(self, match: str, detail: str, also: Sequence[Entry] = ()) -> None:
        """End a match under way, whose present game does not count; ``also`` is kept with it."""
        if match in self._matches:
            self._matches[match].end(detail, also)

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; call ``idle`` once no game is under way."""
        self.is_stopping = True
        self._idle = idle
        if not self._games:
            idle()

    def suspend(self) -> None:
        """Stop every match where it stands; the journal knows how to go on."""
        for table in tuple(self._matches.values()):
            table.close()

    # Messages

    def move(self, player: Participant, move: Move) -> None:
        table = self._own(player, move.game)
        if table is not None:
            table.play(player, move)

    def resign(self, player: Participant, resign: Resign) -> None:
        table = self._own(player, resign.game)
        if table is not None:
            table.resign(player, resign)

    def _own(self, player: Participant, game: str) -> Table | None:
        table = self._games.get(game)
        if table is not None and player not in table.players:
            raise RequestError(ErrorCode.UNKNOWN_GAME, "you don't play in that game", game)
        return table

    # Called by the tables, as their observer

    def game_began(self, match: Match) -> None:
        """Register the present game, so that it is found by its id."""
        table = self._games[match.game] = self._matches[match.id]
        if not self.hides(match):
            if match.game not in self._shown:
                self._shown_names.add(match.game)
            self._shown[match.game] = table
            self.spectators.game_began(table)

    def game_over(self, match: Match) -> None:
        self._context.log.debug("game over", game=match.game, names=match.seat_names)
        self._games.pop(match.game, None)
        if self._shown.pop(match.game, None) is not None:
            self._shown_names.remove(match.game)
        if self.is_stopping and not self._games:
            self._idle()
        self.spectators.game_over(self._matches[match.id])
        self._reviews.game_over(match.game, is_hidden=self.hides(match))

    def match_over(self, match: Match) -> None:
        table = self._matches.pop(match.id)
        for player in table.players:
            player.matches.pop(match.id, None)
        self.ladders.on_match_end(match, table.players)
        self.contests.on_match_end(match)
        for player in table.players:
            self.freed(player)

    def match_failed(self, match: Match) -> None:
        """Remove a table whose match can't be stored; its players leave the ladder."""
        table = self._matches[match.id]
        ladder = self.ladders.get(match.ladder)
        if ladder is not None and self.ladders.is_paired(match):
            for player in table.players:
                ladder.leave(player)
        if match.games and match.game in self._games:
            self.game_over(match)
        self.contests.match_failed(match)
        self.match_over(match)

    def left_early(self, match: Match, player: Participant) -> bool:
        if match.event_context is not None:
            return True
        ladder = self.ladders.get(match.ladder)
        return ladder is not None and ladder.left_early(player, match.id)

    def count(self, match: Match, ended: Outcome, result: Announcement) -> Sequence[Entry]:
        wanted = self._reviews.wanted(match, self._matches[match.id].players, ended)
        counted = self.contests.count(match, ended)
        ladder = self.ladders.get(match.ladder)
        rated = [] if ladder is None else ladder.count(match, ended, result)
        return (*rated, *counted, *wanted)

    def hides(self, match: Match) -> bool:
        return self.contests.hides(match)

    def sealed(self, match: Match, ends: list[Entry]) -> list[Entry]:
        return self.contests.sealed(match, ends)

    def review_revealed(self) -> None:
        self._reviews.read_again()

    def uncount(self, match: Match, ended: Outcome) -> None:
        if (ladder := self.ladders.get(match.ladder)) is not None:
            ladder.uncount(match, ended)

    def ratings(self, match: Match) -> dict[str, float] | None:
        ladder = self.ladders.get(match.ladder)
        return None if ladder is None else ladder.ratings(match)
