"""The stage: which games are worth watching, and a board that always moves."""

import re
from collections.abc import Hashable
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace
from playwright.async_api import Browser, expect

from mancala.protocol.clock import TimeControl
from mancala.protocol.levels import LEVEL_ELO
from mancala.protocol.messages import Move, Reason, Turn
from mancala.protocol.rules import KALAH
from mancala.server.model.schemas.bots import BestRatings
from mancala.server.model.schemas.games import GameStatus, GameSummary
from mancala.server.store.reading.archive import Archive
from mancala.server.store.rows.tokens import issue, revoke
from mancala.server.web.api.stage import (
    Stage,
    best_first,
    billed,
    is_whole,
    merit,
    nameable,
    spread,
    varied,
)
from mancala.server.web.feed.topics import LiveState, Topic, UnavailableError
from tests.server.web.browser import barriers, visiting
from tests.server.web.seen import Seen, seen

STRONG, EVEN, WEAK = 1900.0, 1880.0, 1500.0
RATINGS = {"ann": STRONG, "bob": EVEN, "cid": WEAK}


def game(
    first: str,
    second: str,
    stores: tuple[int, int] | None = (25, 23),
    reason: Reason = Reason.NORMAL,
    plies: int = 40,
) -> GameSummary:
    return GameSummary(
        game=f"{first}-{second}-{stores}",
        match="m",
        ladder="main",
        rated=True,
        rules=KALAH,
        clock=TimeControl(move_ms=1000),
        players=(first, second),
        status=GameStatus.OVER,
        plies=plies,
        winner=0,
        stores=stores,
        reason=reason,
        started_at="2026-11-21T12:00:00.000+00:00",
        ended_at=None,
        annulled=False,
    )


def test_strong_equal_and_close_games_come_first() -> None:
    """A game of two strong bots before one with a weak one; a close one before a clear one."""
    close, clear = game("ann", "bob"), game("ann", "bob", (40, 8))
    unequal, unknown = game("ann", "cid"), game("dan", "eve")
    ordered = best_first([unknown, unequal, clear, close], RATINGS)
    assert ordered[0] is close
    assert ordered[-1] is unknown
    assert ordered.index(close) < ordered.index(clear)


@pytest.mark.parametrize(
    ("names", "stores", "worth"),
    [
        (("ann", "bob"), None, 1890 - 10),
        (("ann", "bob"), (25, 23), 1890 - 10 - 30),
        (("ann", "cid"), (8, 40), 1700 - 200 - 480),
        (("dan", "eve"), None, LEVEL_ELO[2] - 100),
    ],
)
def test_a_game_is_worth_its_players_less_half_of_what_parts_them(
    names: tuple[str, str], stores: tuple[int, int] | None, worth: float
) -> None:
    """And less 15 Elo for each seed that parts them at the end; who is unrated is a weak guest."""
    assert merit(game(*names, stores), RATINGS) == worth


def test_most_games_named_are_even_and_half_ended_close() -> None:
    """Of twelve at least eight and six, if there are such; else others fill the list."""
    clear, uneven = ((25, 3), ("ann", "cid")), ((25, 23), ("ann", "cid"))
    close, unknown = ((25, 23), ("ann", "bob")), ((25, 23), ("dan", "eve"))
    decided = ((40, 8), ("ann", "bob"))
    kinds = [each for each in (decided, clear, uneven, unknown, close) for _ in range(20)]
    shown = billed([game(*names, stores) for stores, names in kinds], RATINGS)
    assert len(shown) == 12
    assert sum(each.players == ("ann", "bob") for each in shown) >= 8
    assert sum(each.stores == (25, 23) for each in shown) >= 6
    few = [game("ann", "cid")] * 13
    assert billed(few, RATINGS) == tuple(few[:12])


def test_a_strong_player_is_in_a_third_of_the_games_named() -> None:
    """And none in one after the other; where there are no others, in more."""
    ratings = dict.fromkeys("abcdefg", EVEN) | {"guest": STRONG}
    of_one = [game("guest", name) for name in "abcdefg"] + [
        game(name, "guest") for name in "abcdefg"
    ]
    others = [game(one, other) for one in "abcdefg" for other in "abcdefg" if one < other]
    shown = billed([*of_one, *others], ratings)
    assert "guest" in shown[0].players
    assert sum("guest" in each.players for each in shown) == 4
    for one, next_one in pairwise(shown):
        assert not {*one.players} & {*next_one.players}
    assert len(billed(of_one, ratings)) == 12
    first, again, other = (game(*names) for names in ("ab", "ac", "de"))
    assert spread([first, again, other]) == [first, other, again]


