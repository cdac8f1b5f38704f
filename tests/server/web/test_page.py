"""The page in a real browser: what a visitor sees and does, and no fault that the browser finds."""

import asyncio
import json
import random
import re
from calendar import month_abbr
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.record import GameRecord, replay
from mancala.protocol.review import GameReview, Lost, ReviewedGame, ReviewWork, compose, how_lost
from mancala.protocol.rules import KALAH, OWARE, PRESETS, Board, Capture, Rules
from mancala.protocol.submission import (
    Submission,
    SubmissionState,
    SubmittedPlayer,
    SubmittedStanding,
    document_of,
)
from mancala.protocol.variants import FAMILY, MANCHESTER
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.model.journal import SubmissionStored
from mancala.server.store.rows.reviews import offer_puzzle
from mancala.server.store.rows.tokens import issue
from mancala.server.web.languages import LANGUAGES
from mancala.server.web.pages.pages import PAGES
from tests.protocol.strategies import FAMILY_RULES
from tests.seeds import seed
from tests.server.peers import Peer, order
from tests.server.store.builders import a_puzzle
from tests.server.store.databases import committed
from tests.server.web.browser import LOOKS, Tab, barriers, visiting
from tests.server.web.outlines import OUTLINES
from tests.server.web.pseudo import bare_words, in_brackets
from tests.server.web.seen import Seen, seen

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
DESK: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 900}}
Game = dict[str, Any]
FITS: Final = "document.documentElement.scrollWidth <= innerWidth"
ADDRESSES = tuple(page.path for page in PAGES if "{" not in page.path)
"""The pages that every server has, and the log of one that publishes it."""
DATA: Final = {
    *("ann", "bob", "cid", "dan", "eve", "lab", "main", "soiree", "cup"),
    *("Avalanche", "Congkak", "Mangala", "Oware", "Kalah", "kalah", "Sonneborn", "Berger"),
    *("GIF", "JSON", "AM", "PM", *month_abbr),
}
"""Words of the pages that are no text: names, times, and what is called so in all languages."""
KEY: Final = "0123456789abcdef"
"""Under which the night is shown."""
UTC: Final = "2026-11-21T12:00:00.000+00:00"
NIGHT: Final = Submission(
    title="soiree",
    format="match",
    state=SubmissionState.FINISHED,
    entrants=(SubmittedPlayer("dan"), SubmittedPlayer("eve")),
    standings=(
        SubmittedStanding(1, "dan", 2, 2.0, 2, 0, 0),
        SubmittedStanding(2, "eve", 2, 0.0, 0, 0, 2),
    ),
)
SHIFTS: Final = """window.shifted = 0; new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value;
}).observe({type: 'layout-shift', buffered: true});"""

