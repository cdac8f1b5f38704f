"""Playing in the browser: against a bot of the server, with keys, mouse and over a reload."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, WebSocketRoute, expect

from mancala.protocol import messages as wire
from mancala.protocol.clock import TimeControl
from mancala.server.store.rows.tokens import issue
from mancala.server.web.languages import LANGUAGES
from tests.patience import PATIENCE_S
from tests.seeds import seed
from tests.server.peers import Peer
from tests.server.web.browser import Tab, barriers, visiting
from tests.server.web.seen import Seen, seen

NOTICES: Final = """globalThis.Notification = class {
    static permission = 'granted'; static requestPermission = async () => 'granted';
    constructor(_title, {body}) { document.documentElement.dataset.notice = body; } };"""
MARKS: Final = (".scroll", ".scroll, td.name")
BEYOND: Final = """(mark) => Math.max(...[...document.querySelectorAll(mark)]
    .map((each) => each.scrollWidth - each.clientWidth))"""
LIT: Final = "button.pit[aria-disabled=false]"

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def take_challenges(peer: Peer, answer: Callable[[wire.Turn], wire.Message]) -> None:
    while True:
        message = await peer.hear(wire.Message)
        if isinstance(message, wire.Challenged):
            await peer.say(wire.Accept(message.challenge))
        elif isinstance(message, wire.Turn):
            await peer.say(answer(message))


def at_random() -> Callable[[wire.Turn], wire.Move]:
    rng = random.Random(seed())
    return lambda turn: wire.Move(turn.game, turn.ply, rng.choice(turn.legal))


async def analyse(page: Page, **found: object) -> None:
    """Have the server's analyst find that."""
    await page.route("**/api/v1/analysis?**", lambda route: route.fulfill(body=json.dumps(found)))


@asynccontextmanager
async def at_play(folder: Path, browser: Browser) -> AsyncIterator[tuple[Seen, Tab]]:
    async with (
        seen(folder) as club,
        visiting(browser, club.url, reduced_motion="reduce") as visit,
        asyncio.TaskGroup() as tasks,
    ):
        rob = await club.arena.connect()
        await rob.say(wire.Hello(wire.VERSION, "rob", challenges=True))
        await rob.hear(wire.Welcome)
        playing = tasks.create_task(take_challenges(rob, at_random()))
        yield club, visit
        playing.cancel()
        assert visit.complaints == []


async def begin(page: Page, *, second: bool = False, house: bool = False) -> None:
    await page.goto("/play")
    if house:
        await expect(page.locator("option[data-house]")).to_have_count(1)
    if second:
        await page.get_by_role("combobox", name="Side").select_option("1")
    await page.get_by_label("Your name").fill("eve")
    await page.get_by_role("button", name="Play").press("Enter")
    await expect(page.get_by_role("heading", name="eve against rob")).to_be_visible()


async def lit(page: Page) -> list[str]:
    await expect(page.locator(".said")).to_contain_text("Your turn.")
    pits = page.locator(LIT)
    await expect(pits).not_to_have_count(0)
    return [await pit.get_attribute("aria-label") or "" for pit in await pits.all()]


async def test_a_person_plays_a_game_by_keyboard_over_a_reload(
    tmp_path: Path, browser: Browser
) -> None:
    """Keys sow, a reload takes the seat back, and the end is shown with the way to the review.

    Who asks for notices gets them while the page is hidden.
    """
    async with at_play(tmp_path, browser) as (club, visit):
        page = visit.page
        await page.add_init_script(NOTICES)
        await begin(page)
        ended = page.get_by_role("button", name="Rematch")
        for turn in range(200):
            await expect(ended.or_(page.locator(LIT).first)).to_be_visible()
            if await ended.is_visible():
                break
            pits = await lit(page)
            if turn == 2:
                await page.reload()
                assert await lit(page) == pits
                await expect(page.locator(".rings span")).to_have_text(["can be sown"])
                assert await barriers(page) == []
                await page.get_by_label("Notices").check()
                hide = "Object.defineProperty(document, 'hidden', {value: true})"
                await page.evaluate(hide)
            await page.keyboard.press(pits[0].split()[2].strip(","))
        await expect(page.locator(".said")).to_contain_text(" : ")
        await expect(page.locator("html")).to_have_attribute("data-notice", re.compile(" : "))
        (game,) = (await club.api("/games"))["games"]
        assert (game["players"], game["rated"], game["reason"]) == (["eve", "rob"], False, "normal")
        await page.get_by_role("link", name="The game and its review").click()
        await expect(page).to_have_url(f"{club.server.http_url}/games/{game['game']}")


