"""An opening explorer: what was played in a position, and what it came to, over the latest games.

The first plies of each game are kept in memory by position, so that transpositions meet. A game is
read once, in the background; until those that ended since are read, the answer is without them.
What a position is worth is known where a game with it was reviewed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, islice
from typing import Final, NamedTuple

from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.review import GameReview
from mancala.protocol.rules import Board, Rules

from ...model.schemas.analysis import ExploredMove, ExplorerView, RiverStream, RiverView
from ...model.schemas.games import GameStatus
from ...model.schemas.history import Counts
from ...store.reading.archive import Archive, GameFilter
from ..feed.kept_answers import Prepared

LOOKED_AT: Final = 500
"""Games, the latest ones; a hundred are read in 0.2 s."""
PLIES: Final = 20
KEPT_S: Final = 30.0
REVIEWS: Final = 40
"""Reviews that are read at a time: unpacking one takes milliseconds."""
STREAMS: Final = 240
"""Moves of a river: those that most games made."""

Position = tuple[str, str]
"""The key of the rules, and the board as text."""


class MoveInGame(NamedTuple):
    """A move of a game, which its mover won (1), lost (-1) or drew (0)."""

    position: Position
    player: int
    pit: int
    ply: int
    gain: int


class Worth(NamedTuple):
    """What a position is worth to its mover; the better known one is the greater."""

    proven: bool
    depth: int
    value: float


KnownGames = dict[str, tuple[MoveInGame, ...]]
"""The first moves of games, the latest game first."""


class Explorer:
    """The first plies of the latest games, by position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._games = Prepared("explorer", self._read, KEPT_S)
        self._known: KnownGames = {}
        self._rules: dict[str, str] = {}
        self._reviewed: dict[str, dict[Position, Worth]] = {}
        self._worths: dict[Position, Worth] = {}

    def prepare(self) -> None:
        """Read the games before the first visitor asks for them."""
        self._games.begin()

    async def show(self, board: Board) -> ExplorerView:
        """Return what was played in a position; games that ended meanwhile count the next time."""
        games = await self._games.get()
        moves = explored(games, (board.rules.key, board.text))
        return ExplorerView(board=board.text, rules=str(board.rules), games=len(games), moves=moves)

    async def river(self, board: Board | None) -> RiverView:
        """Return how the games went on from a position; by default from where most of them began.

        The moves of games whose reviews are still to be read have no value yet.
        """
        games = await self._games.get()
        at = _commonest_start(games) if board is None else (board.rules.key, board.text)
        rules = self._rules.get(at[0], str(Rules())) if board is None else str(board.rules)
        source = river(games.values(), at, self._worths)
        return RiverView(board=at[1], rules=rules, games=len(games), source=source)

    async def _read(self) -> KnownGames:
        """Read the games that are not known yet, and forget those that are no longer the latest."""
        wanted = GameFilter(status=GameStatus.OVER)
        found = await self._archive.games(wanted, after=None, limit=LOOKED_AT)
        latest: KnownGames = {}
        for game in (each.game for each in found.games if each.reason is not Reason.ABORTED):
            known = self._known.get(game)
            latest[game] = await self._moves_of(game) if known is None else known
        self._known = latest
        await self._read_reviews()
        return latest

    async def _read_reviews(self) -> None:
        """Read some of the reviews that are not known yet, and forget those of former games."""
        found = {game: each for game, each in self._reviewed.items() if game in self._known}
        keys = await self._archive.latest_reviews(LOOKED_AT)
        new = [key.game for key in keys if key.game in self._known and key.game not in found]
        for game in new[:REVIEWS]:
            try:
                review = await self._archive.review(game)
            except LookupError:  # forgotten since
                continue
            if review is not None:
                found[game] = worths_in(review, self._known[game])
        self._reviewed = found
        self._worths = {}
        for worths in found.values():
            for at, worth in worths.items():
                self._worths[at] = max(worth, self._worths.get(at, worth))

    async def _moves_of(self, game: str) -> tuple[MoveInGame, ...]:
        record = await self._archive.record(game)
        if record is None:
            return ()
        self._rules[record.rules.key] = str(record.rules)
        return tuple(played_in(record))


