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

from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.review import GameReview
from mancala.protocol.rules import Board

from ...model.review.reviews import ReviewKey
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


class Worth(NamedTuple):
    """What a position is worth to its mover; the better known one is the greater."""

    proven: bool
    depth: int
    value: float


def _at(board: Board) -> Position:
    return board.rules.key, board.text


class Passed(NamedTuple):
    """A position that a game came to, which its mover won (1), lost (-1) or drew (0).

    Attributes:
        pit: the move made there; None in the last position that is kept.
        worth: what it is worth by the rules, where the game is over.
    """

    position: Position
    player: int
    pit: int | None
    gain: int
    worth: Worth | None


class KnownGame(NamedTuple):
    """The rules of a game as text, and its first positions; none if its record is gone or wrong."""

    rules: str
    passed: tuple[Passed, ...]


KnownGames = dict[str, KnownGame]
"""Games, the latest first."""


class Explorer:
    """The first plies of the latest games, by position."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._games = Prepared("explorer", self._read, KEPT_S)
        self._known: KnownGames = {}
        self._reviewed: dict[str, tuple[ReviewKey, dict[Position, Worth]]] = {}
        self._worths: dict[Position, Worth] = {}

    def prepare(self) -> None:
        """Read the games before the first visitor asks for them."""
        self._games.begin()

    async def show(self, board: Board) -> ExplorerView:
        """Return what was played in a position; games that ended meanwhile count the next time."""
        games = await self._games.get()
        moves = explored(games, _at(board))
        return ExplorerView(board=board.text, rules=str(board.rules), games=len(games), moves=moves)

    async def river(self, board: Board | None) -> RiverView:
        """Return how the games went on from a position, by default the most usual start."""
        games = await self._games.get()
        if board is None:
            at, rules = _commonest_start(games)
        else:
            at, rules = _at(board), str(board.rules)
        source = river(games.values(), at, self._worths)
        return RiverView(board=at[1], rules=rules, games=len(games), source=source)

    async def _read(self) -> KnownGames:
        """Read the games that are not known yet, and forget those that are no longer the latest."""
        wanted = GameFilter(status=GameStatus.OVER)
        found = await self._archive.games(wanted, after=None, limit=LOOKED_AT)
        latest: KnownGames = {}
        for game in (each.game for each in found.games if each.counts):
            known = self._known.get(game)
            latest[game] = await self._game(game) if known is None else known
        self._known = latest
        await self._read_reviews()
        return latest

    async def _read_reviews(self) -> None:
        """Read some of the reviews that are not known yet, and forget those of former games."""
        found = {game: each for game, each in self._reviewed.items() if game in self._known}
        keys = await self._archive.latest_reviews(LOOKED_AT)
        known = {key for key, _ in found.values()}
        new = [key for key in keys if key.game in self._known and key not in known]
        for key in new[:REVIEWS]:
            if (review := await self._archive.review_if_any(key.game)) is not None:
                found[key.game] = key, worths_in(review, self._known[key.game])
        if found == self._reviewed:
            return
        self._reviewed = found
        self._worths = {}
        for _, worths in found.values():
            for at, worth in worths.items():
                self._worths[at] = max(worth, self._worths.get(at, worth))

    async def _game(self, game: str) -> KnownGame:
        record = await self._archive.record(game)
        return KnownGame("", ()) if record is None else known_game(record)


def known_game(record: GameRecord) -> KnownGame:
    winner = None if record.result is None else record.result.winner
    try:
        boards = list(islice(replay(record), PLIES + 1))
    except RecordError:  # only possible if another program wrote to the database
        boards = []
    pits = (*(move.pit for move in record.moves[: len(boards) - 1]), None)
    passed = tuple(
        Passed(
            _at(board),
            board.player,
            pit,
            0 if winner is None else 1 if winner == board.player else -1,
            Worth(True, 0, board.score(board.player)) if board.is_over else None,
        )
        for board, pit in zip(boards, pits, strict=False)
    )
    return KnownGame(str(record.rules), passed)


def worths_in(review: GameReview, game: KnownGame) -> dict[Position, Worth]:
    return {
        each.position: Worth(ply.proven, ply.depth or 0, (1 - 2 * ply.player) * ply.value)
        for each, ply in zip(game.passed, review.plies, strict=False)
    }


class _Water:
    """The games that went one way from a source; the pit is the last of the moves on it."""

    def __init__(self, pit: int | None, moves: int, games: Sequence[Sequence[Passed]]) -> None:
        self.pit = pit
        self.moves = moves
        self.games = games
        self.streams: list[_Water] = []

    def parted(self) -> Iterator[_Water]:
        """Yield what it parts into, by the next move."""
        by_pit: dict[int, list[Sequence[Passed]]] = {}
        for game in self.games:
            if (pit := game[self.moves].pit) is not None:
                by_pit.setdefault(pit, []).append(game)
        yield from (_Water(pit, self.moves + 1, games) for pit, games in by_pit.items())

    def view(self, worths: Mapping[Position, Worth]) -> RiverStream:
        value, proven = self._worth(worths)
        return RiverStream(
            pit=self.pit,
            counts=_counts([game[0].gain for game in self.games]),
            value=value,
            proven=proven,
            streams=tuple(
                each.view(worths) for each in sorted(self.streams, key=lambda each: each.pit or 0)
            ),
        )

    def _worth(self, worths: Mapping[Position, Worth]) -> tuple[float | None, bool]:
        """Return its value for who moved at the source, and whether that is proven."""
        if not self.games:
            return None, False
        game = self.games[0]
        here = game[self.moves]
        worth = here.worth or worths.get(here.position)
        if worth is None:
            return None, False
        sign = 1 if here.player == game[0].player else -1
        return sign * worth.value + 0.0, worth.proven


def river(
    games: Iterable[KnownGame], source: Position, worths: Mapping[Position, Worth]
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


def _coming_to(source: Position, games: Iterable[KnownGame]) -> Iterator[Sequence[Passed]]:
    for _, passed in games:
        at = next((at for at, each in enumerate(passed) if each.position == source), None)
        if at is not None:
            yield passed[at:]


def _commonest_start(games: KnownGames) -> tuple[Position, str]:
    """Return where most games began, and the rules of one that began there."""
    rules = {passed[0].position: text for text, passed in games.values() if passed}
    found = Counter(passed[0].position for _, passed in games.values() if passed)
    if found:
        at = max(found, key=found.__getitem__)
        return at, rules[at]
    start = Board.start()
    return _at(start), str(start.rules)


def explored(games: KnownGames, position: Position) -> tuple[ExploredMove, ...]:
    """Return the moves played in a position, the most played first."""
    latest: dict[int, tuple[str, int]] = {}
    gains: dict[int, list[int]] = {}
    for game, (_, passed) in games.items():
        for ply, each in enumerate(passed):
            if each.position == position and each.pit is not None:
                latest.setdefault(each.pit, (game, ply))
                gains.setdefault(each.pit, []).append(each.gain)
    found = (
        ExploredMove(pit=pit, counts=_counts(its), game=latest[pit][0], ply=latest[pit][1])
        for pit, its in gains.items()
    )
    return tuple(sorted(found, key=lambda move: (-move.counts.games, move.pit)))


def _counts(gains: list[int]) -> Counts:
    return Counts(
        games=len(gains), wins=gains.count(1), draws=gains.count(0), losses=gains.count(-1)
    )