WEIGHT: Final = """[...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource')]
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def club(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Seen]:
    """A server on which ann and bob have played three games and have an event, bob and cid one.

    Its ladder is still empty, and an author has submitted a night of games played at home.
    """
    cup = EventSettings(name="cup", format="rr", entrants=("ann", "bob"))
    given = {"event": (cup,), "ladder": (LadderSettings(name="main"),), "public_log": True}
    async with seen(tmp_path_factory.mktemp("club"), **given) as looking:
        await looking.play("ann", "bob", games=3)
        await looking.play("bob", "cid")
        night = SubmissionStored(KEY, "lab", UTC, NIGHT, document_of(NIGHT))
        await committed(looking.server.store, night)
        await looking.server.store.run(offer_puzzle, a_puzzle(), UTC, UTC)
        yield looking


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def game(club: Seen) -> Game:
    """The latest one."""
    return cast("Game", (await club.api("/games"))["games"][0])


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser: Browser, club: Seen) -> AsyncIterator[Tab]:
    """A visitor who finds no fault."""
    async with visiting(browser, club.url, reduced_motion="reduce") as tab:
        yield tab
        assert tab.complaints == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reader(browser: Browser, club: Seen) -> AsyncIterator[Page]:
    """A tab that is reused: its browser has the modules of the pages that it has shown."""
    async with visiting(browser, club.url, reduced_motion="reduce") as tab:
        yield tab.page


def said(page: Page, text: str) -> Any:  # noqa: ANN401  # an expectation to be awaited
    return expect(page.locator(".said")).to_contain_text(text)


async def test_the_first_page_shows_the_latest_results(visit: Tab) -> None:
    """Four games, newest first, each with a way to its replay."""
    page = visit.page
    await page.goto("/")
    await expect(page.get_by_role("link", name="replay")).to_have_count(4)
    assert await page.title() == "Now · test"
    await expect(page.get_by_text("None of known bots; all are under Games.")).to_be_visible()


async def test_a_rating_that_holds_the_scale_is_said_to_be_fixed(visit: Tab) -> None:
    """It has no interval, and rests on no games: neither is claimed of it."""
    page = visit.page
    await page.goto("/ladders")
    told = await page.evaluate(
        """async (module) => { const {basis, rating} = await import(module);
        const place = (...interval) => ({ladder: "main", rests_on: [],
            standing: {name: "ann@1", rating: 435, interval}});
        return [[435, 435], [400, 470]].map((ends) => [rating(place(...ends).standing),
            basis([place(...ends)]).textContent]); }""",
        await visit.module("ratings.js"),
    )
    assert told == [
        ["435 Elo, fixed", "The rating is fixed: those of others are measured by it."],
        ["435 Elo, between 400 and 470", "Known after the bot's first games in a ladder."],
    ]


async def test_the_dot_of_an_interval_is_round(visit: Tab) -> None:
    """In WebKit an end of a line without length is stretched with its picture, to an ellipse."""
    await visit.page.goto("/ladders")
    marks = await visit.page.evaluate(
        """async (module) => { const {whisker} = await import(module);
        const picture = whisker("1", {value: 1, low: 0, high: 2}, 0, 2);
        document.querySelector("main").append(picture);
        return [...picture.children].slice(1).map((mark) => [
            mark.tagName, mark.getTotalLength() > 0,
            mark.getBBox().width === mark.getBBox().height]); }""",
        await visit.module("charts.js"),
    )
    assert marks == [["line", True, False], ["circle", True, True]]


async def test_a_page_is_opened_by_one_request_and_few_bytes(
    club: Seen, game: Game, visit: Tab
) -> None:
    """The data is inside; scripts and styles come once, and are kept as long as they are."""
    await visit.page.goto("/")
    await expect(visit.page.get_by_role("link", name="replay")).to_have_count(4)
    await visit.page.goto(f"/games/{game['game']}/3")
    await said(visit.page, "sows pit")
    visit.requests.clear()
    await visit.page.goto(f"/games/{game['game']}/5")
    await said(visit.page, "sows pit")
    own = [url for url in visit.requests if "/page/" not in url]
    assert own == [f"{club.server.http_url}/games/{game['game']}/5"]
    sizes = await visit.page.evaluate(
        "performance.getEntriesByType('resource').map((each) => each.encodedBodySize)"
    )
    answer = await club.get(f"/games/{game['game']}/5")
    assert sum(sizes) + int(answer.headers["Content-Length"]) < 60_000


async def test_a_game_can_be_replayed_with_the_keyboard(game: Game, visit: Tab) -> None:
    """Arrows go a move on and back, End and Home to the result and to the opening."""
    page = visit.page
    await page.goto(f"/games/{game['game']}")
    await said(page, "The opening.")
    await page.keyboard.press("ArrowRight")
    await said(page, "sows pit 6")
    await expect(page.locator(".moves [aria-current]")).to_have_text("6")
    assert page.url.endswith(f"/games/{game['game']}/1")
    assert "move 1" in await page.title()
    await page.keyboard.press("ArrowLeft")
    await said(page, "The opening.")
    await page.keyboard.press("End")
    stores = page.locator(".board .store")
    await expect(stores).to_have_text([str(count) for count in game["stores"]])
    high, low = sorted(game["stores"], reverse=True)
    await expect(page.locator(".verdict")).to_contain_text(f"{high} : {low}")
    await page.keyboard.press("Home")
    await said(page, "The opening.")


async def test_every_position_has_an_address_and_a_title(game: Game, visit: Tab) -> None:
    """A link to a ply opens the game there; a click in the list of moves goes on from it."""
    await visit.page.goto(f"/games/{game['game']}/4")
    names = " against ".join(game["players"])
    assert await visit.page.title() == f"{names}, move 4 · test"
    await expect(visit.page.locator(".moves [aria-current]")).to_have_attribute("data-ply", "4")
    await visit.page.get_by_role("link", name="Move 7:").click()
    await expect(visit.page).to_have_title(f"{names}, move 7 · test")
    assert visit.page.url.endswith("/7")
    await visit.page.get_by_role("link", name="← Previous game").click()
    await expect(visit.page).not_to_have_url(f"*{game['game']}*")
    await expect(visit.page.get_by_role("link", name="Next game →")).to_be_visible()


async def test_a_review_names_the_losing_move_and_shows_the_better_one(
    club: Seen, game: Game, visit: Tab
) -> None:
    """Sentence, list, board and address speak of the same ply; the better line can be played."""
    review = await review_of(club, game["game"])
    found = json.loads(review)
    losing = found["losing"]
    ply = losing["ply"] + 1
    reason = {"way": "captured", "player": losing["player"], "seeds": 4}
    found["plies"][ply - 1]["reason"] = reason | {"pit": 2, "ply": ply + 1, "at_a_time": 5}
    await put_review(visit.page, game["game"], json.dumps(found).encode())
    await visit.page.goto(f"/games/{game['game']}")
    why = f"{game['players'][losing['player']]} captures 4 seeds fewer; pit 3 would capture 5 seeds"
    sentence = (
        f": won → lost. Pit {losing['pit'] + 1} loses {losing['loss']:.0f} seeds, "
        f"pit {losing['best'] + 1} kept the win, proven: {why}."
    )
    named = re.compile(f"^move {ply}, .*{re.escape(sentence)}$")
    await visit.page.get_by_role("link", name=named).first.click()
    assert visit.page.url.endswith(f"/{ply}")
    await said(visit.page, f"Move {ply}: ")
    await said(visit.page, f"sows pit {losing['pit'] + 1}")
    await said(visit.page, f"It loses {losing['loss']:.0f} seeds: {why} (proven).")
    current = visit.page.locator(".moves [aria-current]")
    await expect(current).to_have_text(f"{losing['pit'] + 1}??")
    await expect(current).to_have_attribute("data-ply", str(ply))
    await expect(visit.page.locator(".arrow.best")).to_have_count(1)
    await expect(visit.page.locator(".arrow.played")).to_have_count(1)
    again = visit.page.get_by_role("link", name="Play again from here")
    record = codec.from_json((await club.get(f"/api/v1/games/{game['game']}")).content, GameRecord)
    board = quote(list(replay(record))[ply - 1].text, safe="")
    await expect(again).to_have_attribute("href", re.compile(rf"^/play\?board={board}&rules="))
    await visit.page.get_by_role("button", name="Play this line").press("Enter")
    await said(visit.page, f"sows pit {losing['best'] + 1}")
    await expect(visit.page.locator(".variation")).to_be_focused()
    await visit.page.get_by_role("button", name="Back to the game").press("Enter")
    await expect(visit.page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    await expect(visit.page.get_by_role("button", name="Play this line")).to_be_visible()


async def test_arrows_cross_no_count(visit: Tab) -> None:
    """From each pit to each place: the number of seeds in a pit stays readable."""
    await visit.page.goto("/ladders")
    crossed = await visit.page.evaluate(
        """async (module) => { const { Board } = await import(module);
        const board = new Board(6, ["ann", "bob"]);
        document.querySelector("main").append(board.element);
        board.show({ pits: [Array(6).fill(10), Array(6).fill(10)], stores: [0, 0],
            current_player: 0 });
        const counts = [...board.drawing.querySelectorAll(".count")].map((each) => each.getBBox());
        const pits = [0, 1, 2, 3, 4, 5, null];
        const places = [0, 1].flatMap((side) => pits.map((pit) => ({ side, pit })));
        const found = [];
        for (const player of [0, 1]) for (let pit = 0; pit < 6; pit += 1) for (const to of places)
        for (const kind of ["best", "played"]) {
            board.point([{ player, pit, to, kind }]);
            const way = board.drawing.querySelector(".arrow");
            for (let at = 0; at <= 1; at += 0.01) {
                const { x, y } = way.getPointAtLength(at * way.getTotalLength());
                if (counts.some((box) => x > box.x && x < box.x + box.width
                    && y > box.y && y < box.y + box.height)) found.push([player, pit, to, kind]);
            }
        }
        return found; }""",
        await visit.module("board.js"),
    )
    assert crossed == []


async def test_pictures_are_drawn_as_the_page_draws(game: Game, visit: Tab) -> None:
    """Wood, holes and marbles have the same shapes, places and colours, in light and in dark."""
    read = """() => { const all = (kind) => [...document.querySelectorAll(`.board ${kind}`)];
        const round = (text) => text.replace(/[0-9]+[.][0-9]+/g, (each) => Number(each).toFixed(1));
        const shape = (each) => ["x", "y", "width", "height", "rx", "d"]
            .map((name) => round(each.getAttribute(name) ?? "")).join(" ");
        const look = (each) => ["fill", "stroke", "strokeWidth", "opacity", "fontSize"]
            .map((name) => getComputedStyle(each)[name].replace(/url.*/, "")).join(" ");
        const kinds = [".wood", ".grain path", ".bevel", ".lip", ".rim", ".hole", ".index"];
        const plain = (colour) => colour.replace(/^color.srgb (.*)[)]$/, (_, parts) =>
            `rgb(${parts.split(" ").map((part) => Math.round(255 * part)).join(", ")})`);
        const paint = (each) =>
            each.getAttribute("offset") + plain(getComputedStyle(each).stopColor);
        const shapes = all(kinds.join(", .board ")).map((each) => shape(each) + look(each));
        return { board: [...shapes, ...all("stop").map(paint)].sort(),
            seeds: all("circle").map((each) => each.getAttribute("r")) }; }"""
    for scheme in ("light", "dark"):
        await visit.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = []
        for address in ("0", "0.svg"):
            await visit.page.goto(f"/games/{game['game']}/{address}")
            await expect(visit.page.locator(".board .hole")).to_have_count(14)
            found.append(await visit.page.evaluate(read))
        page, picture = found
        assert page["board"] == picture["board"]
        assert set(picture["seeds"]) <= set(page["seeds"])


async def test_times_are_drawn_where_they_differ(visit: Tab) -> None:
    """Levels wait about as long for each move: a row of equal bars says nothing."""
    await visit.page.goto("/games")
    drawn = """async (module) => { const {Course} = await import(module);
        const move = (elapsed_ms, at) =>
            ({state: {stores: [0, 0]}, move: {player: at % 2, elapsed_ms}});
        return [[1500, 1510, 1490, 1530, 1500], [40, 900, 1500, 20, 30]].map((times) => {
            const course = new Course(['ann', 'bob'], () => {});
            course.show({steps: [move(0, 0), ...times.map(move)], last: times.length}, null, null);
            return !course.timing.hidden; }); }"""
    assert await visit.page.evaluate(drawn, await visit.module("course.js")) == [False, True]


async def test_a_low_frame_shows_the_controls_and_the_sentence(game: Game, visit: Tab) -> None:
    """At 640 by 480, as blogs and courses embed a game."""
    await visit.page.set_viewport_size({"width": 640, "height": 480})
    await visit.page.goto(f"/games/{game['game']}?embed")
    for shown in (visit.page.get_by_role("slider"), visit.page.locator(".said")):
        await expect(shown).to_be_in_viewport(ratio=1)


async def test_a_wide_screen_is_used_and_the_verdict_is_large(game: Game, visit: Tab) -> None:
    """At 1920 pixels nine tenths hold the page; who won is twice as large as what is said of it."""
    await visit.page.set_viewport_size({"width": 1920, "height": 1000})
    await visit.page.goto(f"/games/{game['game']}")
    verdict = visit.page.locator(".verdict")
    await expect(verdict).not_to_be_empty()
    size = await verdict.evaluate("(each) => parseFloat(getComputedStyle(each).fontSize)")
    box = await visit.page.locator("main").bounding_box()
    assert size >= 32
    assert box is not None
    assert box["width"] >= 0.9 * 1920


async def test_seeds_are_sown_one_by_one_unless_motion_is_reduced(
    club: Seen, game: Game, browser: Browser
) -> None:
    """A sowing passes through positions of its own; with reduced motion there are none."""
    watcher = """() => { window.seen = []; new MutationObserver(() => window.seen.push(
        [...document.querySelectorAll('.board .count')].map((each) => each.textContent).join(' ')))
        .observe(document.querySelector('.board'), {subtree: true, childList: true,
        characterData: true}); }"""
    counts = []
    for motion in ("no-preference", "reduce"):
        async with visiting(browser, club.url, reduced_motion=motion) as tab:
            await tab.page.goto(f"/games/{game['game']}/1")
            await said(tab.page, "sows pit")
            await tab.page.evaluate(watcher)
            board = tab.page.locator("svg.board")
            before = await board.get_attribute("aria-label")
            assert before is not None
            await tab.page.keyboard.press("ArrowRight")
            await expect(board).not_to_have_attribute("aria-label", before)  # said at the end
            await expect(board.locator(".landed")).to_have_count(1)
            await expect(board.locator(".last")).to_have_count(1)
            counts.append(len(set(await tab.page.evaluate("window.seen"))))
    assert counts[0] > counts[1] == 1


async def test_seeds_knock_on_wood_only_where_the_visitor_asks_for_it(
    club: Seen, game: Game, browser: Browser
) -> None:
    """Sound is off at first; switched on it is heard seed by seed, and stays on."""
    count = """let knocks = 0; const begin = AudioBufferSourceNode.prototype.start;
        AudioBufferSourceNode.prototype.start = function (...given) {
            document.documentElement.dataset.knocks = knocks += 1;
            return begin.apply(this, given); };"""
    async with visiting(browser, club.url) as tab:
        page, sound = tab.page, tab.page.get_by_label("Sound")
        await page.add_init_script(count)
        await page.goto(f"/games/{game['game']}/1")
        await said(page, "Move 1:")
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".board .landed")).to_have_count(1)
        whole = page.locator("html")
        assert await whole.get_attribute("data-knocks") is None
        await sound.check()
        await page.keyboard.press("ArrowRight")
        several = re.compile(r"^([3-9]|\d\d)$")
        await expect(whole).to_have_attribute("data-knocks", several)
        await page.reload()
        await expect(sound).to_be_checked()
        assert tab.complaints == []


async def test_a_running_game_is_followed_to_its_end(tmp_path: Path, browser: Browser) -> None:
    """Each move shows as it is played; one can step back, and return to the present."""
    async with seen(tmp_path) as looking, visiting(browser, looking.url) as tab:
        page = tab.page
        ann, bob = await looking.arena.pair("ann", "bob")
        first = await ann.hear(wire.Turn)
        await page.goto(f"/games/{first.game}")
        await expect(page.locator(".player.south.to-move")).to_be_visible()
        await ann.say(wire.Move(first.game, first.ply, 0))
        await said(page, "ann sows pit 1.")
        await expect(page.locator(".player.north.to-move")).to_be_visible()
        await page.keyboard.press("ArrowLeft")
        await said(page, "The opening.")
        turn = await bob.hear(wire.Turn)
        await bob.say(wire.Move(turn.game, turn.ply, turn.legal[-1]))
        await expect(page.locator(".moves .move")).to_have_count(2)
        await said(page, "The opening.")
        await page.get_by_role("button", name="To the present").click()
        await said(page, "bob sows pit")
        await asyncio.gather(ann.play_until(wire.MatchOver), bob.play_until(wire.MatchOver))
        await expect(page.locator(".verdict")).to_contain_text("wins")
        assert tab.complaints == []


async def test_without_guests_a_running_game_is_shown_all_the_same(
    tmp_path: Path, browser: Browser
) -> None:
    """A page has no token; where the websocket wants one, it asks the API instead."""
    async with seen(tmp_path, guests=False) as looking, visiting(browser, looking.url) as tab:
        ann, bob = [await with_token(looking, name) for name in ("ann", "bob")]
        first = await ann.hear(wire.Turn)
        await tab.page.goto(f"/games/{first.game}")
        await expect(tab.page.locator(".player.south.to-move")).to_be_visible()
        await ann.say(wire.Move(first.game, first.ply, 0))
        await expect(tab.page.locator(".player.north.to-move")).to_be_visible()
        await bob.hear(wire.Turn)


async def test_a_list_outlives_its_network_and_keeps_focus(visit: Tab) -> None:
    """Offline, the page says so and keeps what it shows; back online, it goes on immediately."""
    page = visit.page
    await page.clock.install()
    await page.goto("/ladders")
    await page.goto("/")
    replay_link = page.get_by_role("link", name="replay").first
    await replay_link.focus()
    await page.context.set_offline(True)
    await page.clock.run_for(6000)
    away = page.get_by_text("This device is offline")
    await expect(away).to_be_visible()
    await expect(replay_link).to_be_focused()
    await page.context.set_offline(False)
    await expect(away).to_have_count(0)
    await expect(replay_link).to_be_focused()
    visit.complaints.clear()  # the browser notes the requests that failed, as it should


async def test_the_boards_of_an_event_are_renewed_in_place(
    club: Seen, game: Game, visit: Tab
) -> None:
    """Who has gone to one by keys is still there after the page has looked again."""
    page, found = visit.page, await club.api("/events/cup")
    found["boards"] = [{"game": game["game"]}]
    looks = 0

    async def answer(route: Route) -> None:
        nonlocal looks
        looks += 1
        await route.fulfill(json=found)

    await page.clock.install()
    await page.route("**/api/v1/events/cup", answer)
    await page.goto("/events/cup")
    await page.clock.run_for(6000)
    board = page.get_by_label("Games that are being played").get_by_role("link")
    await board.focus()
    while looks < 3:
        await page.clock.run_for(1000)
    await expect(board).to_be_focused()


@asynccontextmanager
async def all_pages(
    club: Seen,
    game: Game,
    browser: Browser,
    **options: Any,  # noqa: ANN401  # playwright's
) -> AsyncIterator[tuple[Tab, AsyncIterator[str]]]:
    """Open a tab, and in it each page of the club, one after the other; the game is reviewed."""
    review = await review_of(club, game["game"])
    others = (
        *ADDRESSES,
        *("/bots/ann", "/bots/ann/history", "/bots/ann/vs/bob"),
        *("/events/cup", "/events/cup/projector", f"/elsewhere/{KEY}"),
        *("/ladders/main", "/ladders/main/history", f"/matches/{game['match']}"),
        *("/puzzles/2026-11-21", "/league/fox"),
    )
    games = (f"/games/{game['game']}/5", f"/games/{game['game']}?embed")

    async def opened(page: Page) -> AsyncIterator[str]:
        for path in (*others, *games):
            if path == games[0]:  # from here on the browser caches nothing
                await put_review(page, game["game"], review)
            answer = await page.goto(path)
            assert answer is not None
            assert answer.ok, path
            await expect(page.get_by_role("heading", level=1)).to_be_visible()
            yield path

    async with visiting(browser, club.url, **options) as tab:
        yield tab, opened(tab.page)


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
async def test_no_page_bars_anyone(
    club: Seen, game: Game, browser: Browser, size: dict[str, Any]
) -> None:
    """axe-core finds no violation in light, dark and forced colours, and nothing is too wide.

    Nor does anything shift while a page fills, and it weighs at most 60 kB.
    """
    async with all_pages(club, game, browser, **size) as (tab, paths):
        page = tab.page
        await page.add_init_script(SHIFTS)
        async for path in paths:
            await page.wait_for_load_state("networkidle")
            assert await page.evaluate("window.shifted") < 0.05, path
            assert await page.evaluate(WEIGHT) < 60_000, path
            assert await page.evaluate(FITS), path
            if size is DESK:
                assert await barriers(page) == [], path
                await page.emulate_media(forced_colors="active")
            else:
                await page.emulate_media(color_scheme="dark")
            assert await barriers(page, LOOKS) == [], path
            await page.emulate_media(forced_colors="none", color_scheme="light")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_table_is_cut_in_any_language(club: Seen, browser: Browser, language: str) -> None:
    """Words of other languages are longer, and all columns that are shown still fit.

    Nor is the page too wide, and South's first pit is on the left where text begins on the right.
    """
    async with visiting(
        browser, club.url, locale=language, reduced_motion="reduce", **PHONE
    ) as tab:
        for path in ("/", "/analysis", "/bots", "/bots/ann", "/games", "/events"):
            await tab.page.goto(path)
            await expect(tab.page.get_by_role("table").first).to_be_visible()
            for size in (PHONE, DESK):
                await tab.page.set_viewport_size(size["viewport"])
                cut = await tab.page.evaluate(
                    """() => [...document.querySelectorAll('.scroll')]
                    .filter((each) => each.scrollWidth > each.clientWidth)
                    .map((each) => each.getAttribute('aria-label'))"""
                )
                assert cut == [], path
                assert await tab.page.evaluate(FITS), path
        await tab.page.goto("/analysis")
        pits = await tab.page.locator("button.pit[style*='top: 50%']").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().x)"
        )
        assert len(pits) == 6
        assert pits == sorted(pits)


async def test_all_words_of_the_pages_are_of_the_catalogue(
    club: Seen, game: Game, browser: Browser
) -> None:
    """In a language of brackets, no word stands outside of them but names and times."""
    async with all_pages(club, game, browser, reduced_motion="reduce") as (tab, paths):
        await in_brackets(tab.page)
        async for path in paths:
            assert await bare_words(tab.page) <= DATA, path


CAUSES: Final = (
    *("ann to connect", "ann to accept", "a bot to seek the same", "ann to seek the same"),
    "a place of ann; challenges that wait for one: 3",
    *("its present match to end", "its pause to end", "its matches elsewhere to end"),
    *("a new opponent, or a rematch", "the other bot to be free", "another bot to join"),
    "an opponent; guests and bots with a token play apart here",
    *("one of 2 other bots to be free", "another match of ann to end", "a free board"),
    *("the event to begin", "the organiser to resume the event", "round 2 to be paired"),
    *("round 2 to end", "round 2 to end, if it is not out then"),
    "round 2 to be paired, if the arena is not over then",
    "the organiser: the season main is over",
    "the organiser: the ladder main is closed: lab",
    "the organiser: the ladder main is paused",
)
"""What the server says that a bot waits for; each sentence of it in each of its forms."""


async def test_what_a_bot_waits_for_is_of_the_catalogue(club: Seen, browser: Browser) -> None:
    """Each cause that the server names has its words in the reader's language."""
    async with visiting(browser, club.url, reduced_motion="reduce") as tab:
        await in_brackets(tab.page)
        await tab.page.goto("/bots/ann")
        told = await tab.page.evaluate(
            """async ([module, causes]) => {
                const { waitsFor } = await import(module); return causes.map(waitsFor); }""",
            [await tab.module("next_match.js"), list(CAUSES)],
        )
    bare = [each for each in told if not each.startswith("\u27e8")]
    assert bare == []