async def test_how_it_is_played_follows_the_rules_that_are_chosen(
    tmp_path: Path, browser: Browser
) -> None:
    """The text and the board; a board of 49 seeds and Kalah's rules stood beside each choice."""
    async with at_play(tmp_path, browser) as (_, visit):
        page, told = visit.page, {}
        heading = page.get_by_role("heading", name="How it is played")
        how = page.locator("section.card").filter(has=heading)
        await page.goto("/play?rules=kalah:oware%3Dtrue")
        for rules in ("Oware", "Avalanche", "Congkak", "Mangala", "Kalah(6, 4)"):
            await page.get_by_role("combobox", name="Rules").select_option(label=rules)
            told[rules] = await how.locator(".rules").inner_text()
            shown = await how.locator(".board").get_attribute("aria-label") or ""
            seeds = sum(map(int, re.findall(r"[0-9]+", shown)))
            assert seeds == (98 if rules == "Congkak" else 48)
        assert "two or three" in told["Oware"]
        assert "your store, you move again" not in told["Oware"]
        assert "No seeds are captured" in told["Avalanche"]
        assert "sown on" in told["Congkak"]
        assert "even" in told["Mangala"]
        assert "sown on" not in told["Kalah(6, 4)"]


async def test_without_motion_the_sentence_of_ones_move_can_be_read(
    tmp_path: Path, browser: Browser
) -> None:
    """It stands for half a second at least; the opponent's stood there after a thirtieth."""
    async with at_play(tmp_path, browser) as (_, visit):
        page = visit.page
        await begin(page)
        first = (await lit(page))[0]
        await page.evaluate(
            """() => { const said = document.querySelector('.said'); window.told = [];
            new MutationObserver(() => window.told.push([performance.now(), said.textContent]))
                .observe(said, {childList: true, characterData: true, subtree: true}); }"""
        )
        await page.get_by_role("button", name=first, exact=True).click()
        await expect(page.locator(".said")).to_contain_text("rob sows")
        told = await page.evaluate("window.told")
        own = next(time for time, text in told if text.startswith("You sow"))
        assert next(time for time, text in told if text.startswith("rob sows")) - own >= 500


async def test_a_hint_shows_the_best_move(tmp_path: Path, browser: Browser) -> None:
    """It comes from the server's analyst, in words and as an arrow."""
    async with at_play(tmp_path, browser) as (_, visit):
        await analyse(visit.page, best=2, value=8.0, proven=True)
        await begin(visit.page)
        await lit(visit.page)
        await visit.page.get_by_role("button", name="Hint").click()
        await expect(visit.page.get_by_text("Hint: pit 3, +8 for you, proven.")).to_be_visible()
        await expect(visit.page.locator(".arrow.best")).to_have_count(1)


async def test_why_tells_what_the_last_move_was_worth(tmp_path: Path, browser: Browser) -> None:
    """Against the best move, and with what that would have brought."""
    moves = [{"pit": pit, "value": float(2 * pit), "proven": True} for pit in range(6)]
    async with at_play(tmp_path, browser) as (_, visit):
        await analyse(visit.page, best=2, value=8.0, proven=True, moves=moves)
        await begin(visit.page)
        await lit(visit.page)
        await visit.page.keyboard.press("1")
        await visit.page.get_by_role("button", name="Why?").click()
        await expect(visit.page.get_by_role("button", name="Take back")).to_be_hidden()
        told = "Your pit 1 is worth 0 for you, pit 3 was worth +8: pit 3 moved again (proven)."
        await expect(visit.page.get_by_text(told)).to_be_visible()


async def test_a_move_against_a_house_bot_is_taken_back(tmp_path: Path, browser: Browser) -> None:
    """The person is to move again in the same position, and may go back further."""
    async with at_play(tmp_path, browser) as (club, visit):
        page = visit.page
        back = page.get_by_role("button", name="Take back")
        await page.route("**/api/v1/opponents", at_home)
        await begin(page, house=True)
        before = [await lit(page)]
        for _ in range(2):
            await page.keyboard.press(before[-1][0].split()[2].strip(","))
            before.append(await lit(page))
        for pits in reversed(before[:-1]):
            await back.press("Enter")
            await expect(page.locator(LIT)).to_have_count(len(pits))
            assert await lit(page) == pits
        await expect(back).to_be_hidden()
        await expect(page.get_by_role("heading", level=1)).to_be_focused()
        games = (await club.api("/games"))["games"]
        assert [game["reason"] for game in games[:3]] == [None, "resigned", "resigned"]


