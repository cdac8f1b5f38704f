"""An opening explorer: what was played in a position, and what it came to, over the latest games.

The first plies of each game are kept in memory by position, so that transpositions meet. A game is
read once; those that ended since are read at the next question.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.rules import Board
from mancala.server.model.schemas.explorer import ExploredMove, ExplorerView
from mancala.server.model.schemas.games import GameStatus
from mancala.server.model.schemas.history import Counts
from mancala.server.store.archive import Archive, GameFilter

LOOKED_AT: Final = 500
"""Games, the latest ones; a hundred are read in 0.2 s."""
PLIES: Final = 20
KEPT_S: Final = 30.0

Position = tuple[str, str]
"""The key of the rules, and the board as text."""


class MoveInGame(NamedTuple):
    """A move of a game.

    Attributes:
        position: where it was played.
        pit: the pit sown.
        ply: the number of sowings before it.
        gain: 1 if its mover won the game, -1 if it lost, 0 for a draw.
    """

    position: Position
    pit: int
    ply: int
    gain: int


class Explorer:
    """The first plies of the latest games, by position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._games: OrderedDict[str, tuple[MoveInGame, ...]] = OrderedDict()
        self._reading: asyncio.Task[None] | None = None
        self._fresh_until = 0.0

    async def show(self, board: Board) -> ExplorerView:
        """Return what was played in a position."""
        time = asyncio.get_running_loop().time()
        reading = self._reading
        if reading is None or (reading.done() and self._fresh_until <= time):
            self._fresh_until = time + KEPT_S
            reading = self._reading = asyncio.create_task(self._read(), name="explorer")
        await asyncio.shield(reading)
        moves = explored(self._games, (board.rules.key, board.text))
        return ExplorerView(
            board=board.text, rules=str(board.rules), games=len(self._games), moves=moves
        )

    async def _read(self) -> None:
        """Read the games that are not known yet, and forget those that are no longer the latest."""
        wanted = GameFilter(status=GameStatus.OVER)
        found = await self._archive.games(wanted, after=None, limit=LOOKED_AT)
        latest = [game.game for game in found.games if game.reason is not Reason.ABORTED]
        known = self._games
        self._games = OrderedDict()
        for game in latest:
            if game not in known:
                record = await self._archive.record(game)
                known[game] = () if record is None else tuple(played_in(record))
            self._games[game] = known[game]


def played_in(record: GameRecord) -> Iterator[MoveInGame]:
    """Yield the first moves of a finished game."""
    winner = None if record.result is None else record.result.winner
    try:
        boards = list(replay(record))
    except RecordError:  # only possible if another program wrote to the database
        return
    for ply, (board, move) in enumerate(zip(boards, record.moves[:PLIES], strict=False)):
        gain = 0 if winner is None else 1 if winner == move.player else -1
        yield MoveInGame((board.rules.key, board.text), move.pit, ply, gain)


def explored(
    games: dict[str, tuple[MoveInGame, ...]], position: Position
) -> tuple[ExploredMove, ...]:
    """Return the moves played in a position, the most played first.

    Args:
        games: the moves of games, the latest game first.
        position: the position.
    """
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
