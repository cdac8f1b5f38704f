"""Every match under way: the tables, and whom their games concern.

The hall knows who is here; this knows what they play. A table is found by its present game's id,
which is what answers name. What becomes of its games is told to the gallery, which shows them, and
to the ladders, which count them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from protocol.messages import ErrorCode, Move, Resign
from protocol.referee import Ended
from server.config.settings import Config
from server.context import Surroundings
from server.ladders.registry import Ladders
from server.lobby.spectators import Gallery
from server.match.participant import Participant
from server.match.table import Players, Table
from server.model.journal import Announcement, Entry, KeptMatch
from server.model.match import Match, Occasion, Terms


class Tables:
    """The tables.

    Attributes:
        gallery: shows their games to those who look on.
        is_draining: whether nothing new may begin.
    """

    def __init__(
        self,
        config: Config,
        world: Surroundings,
        ladders: Ladders,
        freed: Callable[[Participant], object],
    ) -> None:
        """Set none up yet.

        Args:
            config: how long seats are kept, and how many games one connection may look at.
            world: what the tables stand on.
            ladders: which matches count where.
            freed: told of each player when a match is over.
        """
        self.is_draining = False
        self._idle: Callable[[], None] = lambda: None
        self._world = world
        self._ladders = ladders
        self._freed = freed
        self._games: dict[str, Table] = {}
        self._tables: set[Table] = set()
        self.gallery = Gallery(self._games, ladders, config.limits.watched)
        self._floor = world.of_tables(self, config.grace_s)

    # How it stands

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games under way."""
        return tuple(self._games)

    def find(self, game: str) -> Table | None:
        """Find the table where a game is being played."""
        return self._games.get(game)

    # Matches begin and stop

    def open(self, players: Players, terms: Terms, occasion: Occasion | None = None) -> None:
        """Seat two bots, the first-named first."""
        names = players[0].name, players[1].name
        match = Match(self._world.new_id(), names, terms, self._world.utc(), occasion=occasion)
        self._world.log.info("match", match=match.id, names=match.names, games=match.terms.games)
        self._set_up(match, players).open()

    def restore(self, kept: KeptMatch, players: Players) -> None:
        """Take up a match where a former server left it."""
        self._ladders.resumed(kept.match)
        self._set_up(kept.match, players).restore(kept)

    def _set_up(self, match: Match, players: Players) -> Table:
        table = Table(match, players, self._floor)
        self._tables.add(table)
        for who in players:
            who.tables.add(table)
        return table

    def drain(self, idle: Callable[[], None]) -> None:
        """Begin nothing new; ``idle`` is called when no game is under way any more."""
        self.is_draining = True
        self._idle = idle
        if not self._games:
            idle()

    def suspend(self) -> None:
        """Stop every match where it stands; the journal knows how to go on."""
        for table in self._tables:
            table.suspend()

    # What bots say

    def move(self, who: Participant, move: Move) -> None:
        """Hand an answer to the table it is for."""
        table = self._own(who, move.game)
        if table is not None:
            table.play(who, move)

    def resign(self, who: Participant, resign: Resign) -> None:
        """Let a bot give its game up."""
        table = self._own(who, resign.game)
        if table is not None:
            table.resign(who, resign.game)

    def _own(self, who: Participant, game: str) -> Table | None:
        """Find the table; None when the game is over (a late answer), or is somebody else's."""
        table = self._games.get(game)
        if table is not None and who not in table.players:
            who.refuse(ErrorCode.UNKNOWN_GAME, "you don't play in that game", game)
            return None
        return table

    # What tables say

    def game_began(self, table: Table) -> None:
        """Let the game be found by its id."""
        self._games[table.game] = table
        self.gallery.game_began(table)

    def game_over(self, table: Table) -> None:
        """Note that the game is over."""
        self._games.pop(table.game, None)
        if self.is_draining and not self._games:
            self._idle()
        self.gallery.game_over(table)

    def match_over(self, table: Table) -> None:
        """Clear the table."""
        self._tables.discard(table)
        for who in table.players:
            who.tables.discard(table)
        self._ladders.done(table.match, table.players)
        for who in table.players:
            self._freed(who)

    def book(self, match: Match, ended: Ended, result: Announcement) -> Sequence[Entry]:
        """Count the present game where it counts; gives what becomes durable with its end."""
        return self._ladders.book(match, ended, result)

    def ratings(self, match: Match) -> dict[str, float] | None:
        """Tell both bots' ratings, where the match counts for any."""
        return self._ladders.ratings(match)
