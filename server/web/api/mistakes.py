"""What a bot's moves cost it: the dearest mistakes of each version, and what kinds are common.

Only proven losses of a seed or more are mistakes. What a mistake gave up or allowed is read off its
position: a capture, another move, the end of the game, or a capture by the opponent.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mancala.protocol.record import GameRecord, RecordError, replay
from mancala.protocol.review import GameReview, LosingMove, ReviewedPly
from mancala.protocol.rules import Board

from ...contest.live.views import EventLosingMove, EventLosingMoves
from ...model.contests import EventGameRow
from ...model.entrant import entrant_name
from ...model.schemas.analysis import BotMistakes, CommonMistake, Kind, Mistake, VersionMistakes
from ...model.schemas.games import GameStatus
from ...store.reading.archive import Archive, GameFilter

LOOKED_AT: Final = 40
"""Games of the bot, the latest ones."""
LEAST_LOSS: Final = 1.0
MUCH: Final = 3
DEAREST: Final = 5
COMMONEST: Final = 3


READ: Final = 24
"""Reviews that one request reads at most."""
KEPT: Final = 20_000
"""Games whose losing moves are remembered, about; a choice between memory and reading again."""


class Judged(NamedTuple):
    """A bot's part in a reviewed game: the version that played, and its mistakes."""

    version: str
    mistakes: tuple[Mistake, ...]


async def mistakes_of_bot(archive: Archive, bot: str) -> BotMistakes:
    """Return the mistakes of a bot in its latest games, as far as these were reviewed."""
    wanted = GameFilter(bot=bot, status=GameStatus.OVER)
    found = await archive.games(wanted, after=None, limit=LOOKED_AT)
    judged = [each async for each in _judged(archive, bot, (game.game for game in found.games))]
    versions = dict.fromkeys(each.version for each in judged)
    return BotMistakes(versions=tuple(_summary(name, judged) for name in versions))


async def _judged(archive: Archive, bot: str, games: Iterable[str]) -> AsyncIterator[Judged]:
    for game in games:
        review = await archive.review_if_any(game)
        record = None if review is None else await archive.record(game)
        if review is not None and record is not None:
            seat = [player.name for player in record.players].index(bot)
            name = entrant_name(bot, record.players[seat].agent)
            yield Judged(name, tuple(mistakes_in(record, review, seat)))


def mistakes_in(record: GameRecord, review: GameReview, seat: int) -> Iterator[Mistake]:
    """Yield a player's mistakes in a game, in order of play."""
    try:
        boards = list(replay(record))
    except RecordError:  # only possible if another program wrote to the database
        return
    answers = {ply.ply: ply for ply in review.plies}
    for ply in review.plies:
        if ply.player == seat and ply.loss_proven and ply.loss >= LEAST_LOSS:
            kind = kind_of(boards[ply.ply], ply, answers.get(ply.ply + 1))
            opponent = record.players[1 - seat].name
            yield Mistake.of(ply, game=record.game, opponent=opponent, kind=kind)


def kind_of(board: Board, ply: ReviewedPly, answer: ReviewedPly | None) -> Kind:
    """Return what a mistake on a board gave up or allowed, by the next ply of the game, if any."""
    played, best = board.sow(ply.pit), board.sow(ply.best)
    if best.board.is_over and not played.board.is_over:
        return Kind.END
    if best.captured > played.captured:
        return Kind.CAPTURE
    if best.again and not played.again:
        return Kind.AGAIN
    if answer is not None and answer.player != ply.player:
        lost = played.board.sow(answer.best).captured
        if lost >= MUCH and _most_captured(best.board, answer.player) < lost:
            return Kind.ALLOWED
    return Kind.QUIET


def _most_captured(board: Board, player: int) -> int:
    """Return the most seeds that a player captures by one sowing; 0 if it is not to move."""
    if board.player != player:
        return 0
    return max((board.sow(pit).captured for pit in board.legal()), default=0)


def _summary(name: str, judged: Iterable[Judged]) -> VersionMistakes:
    its = [each for each in judged if each.version == name]
    found = [mistake for each in its for mistake in each.mistakes]
    counted = Counter(mistake.kind for mistake in found)
    return VersionMistakes(
        name=name,
        games=len(its),
        dearest=tuple(sorted(found, key=lambda mistake: -mistake.loss)[:DEAREST]),
        common=tuple(
            CommonMistake(kind, count, sum(each.loss for each in found if each.kind is kind))
            for kind, count in counted.most_common(COMMONEST)
        ),
    )


class LosingMoves:
    """Finds the moves that lost the games of an event, and remembers them.

    Each review is read once. A request reads a few at most, so that an event of many games costs
    its viewers no more than a small one; those that are left follow with the next requests.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._known: dict[str, LosingMove | None] = {}
        self._begin = 0

    async def of(self, rows: Sequence[EventGameRow]) -> EventLosingMoves:
        """Return what is known of an event's games, after reading some more reviews."""
        games = {row.game: row.number for row in rows if row.game is not None}
        await self._read([game for game in games if game not in self._known])
        moves = tuple(
            EventLosingMove(number=number, game=game, move=move)
            for game, number in games.items()
            if (move := self._known.get(game)) is not None
        )
        waiting = sum(game not in self._known for game in games)
        return EventLosingMoves(moves=moves, waiting=waiting)

    async def _read(self, games: Sequence[str]) -> None:
        """Read the reviews of a few games, of others than the last time if there are more."""
        if len(self._known) > KEPT:
            self._known.clear()
        begin = self._begin % max(1, len(games))
        self._begin = begin + READ
        for game in (*games[begin:], *games[:begin])[:READ]:
            if (review := await self._archive.review_if_any(game)) is not None:
                self._known[game] = review.losing
