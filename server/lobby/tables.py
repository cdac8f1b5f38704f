"""The tables: every match under way.

A table is found by its match or by its present game, which is what moves name. Games that begin or
end are passed on to the spectators, who watch them, and to the ladders, which count them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from mancala.protocol.messages import ErrorCode, Leave, Move, Outcome, Resign

from ..contest.live.registry import Contests
from ..ladders.registry import Ladders
from ..match.context import Context
from ..match.info_quota import InfoQuota
from ..match.pace import Pace
from ..match.participant import Participant
from ..match.table import Players, Table
from ..model.journal import NOTHING_ELSE, Along, Announcement, Entry, KeptMatch
from ..model.match import EventContext, LadderContext, Match, Terms
from ..reviews.dispatcher import ReviewDispatcher
from .spectators import Spectators


class Tables:
    """All tables; observes their matches.

    Attributes:
        spectators: shows their games to the connections that watch.
        is_draining: whether nothing new may begin.
        info_quota: bounds what is stored of the bots' reports.
    """

    def __init__(  # the rooms that hear of its matches, each by its name
        self,
        context: Context,
        ladders: Ladders,
        freed: Callable[[Participant], object],
        reviews: ReviewDispatcher,
        *,
        contests: Contests,
        must_yield: Callable[[Match], bool],
    ) -> None:
        """Create it, with no match under way.

        Args:
            context: settings, clock, journal and the rest of what the server hands out.
            ladders: count the games of their matches.
            freed: called with each player when a match is over.
            reviews: has their games reviewed.
            contests: count the games of theirs.
            must_yield: returns whether a match gives its place to others before its next game.
        """
        self.is_draining = False
        self.info_quota = InfoQuota(context.config)
        self._pace = Pace(context.config)
        self._idle: Callable[[], None] = lambda: None
        self._context = context
        self._ladders = ladders
        self._freed = freed
        self._reviews = reviews
        self._contests = contests
        self._must_yield = must_yield
        self._games: dict[str, Table] = {}
        self._matches: dict[str, Table] = {}
        self.spectators = Spectators(self._games, ladders, context.config)

    # How it stands

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games under way."""
        return tuple(self._games)

    @property
    def by_game(self) -> Mapping[str, Table]:
        """The tables by the id of their present game."""
        return self._games

    @property
    def matches_under_way(self) -> int:
        """The number of matches under way, those between two games too."""
        return len(self._matches)

    @property
    def ladders_at_play(self) -> Counter[str]:
        """How many matches of each ladder are under way, those between two games too."""
        ladders = (table.match.ladder for table in self._matches.values())
        return Counter(ladder for ladder in ladders if ladder is not None)

    def of_ladder(self, ladder: str) -> tuple[Table, ...]:
        """Return the tables of a ladder's matches, those between two games too."""
        return tuple(table for table in self._matches.values() if table.match.ladder == ladder)

    def find(self, game: str) -> Table | None:
        """Return the table where a game is being played."""
        return self._games.get(game)

    def of(self, player: Participant) -> tuple[Table, ...]:
        """Return the tables where a participant plays."""
        return tuple(self._matches[match] for match in player.matches)

    # Matches begin and stop

    def open(
        self,
        players: Players,
        terms: Terms,
        ladder_context: LadderContext | None = None,
        event_context: EventContext | None = None,
        *,
        along: Along = NOTHING_ELSE,
    ) -> None:
        """Start a match, the first-named player first; ``along`` happens together with it."""
        names = players[0].name, players[1].name
        new_id, now = self._context.new_id(), self._context.utc()
        match = Match(
            *(new_id, names, terms, now),
            ladder_context=ladder_context,
            event_context=event_context,
        )
        self._context.log.info("match", match=match.id, names=match.names, games=match.terms.games)
        self._set_up(match, players).open(along)

    def restore(self, kept: KeptMatch, players: Players) -> None:
        """Take up a match where the journal left it."""
        self._ladders.resumed(kept.match)
        self._set_up(kept.match, players).restore(kept)

    def _set_up(self, match: Match, players: Players) -> Table:
        table = Table(match, players, self._context, self, quota=self.info_quota, pace=self._pace)
        self._matches[match.id] = table
        for player in players:
            player.matches[match.id] = match
        self._contests.opened(match)
        return table

    def end_match(self, match: str, detail: str, also: Sequence[Entry] = ()) -> None:
        """End a match under way; its present game does not count.

        Args:
            match: its id.
            detail: why, for its players.
            also: what becomes durable with it.
        """
        if match in self._matches:
            self._matches[match].end(detail, also)

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; call ``idle`` once no game is under way."""
        self.is_draining = True
        self._idle = idle
        if not self._games:
            idle()

    def suspend(self) -> None:
        """Stop every match where it stands; the journal knows how to go on."""
        for table in tuple(self._matches.values()):
            table.suspend()

    # Messages

    def move(self, player: Participant, move: Move) -> None:
        """Pass a move to its table."""
        table = self._own(player, move.game)
        if table is not None:
            table.play(player, move)

    def resign(self, player: Participant, resign: Resign) -> None:
        """Pass a resignation to its table."""
        table = self._own(player, resign.game)
        if table is not None:
            table.resign(player, resign)

    def _own(self, player: Participant, game: str) -> Table | None:
        """Return the table; None when the game is over (a late answer), or is not the bot's."""
        table = self._games.get(game)
        if table is not None and player not in table.players:
            player.send_error(ErrorCode.UNKNOWN_GAME, "you don't play in that game", game)
            return None
        return table

    # Called by the tables, as their observer

    def must_yield(self, match: Match) -> bool:
        """Return whether a match gives its place to others before its next game."""
        return self._must_yield(match)

    def game_began(self, match: Match) -> None:
        """Register the present game, so that it is found by its id."""
        table = self._games[match.game] = self._matches[match.id]
        self.spectators.game_began(table)

    def game_over(self, match: Match) -> None:
        """Note that the present game is over."""
        self._context.log.debug("game over", game=match.game, names=match.seat_names)
        self._games.pop(match.game, None)
        if self.is_draining and not self._games:
            self._idle()
        self.spectators.game_over(self._matches[match.id])
        self._reviews.game_over(match.game)

    def match_over(self, match: Match) -> None:
        """Remove the table and free its players."""
        table = self._matches.pop(match.id)
        for player in table.players:
            player.matches.pop(match.id, None)
        self._ladders.on_match_end(match, table.players)
        self._contests.on_match_end(match)
        for player in table.players:
            self._freed(player)

    def match_failed(self, match: Match) -> None:
        """Remove a table whose match can't be stored; its players leave the ladder."""
        table = self._matches[match.id]
        if match.ladder is not None and self._ladders.is_paired(match):
            for player in table.players:
                self._ladders.leave(player, Leave(match.ladder))
        if match.games and match.game in self._games:
            self.game_over(match)
        self._contests.match_failed(match)
        self.match_over(match)

    def left_early(self, match: Match, player: Participant) -> bool:
        """Note that a player left before its first move; return whether that loses the game."""
        return match.event_context is not None or self._ladders.left_early(match, player)

    def count(self, match: Match, ended: Outcome, result: Announcement) -> Sequence[Entry]:
        """Count the present game in its ladder or event; return what becomes durable with it."""
        wanted = self._reviews.wanted(match, self._matches[match.id].players, ended)
        counted = self._contests.count(match, ended)
        return (*self._ladders.count(match, ended, result), *counted, *wanted)

    def uncount(self, match: Match, ended: Outcome) -> None:
        """Take back a game that could not be stored; an event counts its end again."""
        self._ladders.uncount(match, ended)

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Return both bots' ratings, or None when the match counts for none."""
        return self._ladders.ratings(match)