async def at_home(route: Route) -> None:
    response = await route.fetch()
    body = (await response.text()).replace('"house":false', '"house":true')
    await route.fulfill(response=response, body=body)


async def test_a_position_is_played_out(tmp_path: Path, browser: Browser) -> None:
    """The analysis board leads there; the opponent may have the first move."""
    async with at_play(tmp_path, browser) as (_, visit):
        page = visit.page
        await page.route("**/api/v1/analysis?**", lambda route: route.abort())
        await page.goto("/analysis?board=<2,1,0,0,3,2,0>&rules=kalah")
        await page.get_by_role("link", name="Play it out").click()
        await expect(page.get_by_role("img", name="First: pits 0, 3")).to_be_visible()
        await page.get_by_label("Your name").fill("eve")
        await page.get_by_role("button", name="Play").press("Enter")
        assert await lit(page) == ["Your pit 2, 3 seeds"]
        visit.complaints.clear()


async def test_a_lost_connection_is_told_immediately(tmp_path: Path, browser: Browser) -> None:
    """And the line is gone when the connection is back."""
    async with at_play(tmp_path, browser) as (_, visit):
        await begin(visit.page)
        await lit(visit.page)
        await visit.page.context.set_offline(True)
        away = visit.page.get_by_text("This device is offline")
        await expect(away).to_be_visible(timeout=1000 * PATIENCE_S)
        await visit.page.context.set_offline(False)
        await expect(away).to_have_count(0)
        visit.complaints.clear()


async def test_the_other_side_a_resignation_and_a_rematch(tmp_path: Path, browser: Browser) -> None:
    """The opponent begins; after a resignation the rematch has the sides swapped."""
    async with at_play(tmp_path, browser) as (club, visit):
        page = visit.page
        await begin(page, second=True)
        assert all(name.startswith("Your pit ") for name in await lit(page))
        assert (await page.title()).startswith("● Your turn")
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("button", name="Play on").click()
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("button", name="Yes, resign").click()
        await expect(page.locator(".said")).to_contain_text("You lose: you resigned.")
        await expect(page.locator(".ending")).to_have_text("You lose.")
        await expect(page.locator("[aria-label^='Your pit 1, ']")).to_have_count(1)
        await expect(page.get_by_role("button", name="Rematch")).to_be_focused()
        await page.get_by_role("button", name="Rematch").click()
        pits = await lit(page)
        assert pits[0] == "Your pit 1, 4 seeds"
        await page.locator(LIT).nth(1).click()
        await expect(page.locator(".said")).to_contain_text("sow")
        games = (await club.api("/games"))["games"]
        assert [game["players"] for game in games] == [["eve", "rob"], ["rob", "eve"]]


def with_a_ghost(gone: asyncio.Event, route: WebSocketRoute) -> None:
    """Let one challenge the page's guest as soon as it is there, and be gone before the answer.

    The event says that the server answered so.
    """
    ghost = {"type": "challenged", "challenge": "gone", "by": "ghost", "to": "eve", "seat": 0}
    ghost |= {"rules": {"pits": 6, "seeds": 3}, "rated": False, "games": 1}
    ghost |= {"clock": {"move_ms": 300_000, "timeout": "forfeit"}, "code": "7"}
    server = route.connect_to_server()

    def pass_on(frame: str | bytes) -> None:
        route.send(frame)
        match json.loads(frame)["type"]:
            case "welcome":
                gone.clear()
                route.send(json.dumps(ghost))
            case "error":
                gone.set()

    server.on_message(pass_on)


async def join(child: Page, code: str, name: str) -> None:
    await child.goto("/league")
    await child.get_by_label("Code").fill(f" {code.upper()}")
    await child.get_by_role("button", name="Join").press("Enter")
    await child.get_by_label("First name").fill(name)
    await child.get_by_role("button", name="Play").press("Enter")


async def test_a_child_who_waits_alone_is_offered_a_level(tmp_path: Path, browser: Browser) -> None:
    """As where the others of a class of an odd number play: the easiest one, chosen beforehand."""
    pip = {"opponents": [{"name": "level-1", "agent": None, "house": True}]}
    async with at_play(tmp_path, browser) as (_, visit):
        await visit.page.route("**/api/v1/opponents", lambda route: route.fulfill(json=pip))
        await join(visit.page, "fox", "Mia")
        await visit.page.get_by_role("button", name="Level 1, Pip").click()
        opponents = visit.page.get_by_role("combobox", name="Opponent")
        await expect(opponents).to_have_value("level-1")


