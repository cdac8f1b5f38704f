"""The moves that lost the games of an event are found review by review."""

from types import SimpleNamespace
from typing import Any

from mancala.protocol.review import LosingMove, Result
from mancala.server.model.contests import EventGameRow
from mancala.server.web.api.mistakes import READ, LosingMoves

MOVE = LosingMove(ply=16, player=1, pit=2, loss=4, best=4, kept=Result.DRAW, proven=True)


class ReviewArchive:
    """An archive with reviews of some games."""

    def __init__(self, reviews: dict[str, Any]) -> None:
        self.reviews = reviews
        self.read: list[str] = []

    async def review_if_any(self, game: str) -> Any:  # noqa: ANN401  # a review, or something like it
        self.read.append(game)
        return self.reviews.get(game)


def rows(*games: str | None) -> list[EventGameRow]:
    return [
        EventGameRow(number, "ann", "bob", 0, 2, "normal", game, 0)
        for number, game in enumerate(games)
    ]


def losing_moves(archive: ReviewArchive) -> LosingMoves:
    found: Any = archive
    return LosingMoves(found)


async def test_games_have_their_losing_moves_once_they_are_reviewed() -> None:
    """One that no move lost has none; a review that was read is not read again."""
    archive = ReviewArchive({"a": SimpleNamespace(losing=MOVE), "b": SimpleNamespace(losing=None)})
    archive.reviews["c"] = None
    finding = losing_moves(archive)
    view = await finding.of(rows("a", "b", "c", None, "d"))
    assert [(each.number, each.game, each.move) for each in view.moves] == [(0, "a", MOVE)]
    assert view.waiting == 2
    archive.read.clear()
    await finding.of(rows("a", "b", "c", None, "d"))
    assert {*archive.read} == {"c", "d"}


async def test_a_request_reads_a_few_reviews_at_most() -> None:
    """The others follow with the next request, also where some have no review."""
    games = [str(number) for number in range(READ + 5)]
    archive = ReviewArchive(dict.fromkeys(games, SimpleNamespace(losing=MOVE)))
    finding = losing_moves(archive)
    assert (await finding.of(rows(*games))).waiting == 5
    assert archive.read == games[:READ]
    assert (await finding.of(rows(*games))).waiting == 0
    pending = ReviewArchive(dict.fromkeys(games[:READ]))
    pending.reviews |= dict.fromkeys(games[READ:], SimpleNamespace(losing=None))
    finding = losing_moves(pending)
    assert (await finding.of(rows(*games))).waiting == READ + 5
    assert (await finding.of(rows(*games))).waiting == READ