def test_games_of_names_that_may_not_be_shown_are_left_out() -> None:
    """One such player is enough."""
    games = [game("ann", "bob"), game("ann", "eve"), game("cid", "dan")]
    assert nameable(games, BestRatings(ratings={}, unnamed=("eve",))) == [games[0], games[2]]


class AwayGameServer:
    """A game server that restarts."""

    def is_alive(self) -> bool:
        return True

    async def ask(self, _topic: Topic[BestRatings], _subject: Hashable) -> BestRatings:
        raise UnavailableError("not connected")


async def test_bad_words_are_not_named_while_the_game_server_restarts() -> None:
    """Nor are guests that are in no ladder."""
    away = cast("LiveState", AwayGameServer())
    stage = Stage(cast("Archive", None), away, lambda: ("Rude",))
    games = [game("ann", "bob"), game("ann", "so-rUDE")]
    assert nameable(games, await stage.known(games)) == games[:1]
    levels = [replace(game("level-3", "level-4"), ladder=None)]
    assert nameable(levels, await stage.known(levels)) == levels


@pytest.mark.asyncio(loop_scope="module")
async def test_guests_and_bad_words_are_on_the_stage_only_if_allowed(tmp_path: Path) -> None:
    """Names with a token are known; a word that the organiser lists is in no name, big or small."""
    home = "/games?status=over&named=true"
    async with seen(tmp_path, stage_names="known", stage_words=("rude",)) as looking:
        for pair in (("guest", "ann"), ("ann", "bob"), ("bob", "So-Rude"), ("bob", "ann")):
            await looking.play(*pair)
        assert len((await looking.api("/games"))["games"]) == 4
        assert (await looking.api(home))["games"] == []
        for name in ("ann", "bob", "So-Rude"):
            await looking.server.store.run(issue, name, "2026-11-21T12:00:00.000+00:00")
        latest, shown = (await looking.api(home))["games"]
        assert sorted(shown["players"]) == sorted(latest["players"]) == ["ann", "bob"]
        staged = {each["game"] for each in (await looking.api("/stage"))["games"]}
        assert staged == {latest["game"], shown["game"]}
        await looking.play("guest", "eve", games=2)
        page = await looking.api(f"{home}&limit=1")
        assert page["games"] == [latest], "the games of guests have emptied the page"
        following = await looking.api(f"{home}&limit=1&cursor={page['next']}")
        assert following["games"] == [shown]
        for guests in ("&named=guests", "&named=guests&status=over&bot=bob"):
            for each in (await looking.api(f"/games?limit=9{guests}"))["games"]:
                assert "So-Rude" not in each["players"]
        everyone = {each["name"] for each in (await looking.api("/bots"))["bots"]}
        named = {each["name"] for each in (await looking.api("/bots?named=guests"))["bots"]}
        assert everyone - named == {"So-Rude"}
        run, at = looking.server.store.run, "2026-11-21T12:00:00.000+00:00"
        tokens = {name: await run(issue, name, at) for name in ("level-3", "level-4")}
        await looking.play(*tokens, tokens=tokens)
        for name in tokens:
            await run(revoke, name, at)
        assert "level-3" in (await looking.api(home))["games"][0]["players"]
        await run(revoke, "bob", at)
        assert len((await looking.api(home))["games"]) == 1


def test_the_same_two_bots_come_again_only_after_all_others() -> None:
    """In whichever seats they sat."""
    again, others = game("bob", "ann"), game("cid", "dan")
    first = game("ann", "bob")
    assert varied([first, again, others]) == (first, others, again)


@pytest.mark.parametrize(
    ("reason", "plies", "whole"),
    [
        (Reason.NORMAL, 40, True),
        (Reason.MAJORITY, 40, True),
        (Reason.TIMEOUT, 40, False),
        (Reason.NORMAL, 12, True),
        (Reason.NORMAL, 11, False),
    ],
)
def test_a_game_that_was_cut_off_is_not_shown(reason: Reason, plies: int, *, whole: bool) -> None:
    """Nor one that is over before anybody has seen it."""
    assert is_whole(game("ann", "bob", reason=reason, plies=plies)) is whole


