"""Spectators: connections that watch single games, or all games of a ladder."""

from collections import defaultdict
from collections.abc import Mapping

from mancala.protocol.messages import ErrorCode, Unwatch, Watch
from mancala.protocol.text import quantity

from ..config.settings import LiveConfig
from ..ladders.registry import Ladders
from ..match.participant import Participant, RequestError
from ..match.table import Table
from ..net.seat import Seat


class Spectators:
    def __init__(self, games: Mapping[str, Table], ladders: Ladders, config: LiveConfig) -> None:
        self._games = games
        self._ladders = ladders
        self._config = config
        self._watched: defaultdict[Seat, set[Table]] = defaultdict(set)

    # Messages

    def watch(self, player: Participant, watch: Watch) -> None:
        """Show a game or a ladder, or refuse it."""
        if player.seat is None:
            return
        if watch.game is not None and watch.ladder is None:
            self._watch_game(player, player.seat, watch.game)
        elif watch.ladder is not None and watch.game is None:
            self._watch_ladder(player.seat, watch.ladder)
        else:
            detail = "watch names a game or a ladder, exactly one"
            raise RequestError(ErrorCode.INVALID, detail)

    def unwatch(self, player: Participant, unwatch: Unwatch) -> None:
        if player.seat is None:
            return
        if unwatch.game is None:
            self._ladders.unwatch(player.seat, unwatch.ladder)
        watched = self._watched.get(player.seat, set())
        for table in [table for table in watched if _is_meant(unwatch, table)]:
            table.unwatch(player.seat)
            watched.discard(table)

    def _watch_game(self, player: Participant, seat: Seat, game: str) -> None:
        table, most = self._games.get(game), self._config.now.limits.watched
        if table is None:
            raise RequestError(ErrorCode.UNKNOWN_GAME, "no such game is being played", game)
        if player in table.players:
            raise RequestError(ErrorCode.INVALID, "you play in that game", game)
        if len(self._watched.get(seat, ())) >= most:
            detail = f"{quantity(most, 'game is', 'games are')} watched already"
            raise RequestError(ErrorCode.LIMIT, detail, game)
        self._watched[seat].add(table)
        table.watch(seat, game)

    def _watch_ladder(self, seat: Seat, ladder: str) -> None:
        self._ladders.find(ladder).watchers.add(seat)
        for table in self._games.values():
            if table.match.ladder == ladder:
                self._show(seat, table)

    def _show(self, seat: Seat, table: Table) -> None:
        if all(player.seat is not seat for player in table.players):
            self._watched[seat].add(table)
            table.watch(seat)

    def is_watching(self, seat: Seat) -> bool:
        return bool(self._watched.get(seat)) or self._ladders.is_watched_by(seat)

    # Events

    def game_began(self, table: Table) -> None:
        ladder = self._ladders.get(table.match.ladder)
        for seat in tuple(ladder.watchers) if ladder is not None else ():
            self._show(seat, table)

    def game_over(self, table: Table) -> None:
        """Take the game from what each connection watches."""
        for watched in self._watched.values():
            watched.discard(table)

    def on_close(self, seat: Seat) -> None:
        self._ladders.unwatch(seat)
        for table in self._watched.pop(seat, ()):
            table.unwatch(seat)


def _is_meant(unwatch: Unwatch, table: Table) -> bool:
    if unwatch.game is not None:
        return table.game == unwatch.game
    return unwatch.ladder in (None, table.match.ladder)