WALLS: Final = ((1920, 1080), (1280, 800), (1024, 768))


@pytest.mark.parametrize("size", WALLS, ids=lambda size: f"{size[0]} by {size[1]}")
async def test_a_wall_shows_all_of_a_large_event_in_turn(
    club: Seen, game: Game, browser: Browser, size: tuple[int, int]
) -> None:
    """A projector is not scrolled: nothing lies beyond its edges, and each bot comes up."""
    names = [f"bot-{number:02}-of-the-last-class" for number in range(33)]
    event = await club.api("/events/cup")
    met = [*zip(names[::2], names[1::2], strict=False)]
    played = [
        {"number": 0, "winner": winner, "margin": 0, "reason": "normal", "game": None, "voids": 0}
        for winner in (0, None)
    ]
    large = event | {
        "state": "playing",
        "round": 3,
        "entrants": [event["entrants"][0] | {"name": name} for name in names],
        "rounds": [
            {
                "number": 3,
                "encounters": [
                    {
                        "first": one,
                        "second": two,
                        "games": [each | {"first": one, "second": two} for each in played],
                    }
                    for one, two in met
                ],
                "byes": names[-1:],
            }
        ],
        "boards": [game] * 4,
    }

    async def answer(route: Route) -> None:
        await route.fulfill(json=large)

    width, height = size
    options = {"viewport": {"width": width, "height": height}}
    async with visiting(browser, club.url, **options) as tab:
        page = tab.page
        await page.clock.install()
        await page.route("**/api/v1/events/cup", answer)
        await page.goto("/events/cup/projector")
        await expect(page.get_by_role("table", name="Entrants")).to_be_visible()
        missing = {*names}
        paired = page.get_by_role("table", name="Round 3")
        for _look in range(2 * len(names)):
            if not missing:
                break
            await page.clock.run_for(5000)
            await expect(paired.get_by_text("1.5 : 0.5").first).to_be_visible()
            shown = await page.locator(".halves section:first-child td.name").all_inner_texts()
            missing -= {*shown}
            beyond = await page.evaluate(
                "[document.documentElement.scrollWidth - innerWidth,"
                " document.documentElement.scrollHeight - innerHeight]"
            )
            assert max(beyond) <= 0
        assert not missing
        assert tab.complaints == []