@pytest.mark.asyncio(loop_scope="module")
async def test_an_old_game_is_played_where_none_runs(played: Seen, browser: Browser) -> None:
    """The board of the home page moves by itself, can be paused, and the game be opened."""
    view = await played.api("/stage")
    assert view["record"]["game"] == view["games"][0]["game"]
    async with visiting(browser, played.url, reduced_motion="reduce") as visit:
        page = visit.page
        await page.goto("/")
        said = page.locator(".stage .said")
        await expect(said).to_contain_text(re.compile(r"Move \d+:"))
        await expect(said).not_to_have_text(await said.inner_text())
        await page.get_by_role("button", name="Pause").click()
        assert await barriers(page) == []
        way = page.get_by_role("link", name="Open this game")
        address = await way.get_attribute("href")
        assert address in {f"/games/{each['game']}" for each in view["games"]}
        await way.click()
        await expect(page).to_have_url(f"{played.server.http_url}{address}")
        assert visit.complaints == []
        assert view["reviewed"] == []
        assert [url for url in visit.requests if url.endswith("/review")] == []


@pytest.mark.asyncio(loop_scope="module")
async def test_the_projectors_stage_has_large_letters_and_no_controls(
    played: Seen, browser: Browser
) -> None:
    """No letter below 32 pixels at 1920 by 1080, and nothing is wider or taller than a wall."""
    size = {"width": 1920, "height": 1080}
    async with visiting(browser, played.url, viewport=size, reduced_motion="reduce") as visit:
        page = visit.page
        await page.goto("/stage")
        await expect(page.locator(".said")).to_contain_text("Move 2:")
        assert await page.get_by_role("button").count() == 0
        smallest = await page.evaluate(
            """() => Math.min(...[...document.querySelectorAll('body *')].filter((each) =>
            each.getClientRects().length && !each.closest('.skip')
            && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
            .map((each) => { const box = each.ownerSVGElement?.viewBox.baseVal;
            const shown = each.ownerSVGElement?.getBoundingClientRect();
            return (box?.width ? shown.width / box.width : 1)
                * parseFloat(getComputedStyle(each).fontSize); }))"""
        )
        assert smallest >= 32
        for width, height in ((1920, 1080), (1280, 720)):
            await page.set_viewport_size({"width": width, "height": height})
            beyond = await page.evaluate(
                "[document.documentElement.scrollWidth - innerWidth,"
                " document.documentElement.scrollHeight - innerHeight]"
            )
            assert max(beyond) <= 0
        await page.set_viewport_size({"width": 390, "height": 844})
        filled = "document.querySelector('.course').getBoundingClientRect().bottom"
        assert 800 < await page.evaluate(filled) <= 844, "a phone's wall has a blank part"
        assert visit.complaints == []


@pytest.mark.asyncio(loop_scope="module")
async def test_a_teacher_puts_a_certain_game_on_the_wall(played: Seen, browser: Browser) -> None:
    """From the game's page, again and again; of a game that is not there the page says so."""
    address = played.url
    async with visiting(browser, address, reduced_motion="reduce") as visit:
        page = visit.page
        latest = (await played.api("/stage"))["games"][-1]["game"]
        await page.goto(f"/games/{latest}")
        await page.get_by_role("link", name="For a projector").click()
        await expect(page).to_have_url(f"{address}/stage?game={latest}")
        await expect(page.locator(".said")).to_contain_text("Move 2:")
        told = await played.api(f"/games/{latest}")
        names = " against ".join(each["name"] for each in told["players"])
        await expect(page.locator(".bill")).to_contain_text(names)
        visit.complaints.clear()  # the browser notes that this game has no review
        await page.goto("/stage?game=nonsense")
        await expect(page.get_by_role("heading", name="Not found")).to_be_visible()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_running_game_is_shown_before_all_others(tmp_path: Path, browser: Browser) -> None:
    """From its first move on, and its moves are on the stage soon after they are played."""
    async with (
        seen(tmp_path) as looking,
        visiting(browser, looking.url, reduced_motion="reduce") as visit,
    ):
        ann, bob = await looking.arena.pair("ann", "bob")
        first = await ann.hear(Turn)
        assert (await looking.api("/stage"))["games"] == []
        await ann.say(Move(first.game, first.ply, 0))
        turn = await bob.hear(Turn)
        while not (await looking.api("/stage"))["games"]:
            pass
        await visit.page.goto("/")
        await expect(visit.page.locator(".stage .bill")).to_contain_text("live")
        await bob.say(Move(turn.game, turn.ply, 0))
        await expect(visit.page.locator(".stage .said")).to_contain_text("bob sows pit 1")
