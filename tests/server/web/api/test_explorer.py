"""The opening explorer: what was played in a position, and how the analysis board shows it."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, replay
from mancala.protocol.rules import Board
from mancala.server.web.api.explorer import explored, played_in
from tests.server.web.browser import visiting
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
