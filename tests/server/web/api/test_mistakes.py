"""A bot's mistakes: which moves are, of what kind, and how its page shows them."""

import json
from collections.abc import Container
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
from playwright.async_api import Browser, Route, expect

from mancala.protocol import codec
from mancala.protocol.messages import Assessment, MoveValue
from mancala.protocol.record import GameRecord, replay
from mancala.protocol.review import GameReview, ReviewedGame, ReviewedPly, ReviewWork, compose
from mancala.protocol.rules import Board
from mancala.server.model.schemas.analysis import Kind
from mancala.server.web.api.mistakes import LEAST_LOSS, kind_of, mistakes_in, mistakes_of_bot
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")


def ply(pit: int, best: int, player: int = 0) -> ReviewedPly:
    return ReviewedPly(
        ply=0,
        player=player,
        pit=pit,
        value=0,
        proven=True,
        loss=4,
        loss_proven=True,
        best=best,
        line=(best,),
        moves=(),
        forced=False,
    )


@pytest.mark.parametrize(
    ("board", "pit", "best", "answer", "kind"),
    [
        ("<6,1,0,4,4,4,4,0,5,0,6,5,5,5,5>", 2, 0, None, Kind.CAPTURE),
        ("<6,1,0,4,4,4,4,0,5,0,6,5,5,5,5>", 5, 2, 0, Kind.AGAIN),
        ("<6,16,14,0,2,0,0,12,2,0,0,2,0,0,0>", 4, 1, 0, Kind.END),
        ("<6,2,3,0,0,7,6,6,1,1,1,8,0,4,9>", 3, 4, 1, Kind.ALLOWED),
        ("<6,17,9,0,2,6,3,1,5,0,1,1,2,0,1>", 5, 1, 2, Kind.ALLOWED),  # of three seeds
        ("<6,29,14,0,1,1,1,0,0,0,0,0,1,0,1>", 2, 1, 3, Kind.QUIET),  # of two
        ("<6,18,21,0,2,1,0,0,3,0,2,0,0,0,1>", 1, 5, 1, Kind.QUIET),  # the best allows it, too
        ("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", 4, 0, 0, Kind.QUIET),
    ],
)
async def test_a_mistake_is_named_for_what_its_position_shows(
    board: str, pit: int, best: int, answer: int | None, kind: Kind
) -> None:
    """A capture or another move that was missed, a capture that was allowed, or nothing of it."""
    reply = None if answer is None else ply(answer, answer, player=1)
    assert kind_of(Board.from_text(board), ply(pit, best), reply) is kind


def reviewed(record: GameRecord, wrong: Container[int] = (4,)) -> GameReview:
    """Return a review in which the first legal move that was not played is better by four."""
    boards = list(replay(record))
    assessments = []
    for number, (board, move) in enumerate(zip(boards, record.moves, strict=False)):
        others = [pit for pit in board.legal() if pit != move.pit]
        sign = 1 if board.player == 0 else -1
        is_wrong = number in wrong and others
        values = tuple(
            MoveValue(pit, -4.0 * sign if is_wrong and pit == move.pit else 0.0)
            for pit in board.legal()
        )
        assessments.append(
            Assessment(ply=number, moves=values, line=(others[0] if is_wrong else move.pit,))
        )
    pits = [move.pit for move in record.moves]
    game = ReviewedGame(record.game, boards[: len(pits)], pits, None)
    return compose(game, ReviewWork(assessments, version=1, engine="test", seconds=1.0))


async def test_only_proven_losses_of_the_player_are_mistakes(played: Seen) -> None:
    """The one that the review has, by its mover, against the other player."""
    game = (await played.api("/games"))["games"][0]["game"]
    record = codec.from_json((await played.get(f"/api/v1/games/{game}")).content, GameRecord)
    review = reviewed(record)
    worst = [each for each in review.plies if each.loss >= LEAST_LOSS]
    found = [mistake for seat in (0, 1) for mistake in mistakes_in(record, review, seat)]
    assert [(each.ply, each.pit, each.best) for each in found] == [
        (each.ply, each.pit, each.best) for each in worst
    ]


async def test_a_version_has_its_five_dearest_mistakes_and_three_commonest_kinds(
    played: Seen,
) -> None:
    """However many there are."""
    game = (await played.api("/games"))["games"][0]
    record = codec.from_json(
        (await played.get(f"/api/v1/games/{game['game']}")).content, GameRecord
    )
    review = reviewed(record, range(len(record.moves)))
    every = [*mistakes_in(record, review, 0)]
    found = AsyncMock(
        games=AsyncMock(return_value=SimpleNamespace(games=[SimpleNamespace(game="")]))
    )
    found.review_if_any.return_value, found.record.return_value = review, record
    [version] = (await mistakes_of_bot(found, record.players[0].name)).versions
    assert len(every) > len(version.dearest) == 5
    assert len({each.kind for each in every}) > len(version.common) == 3
    for common in version.common:
        its = [each.loss for each in every if each.kind is common.kind]
        assert (common.count, common.loss) == (len(its), sum(its))


async def test_a_bots_page_shows_its_dearest_mistakes(played: Seen, browser: Browser) -> None:
    """Each version's commonest kinds, and the dearest moves with a way to their positions."""
    dearest = {
        "game": "g1",
        "ply": 11,
        "opponent": "bob",
        "pit": 3,
        "best": 1,
        "loss": 9.0,
        "kind": "capture",
    }
    version = {
        "name": "ann@2",
        "games": 7,
        "dearest": [dearest],
        "common": [{"kind": "capture", "count": 4, "loss": 21.0}],
    }

    async def answer(route: Route) -> None:
        await route.fulfill(json=json.loads(json.dumps({"versions": [version]})))

    url = played.url
    async with visiting(browser, url, reduced_motion="reduce") as tab:
        await tab.page.route("**/mistakes", answer)
        await tab.page.goto("/bots/ann")
        await expect(tab.page.get_by_role("heading", name="ann@2, 7 games")).to_be_visible()
        row = tab.page.get_by_role("row", name="missed a capture 4 21")
        await expect(row).to_be_visible()
        told = "9 seeds against bob, move 12: pit 4 for pit 2, missed a capture"
        link = tab.page.get_by_role("link", name=told)
        assert await link.get_attribute("href") == "/games/g1/12"
        assert await barriers(tab.page) == []


async def test_without_reviews_no_mistake_is_known(played: Seen) -> None:
    """The list is empty; a bot that is unknown has none either."""
    assert await played.api("/bots/ann/mistakes") == {"versions": []}
    assert await played.api("/bots/eve/mistakes") == {"versions": []}