@pytest.mark.parametrize("path", OUTLINES)
async def test_a_screen_reader_finds_its_way(game: Game, reader: Page, path: str) -> None:
    """Headings, regions, names and states of the main pages are as they were written down."""
    outline = OUTLINES[path]
    for kind in ("game", "match"):
        path, outline = (text.replace(f"{{{kind}}}", game[kind]) for text in (path, outline))
    await reader.goto(path)
    await expect(reader.locator("body")).to_match_aria_snapshot(outline)


async def test_a_board_in_forced_colours_has_those_of_the_reader(
    club: Seen, game: Game, browser: Browser
) -> None:
    """Wood and pits are the ground, seeds and edges the text; what was played is highlighted."""
    async with visiting(browser, club.url, **DESK, forced_colors="active") as tab:
        await tab.page.goto(f"/games/{game['game']}/1")
        await said(tab.page, "sows pit")
        found = await tab.page.evaluate(
            """() => { const system = (name) => { document.body.style.color = name;
                return getComputedStyle(document.body).color; };
            const paint = (mark, kind) => getComputedStyle(document.querySelector(mark))[kind];
            return [[paint('.board .wood', 'fill'), system('Canvas')],
                [paint('.board .hole', 'fill'), system('Canvas')],
                [paint('.board .hole', 'stroke'), system('CanvasText')],
                [paint('.board .seed', 'fill'), system('CanvasText')],
                [paint('.board .count', 'fill'), system('CanvasText')],
                [paint('.board .last .ring', 'stroke'), system('Highlight')]]; }"""
        )
        assert [mine for mine, _ in found] == [system for _, system in found]