async def test_a_class_plays_in_a_league_by_a_code(tmp_path: Path, browser: Browser) -> None:
    """Children come by the code, under first names, and meet those who wait; the wall has a table.

    One who does not answer holds up none. Others are not offered them, and a game in the league has
    no hints, and begins as all do. The table says who won, and is not cut in any language.
    """
    async with (
        at_play(tmp_path, browser) as (club, teacher),
        visiting(browser, club.url, reduced_motion="reduce") as one,
        visiting(browser, club.url, reduced_motion="reduce") as other,
    ):
        wall = teacher.page
        await wall.set_viewport_size({"width": 1280, "height": 720})
        await wall.goto("/league")
        await wall.get_by_role("link", name="Make a code").click()
        code = await wall.locator("strong").inner_text()
        silent = await club.arena.connect()
        await silent.say(
            wire.Hello(wire.VERSION, f"{code}.Al", None, wire.Agent("page", "1"), challenges=True)
        )
        await silent.hear(wire.Welcome)
        await club.play(f"{code}.ShitHead", "wal")
        for child, name in ((one.page, "Zoë Ł"), (other.page, "Ben")):
            await child.clock.install()
            await join(child, code, name)
            await expect(child.locator(".said")).not_to_have_text("Connecting …")
        for _look in range(20):
            if await one.page.locator(".player").first.inner_text():
                break
            for child in (one.page, other.page):
                await child.clock.run_for(3000)
        await expect(one.page.get_by_role("heading", name="Zoe-L against Ben")).to_be_visible()
        await expect(other.page.get_by_role("heading", name="Ben against Zoe-L")).to_be_visible()
        await expect(one.page.get_by_role("button", name="Hint")).to_be_hidden()
        await one.page.get_by_role("button", name="Resign").click()
        await one.page.get_by_role("button", name="Yes, resign").click()
        await expect(other.page.locator(".ending")).to_have_text("You win!")
        rows = wall.get_by_role("table", name="Standings").locator("tbody tr")
        await expect(rows).to_have_text(["1Ben1", "2Zoe-L0"])
        ended = wall.get_by_role("table", name="Games").locator("tbody tr")
        await expect(ended).to_contain_text("resigned")
        await expect(ended.locator("strong")).to_have_text("Ben")
        latest = (await club.api("/games"))["games"][0]
        level = latest | {
            "status": "running",
            "winner": None,
            "stores": None,
            "players": [f"{code}.Ben", "level-8"],
        }
        await wall.route(
            "**/api/v1/games?status=running*",
            lambda route: route.fulfill(json={"games": [level], "next": None}),
        )
        for language in LANGUAGES:
            await wall.goto(f"/league/{code}?lang={language}")
            await expect(wall.locator(".halves tbody tr")).to_have_count(4)
            assert await wall.evaluate(BEYOND, MARKS[language == "en"]) <= 0, language
        await one.page.get_by_role("button", name="Another opponent").click()
        opponents = one.page.get_by_role("combobox", name="Opponent")
        await expect(opponents).to_have_text("A classmate")
        await one.page.goto(f"/play?league={code}&board=%3C2,40,6,0,1,1,0%3E&seat=1")
        await expect(opponents).to_have_text("A classmate")
        await expect(one.page.locator("form .board")).to_have_count(0)
        await one.page.goto("/play")
        field = one.page.get_by_label("Your name")
        for name, why in ((f"{code}.Hints", "A code and a dot"), ("محمد", "Write the name")):
            await field.fill(name)
            await field.press("Enter")
            assert why in await field.evaluate("(e) => e.validationMessage")


