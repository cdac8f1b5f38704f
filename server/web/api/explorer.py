"""An opening explorer: what was played in a position, and what it came to, over the latest games.

The first plies of each game are kept in memory by position, so that transpositions meet. A game is
read once, in the background; until those that ended since are read, the answer is without them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.rules import Board

from ...model.schemas.analysis import ExploredMove, ExplorerView
from ...model.schemas.games import GameStatus
from ...model.schemas.history import Counts
from ...store.reading.archive import Archive, GameFilter
from ..feed.kept_answers import Prepared

LOOKED_AT: Final = 500
"""Games, the latest ones; a hundred are read in 0.2 s."""
PLIES: Final = 20
KEPT_S: Final = 30.0

Position = tuple[str, str]
"""The key of the rules, and the board as text."""


class MoveInGame(NamedTuple):
    """A move of a game, which its mover won (1), lost (-1) or drew (0)."""

    position: Position
    pit: int
    ply: int
    gain: int


KnownGames = dict[str, tuple[MoveInGame, ...]]
"""The first moves of games, the latest game first."""


class Explorer:
    """The first plies of the latest games, by position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._games = Prepared("explorer", self._read, KEPT_S)
        self._known: KnownGames = {}

    def prepare(self) -> None:
        """Read the games before the first visitor asks for them."""
        self._games.begin()

    async def show(self, board: Board) -> ExplorerView:
        """Return what was played in a position; games that ended meanwhile count the next time."""
        games = await self._games.get()
        moves = explored(games, (board.rules.key, board.text))
        return ExplorerView(board=board.text, rules=str(board.rules), games=len(games), moves=moves)

    async def _read(self) -> KnownGames:
        """Read the games that are not known yet, and forget those that are no longer the latest."""
        wanted = GameFilter(status=GameStatus.OVER)
        found = await self._archive.games(wanted, after=None, limit=LOOKED_AT)
        latest: KnownGames = {}
        for game in (each.game for each in found.games if each.reason is not Reason.ABORTED):
            known = self._known.get(game)
            latest[game] = await self._moves_of(game) if known is None else known
        self._known = latest
        return latest

    async def _moves_of(self, game: str) -> tuple[MoveInGame, ...]:
        record = await self._archive.record(game)
        return () if record is None else tuple(played_in(record))


def played_in(record: GameRecord) -> Iterator[MoveInGame]:
    """Yield the first moves of a finished game."""
    winner = None if record.result is None else record.result.winner
    try:
        boards = list(islice(replay(record), PLIES))
    except RecordError:  # only possible if another program wrote to the database
        return
    for ply, (board, move) in enumerate(zip(boards, record.moves, strict=False)):
        gain = 0 if winner is None else 1 if winner == move.player else -1
        yield MoveInGame((board.rules.key, board.text), move.pit, ply, gain)


def explored(games: KnownGames, position: Position) -> tuple[ExploredMove, ...]:
    """Return the moves played in a position, the most played first."""
    latest: dict[int, tuple[str, int]] = {}
    gains: dict[int, list[int]] = {}
    for game, moves in games.items():
        for move in moves:
            if move.position == position:
                latest.setdefault(move.pit, (game, move.ply))
                gains.setdefault(move.pit, []).append(move.gain)
    found = (
        ExploredMove(pit=pit, counts=_counts(its), game=latest[pit][0], ply=latest[pit][1])
        for pit, its in gains.items()
    )
    return tuple(sorted(found, key=lambda move: (-move.counts.games, move.pit)))


def _counts(gains: list[int]) -> Counts:
    return Counts(
        games=len(gains), wins=gains.count(1), draws=gains.count(0), losses=gains.count(-1)
    )