async def test_labels_on_a_phone_can_be_read(club: Seen, game: Game, browser: Browser) -> None:
    """No text of the board is smaller than 11 pixels at 390 pixels width."""
    async with visiting(browser, club.url, **PHONE) as tab:
        await tab.page.goto(f"/games/{game['game']}")
        await said(tab.page, "The opening.")
        smallest = await tab.page.evaluate(
            """() => { const board = document.querySelector('.board');
            const scale = board.getBoundingClientRect().width / board.viewBox.baseVal.width;
            return Math.min(...[...board.querySelectorAll('text')]
                .map((each) => scale * parseFloat(getComputedStyle(each).fontSize))); }"""
        )
        assert smallest >= 11


async def test_names_are_text_whatever_they_look_like(visit: Tab) -> None:
    """An address that holds markup shows it as letters, and runs nothing."""
    await visit.page.goto("/bots/%3Cimg%20src=x%20onerror=alert(1)%3E")
    await expect(visit.page.get_by_role("heading", level=1)).to_have_text("Not found")
    await expect(visit.page.locator("main img")).to_have_count(0)
    visit.complaints.clear()  # the browser notes the 404, as it should


async def test_addresses_of_earlier_versions_still_lead_there(visit: Tab) -> None:
    """They had the page after ``#``."""
    await visit.page.goto("/#/bots/ann")
    await expect(visit.page.get_by_role("heading", level=1)).to_contain_text("ann")