async def test_a_friend_comes_by_a_link(tmp_path: Path, browser: Browser) -> None:
    """With the rules and the side that the host chose; others are not offered the host.

    One with other terms, or without the link's code, is declined, and who is gone before the game
    leaves the link open. It stays the same when the host's page is loaded again.
    """
    async with (
        at_play(tmp_path, browser) as (club, visit),
        visiting(browser, club.url, reduced_motion="reduce") as friend,
    ):
        host, guest = visit.page, friend.page
        gone = asyncio.Event()
        await host.route_web_socket(re.compile("^ws"), partial(with_a_ghost, gone))
        await host.add_init_script("crypto.getRandomValues = (numbers) => numbers.fill(7)")
        await host.goto("/play")
        await host.get_by_role("combobox", name="Opponent").select_option("A friend, by a link")
        await host.get_by_role("combobox", name="Rules").select_option("Kalah(6, 3)")
        await host.get_by_role("combobox", name="Side").select_option("1")
        await host.get_by_label("Your name").fill("eve")
        await host.get_by_role("button", name="Play").press("Enter")
        await expect(host.locator(".said")).to_contain_text("waits for you. Send this link")
        target = await host.locator(".said a").get_attribute("href")
        assert target is not None
        await host.goto("/play?opponent=rob")
        await expect(host.get_by_role("combobox", name="Opponent")).to_have_value("rob")
        await host.goto("/play?lang=en")
        await expect(host.locator(".said a")).to_have_attribute("href", target)
        await gone.wait()
        stranger = await club.arena.connect()
        await stranger.say(wire.Hello(wire.VERSION, "cat"))
        await stranger.hear(wire.Welcome)
        clock = TimeControl(300_000)
        for wanted in (
            wire.Challenge("eve", "kalah:seeds=3", clock, rated=False, games=2),
            wire.Challenge("eve", "kalah", clock, rated=False, games=1),
            wire.Challenge("eve", "kalah:seeds=3", clock, rated=False, games=1, seat=1),
            wire.Challenge("eve", "kalah:seeds=3", clock, rated=False, games=1),
            wire.Challenge("eve", "kalah:seeds=3", clock, rated=False, games=1, code="guessed"),
        ):
            await stranger.say(wanted)
            assert (await stranger.hear(wire.Error)).message == "the link has other terms"
        await guest.goto("/play")
        await expect(guest.locator("option[value=rob]")).to_have_count(1)
        await expect(guest.locator("option[value=eve]")).to_have_count(0)
        await guest.goto("/play?opponent=gus")
        await expect(guest.get_by_role("combobox", name="Opponent")).to_have_value("gus")
        await expect(guest.get_by_text("gus (has left)")).to_have_count(1)
        await guest.goto(target)
        await expect(guest.get_by_role("combobox", name="Opponent")).to_have_value("eve")
        await guest.get_by_label("Your name").fill("fay")
        await guest.get_by_role("button", name="Play").press("Enter")
        await expect(host.get_by_role("heading", name="eve against fay")).to_be_visible()
        assert (await lit(guest))[0] == "Your pit 1, 3 seeds"
        await guest.get_by_role("button", name="Resign").click()
        await guest.get_by_role("button", name="Yes, resign").click()
        await expect(host.locator(".ending")).to_have_text("You win!")
        await expect(host.get_by_role("button", name="Rematch")).to_be_hidden()
        await guest.get_by_role("button", name="Rematch").click()
        assert (await lit(host))[0] == "Your pit 1, 3 seeds"


async def test_a_level_is_beaten_without_a_hint(tmp_path: Path, browser: Browser) -> None:
    """Once a reload made the hint forgotten, and a stranger with a level's name counted."""
    async with at_play(tmp_path, browser) as (club, visit), asyncio.TaskGroup() as tasks:
        page, peer = visit.page, await club.arena.connect()
        token = await club.server.store.run(issue, "level-3", "2026-11-21T12:00:00.000+00:00")
        await peer.say(wire.Hello(wire.VERSION, "level-3", token, challenges=True))
        await peer.hear(wire.Welcome)
        resigning = tasks.create_task(take_challenges(peer, lambda turn: wire.Resign(turn.game)))
        await analyse(page, best=0, value=8.0, proven=True)
        first = "You win! Level 3, Clover beaten for the first time!"
        for is_house, is_helped, told in (
            (False, False, "You win!"),
            (True, True, "You win!"),
            (True, False, first),
        ):
            if is_house:
                await page.route("**/api/v1/opponents", at_home)
            await page.goto("/play")
            level = page.locator(f"option[value=level-3]{'[data-house]' * is_house}")
            await expect(level).to_have_count(1)
            await page.locator("[name=opponent]").select_option("level-3")
            await page.get_by_label("Your name").fill("eve")
            await page.get_by_role("button", name="Play").press("Enter")
            await lit(page)
            if is_helped:
                await page.get_by_role("button", name="Hint").click()
                await expect(page.get_by_text("Hint: pit 1")).to_be_visible()
                await page.reload()
                await lit(page)
            await page.keyboard.press("1")
            await expect(page.locator(".ending")).to_have_text(told)
        resigning.cancel()


