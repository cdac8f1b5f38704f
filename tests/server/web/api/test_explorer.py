"""The opening explorer: what was played in a position, on the analysis board and as a river."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.async_api import Browser, expect

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import Board
from mancala.server.web.api.explorer import Worth, explored, played_in, river, worths_in
from tests.server.web.api.test_mistakes import reviewed
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

START = "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>"


async def records(played: Seen) -> list[GameRecord]:
    """Return all games, the latest first."""
    games = (await played.api("/games"))["games"]
    answers = [await played.get(f"/api/v1/games/{game['game']}") for game in games]
    return [codec.from_json(answer.content, GameRecord) for answer in answers]


async def test_each_game_counts_for_its_first_move(played: Seen) -> None:
    """The start was played in every game; wins and losses are those of its mover."""
    found = await played.api(f"/explorer?board={START}")
    games = await records(played)
    assert found["games"] == len(games) == sum(move["counts"]["games"] for move in found["moves"])
    won = sum(game.result is not None and game.result.winner == 0 for game in games)
    assert sum(move["counts"]["wins"] for move in found["moves"]) == won


async def test_a_transposition_meets_the_position_it_leads_to(played: Seen) -> None:
    """Each position of a game is found, with that game and its ply."""
    game = (await records(played))[0]
    boards = list(replay(game))
    games = {game.game: tuple(played_in(game))}
    for ply, move in enumerate(game.moves[:12]):
        (found,) = explored(games, (boards[ply].rules.key, boards[ply].text))
        assert (found.pit, found.game) == (move.pit, game.game)
    assert (
        explored(
            games, (boards[0].rules.key, Board.from_text("<6,0,0,1,0,0,0,0,0,1,0,0,0,0,0>").text)
        )
        == ()
    )


async def test_what_is_no_board_is_refused(played: Seen) -> None:
    """As for the analysis of a position."""
    assert (await played.get("/api/v1/explorer?board=nothing")).status_code == 400


async def test_the_analysis_board_shows_what_was_played(played: Seen, browser: Browser) -> None:
    """A move of the list is sown by pressing it."""
    async with visiting(browser, played.server.http_url or "", reduced_motion="reduce") as tab:
        await tab.page.goto("/analysis")
        table = tab.page.get_by_role("table", name="What was played here")
        await table.get_by_role("button").first.click()
        await expect(tab.page.get_by_text("Sown: South")).to_be_visible()


async def test_a_river_parts_where_its_games_parted(played: Seen) -> None:
    """Each stream has as many games as those it parts into, but for games that were over there."""
    found = await played.api("/river")
    assert (found["board"], found["rules"]) == (START, "kalah")
    assert found["source"]["pit"] is None
    assert found["source"]["counts"]["games"] == found["games"] == 4
    waiting = [found["source"]]
    for stream in waiting:
        below = stream["streams"]
        assert sum(each["counts"]["games"] for each in below) in {stream["counts"]["games"], 0}
        waiting += below
    assert len(waiting) > 20
    assert (await played.get("/api/v1/river?board=nothing")).status_code == 400


async def test_a_stream_is_worth_what_reviews_say_to_the_sources_mover(played: Seen) -> None:
    """A value is its position's mover's; a river has one side. A proven value is the better one."""
    game = (await records(played))[0]
    moves = tuple(played_in(game))
    found = river([moves], moves[0].position, {moves[3].position: Worth(True, 0, 5)})
    stream = found
    for move in moves[:3]:
        assert (stream.value, stream.proven) == (None, False)
        (stream,) = stream.streams
        assert (stream.pit, stream.counts.games) == (move.pit, 1)
    sign = 1 if moves[3].player == moves[0].player else -1
    assert (stream.value, stream.proven) == (5 * sign, True)
    assert max(Worth(True, 0, 5), Worth(False, 30, 9)) == Worth(True, 0, 5)
    worths = worths_in(reviewed(game), moves)
    assert worths == {move.position: Worth(True, 0, 0) for move in moves}


async def test_a_game_falls_where_the_draw_was_let_go(played: Seen, browser: Browser) -> None:
    """The river of a game opens there; its streams are a tree, and one can be made the source."""
    game = (await records(played))[0]
    review = reviewed(game)
    (change,) = review.changes
    kept = [each.pit + 1 for each in review.plies[4].moves if each.pit != change.pit]
    async with visiting(browser, played.server.http_url or "", reduced_motion="reduce") as tab:
        body = codec.to_json(review).decode()
        await tab.page.route("**/review", lambda route: route.fulfill(body=body))
        await tab.page.goto(f"/games/{game.game}")
        await tab.page.get_by_role("link", name="In the river").click()
        fall = tab.page.get_by_role("treeitem", selected=True)
        await expect(fall).to_have_attribute("aria-level", "6")
        told = f"{game.players[change.player].name} let the draw go: "
        stayed = f"pits {', '.join(map(str, kept))}" if kept[1:] else f"only pit {kept[0]}"
        await expect(tab.page.get_by_text(f"{told}{stayed} stayed.")).to_be_visible()
        assert await barriers(tab.page) == []
        await fall.press("ArrowUp")
        await expect(tab.page.get_by_role("treeitem", selected=True)).to_have_attribute(
            "aria-level", "5"
        )
        await tab.page.keyboard.press("ArrowDown")
        await tab.page.keyboard.press("Enter")
        await expect(fall).to_have_accessible_name(re.compile("The source"))
        await expect(fall).to_be_focused()
        assert {"board", "game"} <= parse_qs(urlsplit(tab.page.url).query).keys()
        await tab.page.get_by_role("link", name="Back to the source").click()
        await expect(fall).to_have_attribute("aria-level", "6")
        assert tab.complaints == []