async def test_the_pages_rules_are_the_referees(visit: Tab) -> None:
    """On random games of many variants, each sowing has the same effect."""
    rng = random.Random(seed())
    games = [random_game(rng) for _ in range(20)]
    await visit.page.goto("/")
    differences = await visit.page.evaluate(
        """async ([module, games]) => { const rules = await import(module); let wrong = [];
        for (const game of games) { let state = game.opening;
            for (const {pit, legal, after, captured, again} of game.moves) {
                const found = rules.sow(state, pit, game.rules);
                const mine = JSON.stringify([rules.legal(state, game.rules), found.state.pits,
                    found.state.stores, found.state.current_player, found.captured, found.again]);
                const theirs = JSON.stringify([legal, after.pits, after.stores,
                    after.current_player, captured, again]);
                if (mine !== theirs) wrong.push([game.rules, mine, theirs]);
                state = found.state; } }
        return wrong; }""",
        [await visit.module("rules.js"), games],
    )
    assert differences == []


async def test_the_pages_story_is_that_of_the_command(visit: Tab) -> None:
    """On random reviews, each loss has the same cause, and the same move lost the game."""
    rng = random.Random(seed())
    reviews = [random_review(rng) for _ in range(200)]
    told = [
        (how_lost(review.plies, loser), review.losing and review.losing.ply)
        for review, loser in reviews
    ]
    assert len({how for how, _ in told}) == len(Lost)
    await visit.page.goto("/ladders")
    found = await visit.page.evaluate(
        """async ([module, reviews]) => { const {howLost, losingMove} = await import(module);
        return reviews.map(([review, loser]) =>
            [howLost(review, loser), losingMove(review, loser)?.ply ?? null]); }""",
        [await visit.module("story.js"), plain(reviews)],
    )
    assert [tuple(each) for each in found] == told