async def test_a_device_keeps_what_its_reader_beat_and_paid(
    tmp_path: Path, browser: Browser
) -> None:
    """Levels once each, and the three moves of seven days that cost the most, without a login."""
    async with at_play(tmp_path, browser) as (_club, visit):
        page = visit.page
        await page.goto("/play")
        said = await page.evaluate(
            """async (module) => {
                const own = await import(module);
                const plies = [4, 0, 9, 2, 1].map((loss, ply) =>
                    ({ player: 0, ply, pit: 2, best: 4, loss, loss_proven: true }));
                own.learn("g1", { plies: [...plies, { ...plies[2], player: 1 }] }, 0, "rob");
                own.learn("g1", { plies }, 0, "rob");
                const names = ["level-3", "level-1", "level-3", "rob"];
                const told = names.map((name) => own.beat(name));
                const kept = JSON.parse(localStorage.getItem("mancala.own"));
                kept.costly[0].at -= 8 * 24 * 3600 * 1000;
                localStorage.setItem("mancala.own", JSON.stringify(kept));
                return told; }""",
            await visit.module("own.js"),
        )
        first = "Level {} beaten for the first time!"
        assert said == [first.format("3, Clover"), first.format("1, Pip"), "", ""]
        await page.reload()
        await expect(page.locator(".legend li")).to_have_text(["Level 1, Pip", "Level 3, Clover"])
        moves = page.locator(".dearest a")
        lost = "against rob: pit 3 loses {}, pit 5 was better"
        seeds = ((1, "4 seeds"), (4, "2 seeds"), (5, "1 seed"))
        await expect(moves).to_have_text([f"Move {ply} {lost.format(each)}" for ply, each in seeds])
        assert await moves.first.get_attribute("href") == "/games/g1/1"


async def test_who_wants_to_play_alone_reads_how_it_is(tmp_path: Path, browser: Browser) -> None:
    """Without opponents the page says what would bring some, and a friend can be invited."""
    async with seen(tmp_path) as club, visiting(browser, club.url) as visit:
        await visit.page.goto("/play")
        await expect(visit.page.get_by_text("No opponent is here now.")).to_be_visible()
        assert await barriers(visit.page) == []
        await visit.page.get_by_role("button", name="Play").click()
        await expect(visit.page.locator(".said a")).to_contain_text("/play?opponent=guest-")


async def test_a_refusal_is_in_the_readers_language(tmp_path: Path, browser: Browser) -> None:
    """Of a name that another visitor has; in English it is the server's own sentence."""
    async with at_play(tmp_path, browser) as (_, visit):
        for language, words in (
            ("de", "Dieser Name ist vergeben"),
            ("en", "the name rob is taken"),
        ):
            await visit.page.goto(f"/play?lang={language}")
            await visit.page.locator("[name=name]").fill("rob")
            await visit.page.locator("[name=name]").press("Enter")
            await expect(visit.page.locator(".said")).to_contain_text(words)


async def test_the_form_stays_in_its_card_on_a_phone(tmp_path: Path, browser: Browser) -> None:
    """Once the longest rules made the choices wider than the card."""
    async with at_play(tmp_path, browser) as (_, visit):
        page = visit.page
        await page.set_viewport_size({"width": 390, "height": 844})
        await page.goto("/play")
        chosen = await page.get_by_label("Rules").bounding_box()
        card = await page.locator(".card").first.bounding_box()
        assert chosen is not None
        assert card is not None
        assert chosen["x"] + chosen["width"] < card["x"] + card["width"]


async def test_opponents_come_and_go_while_one_chooses(tmp_path: Path, browser: Browser) -> None:
    """A choice stays what it was: an opponent that has left is named, and cannot be played."""
    async with at_play(tmp_path, browser) as (club, visit):
        await visit.page.goto("/play")
        opponent = visit.page.locator("select[name=opponent]")
        await expect(opponent).to_have_value("rob")
        ann = await club.arena.connect()
        await ann.say(wire.Hello(wire.VERSION, "ann", challenges=True))
        await expect(opponent).to_have_text("annrobA friend, by a link")
        await expect(opponent).to_have_value("rob")
        await opponent.select_option("ann")
        await ann.hang_up()
        await expect(opponent).to_have_text("robA friend, by a linkann (has left)")
        await visit.page.get_by_role("button", name="Play").click()
        assert await opponent.evaluate("it => it.validationMessage") == (
            "ann has left; choose another opponent."
        )
        await opponent.select_option("rob")
        await visit.page.get_by_role("button", name="Play").click()
        await expect(visit.page.get_by_role("heading", level=1)).to_contain_text("against rob")