def played_in(record: GameRecord) -> Iterator[MoveInGame]:
    """Yield the first moves of a finished game."""
    winner = None if record.result is None else record.result.winner
    try:
        boards = list(islice(replay(record), PLIES))
    except RecordError:  # only possible if another program wrote to the database
        return
    for ply, (board, move) in enumerate(zip(boards, record.moves, strict=False)):
        gain = 0 if winner is None else 1 if winner == move.player else -1
        yield MoveInGame((board.rules.key, board.text), move.player, move.pit, ply, gain)


def worths_in(review: GameReview, moves: Sequence[MoveInGame]) -> dict[Position, Worth]:
    """Return what the positions of a game are worth to their movers, as its review has it."""
    return {
        move.position: Worth(ply.proven, ply.depth or 0, (1 - 2 * ply.player) * ply.value)
        for move, ply in zip(moves, review.plies, strict=False)
    }


class _Passage(NamedTuple):
    """A game that came to a source: who moved there, what it came to, and its moves from there."""

    player: int
    gain: int
    moves: Sequence[MoveInGame]


class _Water:
    """The games that went one way from a source; the pit is the last of the moves on it."""

    def __init__(self, pit: int | None, moves: int, games: Sequence[_Passage]) -> None:
        self.pit = pit
        self.moves = moves
        self.games = games
        self.streams: list[_Water] = []

    def parted(self) -> Iterator[_Water]:
        """Yield what it parts into, by the next move."""
        by_pit: dict[int, list[_Passage]] = {}
        for game in self.games:
            if len(game.moves) > self.moves:
                by_pit.setdefault(game.moves[self.moves].pit, []).append(game)
        yield from (_Water(pit, self.moves + 1, games) for pit, games in by_pit.items())

    def view(self, worths: Mapping[Position, Worth]) -> RiverStream:
        """Return it as the API shows it."""
        value, proven = self._worth(worths)
        return RiverStream(
            pit=self.pit,
            counts=_counts([game.gain for game in self.games]),
            value=value,
            proven=proven,
            streams=tuple(
                each.view(worths) for each in sorted(self.streams, key=lambda each: each.pit or 0)
            ),
        )

    def _worth(self, worths: Mapping[Position, Worth]) -> tuple[float | None, bool]:
        """Return its value for who moved at the source, and whether that is proven."""
        ahead = next((game for game in self.games if len(game.moves) > self.moves), None)
        if ahead is None:
            return None, False
        move = ahead.moves[self.moves]
        worth = worths.get(move.position)
        if worth is None:
            return None, False
        sign = 1 if move.player == ahead.player else -1
        return sign * worth.value + 0.0, worth.proven


def river(
    games: Iterable[Sequence[MoveInGame]], source: Position, worths: Mapping[Position, Worth]
) -> RiverStream:
    """Return how games went on from a position, as far as the widest streams show it."""
    whole = _Water(None, 0, list(_coming_to(source, games)))
    number = count()
    waiting: list[tuple[int, int, _Water, _Water]] = []
    below = whole
    for _ in range(STREAMS):
        for each in below.parted():
            heappush(waiting, (-len(each.games), next(number), each, below))
        if not waiting:
            break
        _, _, below, above = heappop(waiting)
        above.streams.append(below)
    return whole.view(worths)


def _coming_to(source: Position, games: Iterable[Sequence[MoveInGame]]) -> Iterator[_Passage]:
    for moves in games:
        at = next((at for at, each in enumerate(moves) if each.position == source), None)
        if at is not None:
            yield _Passage(moves[at].player, moves[at].gain, moves[at:])


def _commonest_start(games: KnownGames) -> Position:
    found = Counter(moves[0].position for moves in games.values() if moves)
    start = Board.start(Rules())
    return found.most_common(1)[0][0] if found else (start.rules.key, start.text)


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