@asynccontextmanager
async def played_out(tmp_path: Path, browser: Browser, event: EventSettings) -> AsyncIterator[Tab]:
    async with seen(tmp_path, event=(event,)) as looking, visiting(browser, looking.url) as tab:
        peers = [await looking.arena.connect() for _ in event.entrants]
        for peer, name in zip(peers, event.entrants, strict=True):
            await peer.hello(name)
            await peer.hear(wire.Welcome)
        await order(looking.server, "event-start", event=event.name)
        await asyncio.gather(*(peer.play_until(wire.Withdrawn) for peer in peers))
        while (await looking.api(f"/events/{event.name}"))["state"] != "finished":
            await looking.api("/events")
        await tab.page.goto(f"/events/{event.name}")
        yield tab
        assert tab.complaints == []


async def test_an_event_shows_what_came_of_its_games(tmp_path: Path, browser: Browser) -> None:
    """Each encounter of a round with its games, which can be followed, and the table."""
    cup = EventSettings(name="cup", format="rr", entrants=("ann", "bob"))
    async with played_out(tmp_path, browser, cup) as tab:
        await expect(tab.page.get_by_role("definition").first).to_have_text("finished")
        played = tab.page.get_by_role("region", name="Round 1").get_by_role("link")
        assert len(await played.filter(has_text=re.compile("won|drawn")).all()) == 2
        table = tab.page.get_by_role("region", name="Standings")
        assert len(await table.get_by_role("row").all()) == 3


async def test_a_knockout_shows_its_bracket(tmp_path: Path, browser: Browser) -> None:
    """Who has no opponent at first goes on; level games are replayed within their stage."""
    cup = EventSettings(name="cup", format="knockout", entrants=("ann", "bob", "cid"))
    async with played_out(tmp_path, browser, cup) as tab:
        bracket = tab.page.get_by_role("region", name="Bracket")
        await expect(bracket.get_by_role("heading")).to_have_text(["Stage 1", "Final"])
        first, final = await bracket.locator("ol > li").all()
        await expect(first.get_by_role("listitem").first).to_have_text("ann bye")
        finalists = await final.get_by_role("link").all_inner_texts()
        assert finalists[0] == "ann"
        assert finalists[1] in {"bob", "cid"}


async def test_an_event_says_which_games_were_lost_on_time(visit: Tab) -> None:
    """In its rounds, in its bracket and on small boards; a champion by the clock is no surprise."""
    await visit.page.goto("/")
    told = await visit.page.evaluate(
        """async ([events, board]) => {
        const { round, bracket } = await import(events);
        const { small } = await import(board);
        const game = { first: "ann", second: "bob", winner: 0, reason: "timeout", game: "g" };
        const paired = { number: 1, byes: [], encounters: [{ ...game, games: [game] }] };
        const found = { format: "knockout", state: "finished", round: 1, rounds: [paired],
            standings: [{ name: "ann" }, { name: "bob" }] };
        const record = { game: "g", players: [{ name: "ann" }, { name: "bob" }], moves: [],
            rules: { pits: 1, seeds: 1, capture: "opposite" }, result: { stores: [1, 0], ...game },
            opening: { pits: [[1], [1]], stores: [0, 0], current_player: 0 } };
        const shown = [round(found, paired), bracket(found), small(record)];
        return shown.map((each) => /out\\sof\\stime/.test(each.textContent)); }""",
        [await visit.module("events.js"), await visit.module("small_board.js")],
    )
    assert told == [True, True, True]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"reason": "arbiter", "note": "an exam"}, "drawn, set by the organiser: an exam"),
        ({"reason": "absent"}, "not played"),
        ({"reason": "normal", "annulled": True}, "annulled"),
    ],
)
async def test_a_game_without_a_winner_is_drawn_where_it_has_a_result(
    visit: Tab, how: dict[str, Any], told: str
) -> None:
    """The organiser may set a draw; two absent players both lose."""
    await visit.page.goto("/")
    shown = await visit.page.evaluate(
        """async ([module, how]) => {
        const { round } = await import(module);
        const names = { first: "ann", second: "bob" };
        const met = { ...names, games: [{ ...names, winner: null, ...how }] };
        const paired = { number: 1, byes: [], encounters: [met] };
        return round({ format: "swiss" }, paired).querySelector("td.wraps").textContent; }""",
        [await visit.module("events.js"), how],
    )
    assert shown == told


async def test_the_page_knows_all_rules_and_refuses_others(visit: Tab) -> None:
    """Its names, values and presets are those of the referee; a rule that it lacks is an error."""
    await visit.page.goto("/")
    known, presets, read, text, refused = await visit.page.evaluate(
        """async ([module, texts, rules]) => { const page = await import(module);
        const {PRESETS, ...notation} = await import(texts);
        const variants = Object.keys(PRESETS).map((name) => [name, notation.rulesIn(name)]);
        const other = {...rules, backwards: true};
        let refused = "";
        try { page.legal(notation.start(other), other); } catch (error) { refused = error.message; }
        return [page.RULES, Object.fromEntries(variants),
            notation.variantOf(notation.textOf(other)), notation.textOf(rules), refused]; }""",
        [
            await visit.module("rules.js"),
            await visit.module("notation.js"),
            plain(PRESETS["article"]),
        ],
    )
    every = {**PRESETS, **FAMILY, "manchester": MANCHESTER, "oware": OWARE}
    played = {name: plain(rules) for name, rules in every.items()}
    names = set(played["kalah"]) - {"pits", "seeds"}
    assert set(known) == names
    assert {name: values[0] for name, values in known.items()} == {
        name: played["kalah"][name] for name in names
    }
    assert known["capture"] == list(Capture)
    assert presets == played
    assert read is None
    assert Rules.parse(text) == PRESETS["article"]
    assert refused == "This page does not know the rules backwards"


def random_game(rng: random.Random) -> dict[str, Any]:
    pits = rng.randint(1, 8)
    seeds = rng.randint(1, 127 // pits)
    rules = Rules(
        pits=pits,
        seeds=seeds,
        capture=rng.choice(list(Capture)),
        relap=rng.random() < 0.5,
        majority=rng.random() < 0.5,
        **{name: rng.random() < 0.3 for name in FAMILY_RULES},
    )
    if rng.random() < 0.2:
        rules = Rules(pits=pits, seeds=seeds, oware=True)
    if is_vain := rng.random() < 0.03:
        rules = Rules(pits=16, seeds=3, oware=True)
    board, moves = Board.start(rules), []
    while legal := board.legal():
        quiet = [pit for pit in legal if is_vain and not board.sow(pit).captured]
        pit = rng.choice(quiet or legal)
        sowing = board.sow(pit)
        moves.append(
            {
                "pit": pit,
                "legal": legal,
                "after": plain(sowing.board.state),
                "captured": sowing.captured,
                "again": sowing.again,
            }
        )
        board = sowing.board
    opening = plain(Board.start(rules).state)
    return {"rules": plain(rules), "opening": opening, "moves": moves}


def random_review(rng: random.Random) -> tuple[GameReview, int]:
    plies = rng.randint(0, 5)
    players = [rng.randrange(2) for _ in range(plies)]
    values = [rng.choice((-4.0, -0.5, 0.0, 6.0)) for _ in range(plies)]
    boards = [Board(KALAH, ((1,) * 6, (1,) * 6), (20, 16), player) for player in players]
    found = []
    for ply, (player, best) in enumerate(zip(players, values, strict=True)):
        worse = best + rng.choice((0.0, 2.0, 8.0)) * (2 * player - 1)
        depth = rng.choice((None, 5))
        moves = (wire.MoveValue(0, worse, depth), wire.MoveValue(1, best, depth))
        found.append(wire.Assessment(ply=ply, moves=moves, line=(1,), depth=depth))
    loser = rng.randrange(2)
    return compose(
        ReviewedGame("g", boards, [0] * plies, loser), ReviewWork(found, 1, "t", 0)
    ), loser


def plain(value: object) -> Any:  # noqa: ANN401  # JSON
    return json.loads(codec.to_json(value))


async def review_of(club: Seen, game: str) -> bytes:
    """Return a review in which the loser loses the game by one move."""
    record = codec.from_json((await club.get(f"/api/v1/games/{game}")).content, GameRecord)
    boards = list(replay(record))
    loser = 0
    worst = next(
        ply
        for ply, board in enumerate(boards)
        if ply > 3 and board.player == loser and len(board.legal()) > 1
    )
    assessments = []
    for ply, (board, move) in enumerate(zip(boards, record.moves, strict=False)):
        value = 4.0 if ply <= worst else -2.0
        best = move.pit
        if ply == worst:
            best = next(pit for pit in board.legal() if pit != move.pit)
        values = tuple(
            wire.MoveValue(pit, -2.0 if pit == move.pit and ply == worst else value)
            for pit in board.legal()
        )
        assessments.append(wire.Assessment(ply=ply, moves=values, line=(best,)))
    played_game = ReviewedGame(
        game, boards[: len(record.moves)], [move.pit for move in record.moves], loser
    )
    work = ReviewWork(assessments=assessments, version=1, engine="test", seconds=1.0)
    return codec.to_json(compose(played_game, work))


async def put_review(page: Page, game: str, review: bytes) -> None:
    async def answer(route: Route) -> None:
        response = await route.fetch()
        own = re.escape(f'"/games/{game}/review":')
        body, found = re.subn(
            own + r'\{"error":\{[^}]*\}\}',
            lambda _: f'"/games/{game}/review":{review.decode()}',
            await response.text(),
        )
        assert found == 1
        await route.fulfill(response=response, body=body)

    await page.route(re.compile(rf"/games/{game}(/[0-9]+)?(\?embed)?$"), answer)


async def with_token(looking: Seen, name: str) -> Peer:
    token = await looking.server.store.run(issue, name, "2026-11-21T12:00:00.000+00:00")
    peer = await looking.arena.connect()
    await peer.hello(name, token=token)
    await peer.hear(wire.Welcome)
    await peer.say(wire.Seek(games=1))
    await peer.hear(wire.Seeking)
    return peer
