"""The page's HTML, files and pictures, as any client gets them."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Match

from mancala.protocol import codec
from mancala.protocol.review import LosingMove, Result
from mancala.protocol.rules import KALAH
from mancala.server.web.api.answers import Answers
from mancala.server.web.languages import LANGUAGES
from mancala.server.web.pages.pages import PAGES, PLUGGED, page_routes, plugged
from mancala.server.web.pages.shell import ROOT, Page, Shell
from mancala.server.web.static import File, files, sent, version_of
from tests.patience import PATIENCE_S
from tests.server.peers import order
from tests.server.web.pages.test_pictures import random_record
from tests.server.web.seen import Seen
from tests.stored import assert_is_stored

pytestmark = pytest.mark.asyncio(loop_scope="module")
COMMENT = re.compile(r"\s*(//|/\*|\*|[^;{}]*\*/$|$)")
"""A line that holds no more than a comment, or a part of one."""


async def latest(played: Seen) -> str:
    game: str = (await played.api("/games?limit=1"))["games"][0]["game"]
    return game


def inside(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.parametrize("path", ["/", "/ladders", "/games", "/bots", "/bots/ann"])
async def test_a_page_carries_the_answers_of_the_api(played: Seen, path: str) -> None:
    """They are what the API says at the same time."""
    answers = inside((await played.get(path)).text)["answers"]
    assert "" in answers
    for address, answer in answers.items():
        assert answer == await played.api(address)


async def test_pages_are_those_that_links_lead_to() -> None:
    """Each with its module, the answers that it carries, and whether others may frame it."""
    lines = [" ".join(f"{key}={fact}" for key, fact in page._asdict().items()) for page in PAGES]
    assert_is_stored("pages.txt", "\n".join(lines))


async def test_a_game_and_each_of_its_positions_have_titles(played: Seen) -> None:
    """A link shared in a chat says what it leads to."""
    game = await latest(played)
    for path, title in {
        f"/games/{game}": "<title>bob against cid · test</title>",
        f"/games/{game}/17": "<title>bob against cid, move 17 · test</title>",
        "/bots/ann": "<title>ann · test</title>",
    }.items():
        assert title in (await played.get(path)).text


async def test_a_page_has_one_address_for_searches_and_a_list_of_them(played: Seen) -> None:
    """Whatever position or language it was opened at; answers and figures are left alone."""
    url, game = played.server.http_url, await latest(played)
    for path, one in {"/": "/", f"/games/{game}/17?lang=de": f"/games/{game}"}.items():
        assert f'<link rel="canonical" href="{url}{one}">' in (await played.get(path)).text
    robots = (await played.get("/robots.txt")).text
    assert "Disallow: /api/\n" in robots
    assert f"Sitemap: {url}/sitemap.xml\n" in robots
    listed = (await played.get("/sitemap.xml")).text
    assert f"<loc>{url}/puzzles</loc>" in listed
    assert "{" not in listed


async def test_a_link_to_a_game_previews_its_turning_point() -> None:
    """The position after the move that lost it, with how it went; a link to a position that one."""
    shell = Shell(files(), PAGES)
    played = random_record(KALAH, 1)
    record = codec.to_json(played)
    losing = LosingMove(16, 0, 3, 2.0, 4, Result.DRAW, proven=True)
    answers = {"/games/g": record, "/games/g/review": codec.to_json({"losing": losing})}
    told = f"live, move {len(played.moves)} ann let the draw go at move 17: pit 4 instead of pit 5."
    plain, at = (page for page in PAGES if page.name == "game")
    for page, given, ply in ((plain, {}, 17), (at, {"ply": "4"}, 4)):
        html = shell.html(page, {"game": "g", **given}, answers, "http://host").decode()
        assert f'content="http://host/games/g/{ply}.png"' in html
        assert html.count(f'description" content="{told}"') == 2
        shown = html.partition("<noscript>")[2].partition("</noscript>")[0]
        assert told in shown
        assert f'<img src="/games/g/{ply}.svg" alt="" width="100%">' in shown
    found = shell.html(plain, {"game": "g"}, {"/games/g": record}, "http://host").decode()
    assert "/g/0.png" in found
    nothing = shell.html(plain, {"game": "g"}, {}, "http://host").decode()
    assert "<title>No such game" in nothing
    assert ".png" not in nothing


async def test_what_a_page_says_of_itself_follows_from_its_path_alone(played: Seen) -> None:
    """Once a query named the players, or another game's picture, or was an internal error."""
    path = f"/games/{await latest(played)}"
    plain = (await played.get(path)).text
    for query in ("players=x", "key=x", "self=x", "ply=../other/5"):
        answer = await played.get(f"{path}?{query}")
        assert answer.status_code == 200
        for about in ("title>(.*)</title", 'og:image" content="(.*)"', '<img src="(.*)" alt'):
            assert re.findall(about, answer.text) == re.findall(about, plain) != []


@pytest.mark.parametrize("ply", ["9" * 5000, "1e1", "+1", "1_0"])
async def test_a_ply_that_no_game_has_leads_nowhere(played: Seen, ply: str) -> None:
    """Thousands of digits were an internal error."""
    game = await latest(played)
    for path in (
        f"/games/{game}/{ply}",
        *(f"/api/v1/games/{game}/{ply}.{x}" for x in ("svg", "png")),
    ):
        assert (await played.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("path", "found"),
    [("/ladders/?page=2", "/ladders?page=2"), ("/api/v1/ladders/", "/api/v1/ladders")],
)
async def test_a_slash_at_the_end_leads_to_the_page(played: Seen, path: str, found: str) -> None:
    """And never to another host."""
    response = await played.get(path)
    assert (response.status_code, response.headers["Location"]) == (308, found)
    assert (await played.get("/%2Fevil.example/")).status_code == 404


async def test_what_does_not_exist_is_a_page_with_status_404(played: Seen) -> None:
    """People read a page, programs the status."""
    for path in ("/games/none", "/games/none/3", "/ladders/none", "/bots/none", "/matches/none"):
        response = await played.get(path)
        assert response.status_code == 404
        assert response.headers["Content-Type"].startswith("text/html")


async def test_markup_in_an_address_stays_text(played: Seen) -> None:
    """It can end neither the title nor the block of data."""
    response = await played.get("/bots/%3Cscript%3Ealert(1)?q=%3Cb%3E")
    assert "<script>alert" not in response.text
    assert "<b>" not in response.text


async def test_only_an_embedded_game_may_be_framed(played: Seen) -> None:
    """Other sites show a game, and none puts a list or a game with its links in a frame."""
    game = await latest(played)
    for path, frames in {
        f"/games/{game}?embed": "frame-ancestors *",
        f"/games/{game}": "frame-ancestors 'none'",
        "/?embed": "frame-ancestors 'none'",
    }.items():
        policy = (await played.get(path)).headers["Content-Security-Policy"]
        assert policy.endswith(frames)
        assert "script-src 'self';" in policy


async def test_files_are_kept_until_they_change(played: Seen) -> None:
    """Their address holds their version; at any other address a browser asks again."""
    html = (await played.get("/")).text
    addresses = re.findall(r'"(/page/[^"]+)"', html)
    assert {address.rsplit("/", 1)[1] for address in addresses} >= {
        *("packed.js", "packed-stage.js", "style.css", "icon.svg"),
    }
    for address in set(addresses):
        response = await played.get(address)
        assert response.status_code == 200
        assert "immutable" in response.headers["Cache-Control"]
    for address in ("/page/packed.js", "/page/0123456789abcdef/packed.js"):
        assert (await played.get(address)).headers["Cache-Control"] == "no-cache"


async def test_a_change_of_one_file_changes_the_version() -> None:
    """Also when bytes only move from one file to another."""
    found = files()
    changed = {**found, "main.js": File(found["main.js"].body + b"\n", "text/javascript")}
    assert version_of(found) == version_of(files()) != version_of(changed)


async def test_comments_stay_behind_and_lines_keep_their_numbers() -> None:
    """Each line is as it was written, or empty where it held nothing but a comment."""
    for name, file in files().items():
        written, got = file.body.decode().split("\n"), sent(name, file).decode().split("\n")
        assert len(got) == len(written)
        assert all(line in ("", was) for line, was in zip(got, written, strict=True))
        assert all(COMMENT.match(was) for line, was in zip(got, written, strict=True) if not line)
    assert b"\n//" not in sent("stage.js", files()["stage.js"])
    assert b"\n//" in sent("client.js", files()["client.js"])


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_first_move_comes_after_few_bytes(played: Seen, language: str) -> None:
    """Two round trips, and 0.8 seconds of a line of 400 kbit/s: a browser asks for six together."""
    page = await played.get("/", headers={"Accept-Language": language})
    head = page.text.partition("<body")[0]
    addresses = set(re.findall(r'"(/page/[^"]+[.](?:js|css))"', head))
    answers = [page, *[await played.get(address) for address in addresses]]
    assert len(addresses) < 6
    assert head.index("/packed.js") < head.index('id="data"'), "its largest file is asked for last"
    assert sum(int(each.headers["Content-Length"]) for each in answers) < 40_000


async def test_a_game_is_to_be_had_as_text_and_as_pictures(played: Seen) -> None:
    """The record for people, a position, and an animation; each with its type."""
    game = await latest(played)
    text = await played.get(f"/games/{game}.txt")
    assert text.text.startswith(f'[game "{game}"]')
    for path in (f"/games/{game}.svg", f"/games/{game}/3.svg"):
        picture = await played.get(path)
        assert picture.headers["Content-Type"] == "image/svg+xml"
        assert "script-src" not in picture.headers["Content-Security-Policy"]
        assert "ETag" in picture.headers
    for path in (f"/games/{game}/999.svg", "/games/none.svg", "/games/none.txt"):
        assert (await played.get(path)).status_code == 404


async def test_a_game_names_the_games_around_it(played: Seen) -> None:
    """In the order in which they began; the first has none before, the last none after."""
    games = [game["game"] for game in (await played.api("/games"))["games"]][::-1]
    around = [await played.api(f"/games/{game}/neighbours") for game in games]
    assert [each["previous"] for each in around] == [None, *games[:-1]]
    assert [each["next"] for each in around] == [*games[1:], None]
    assert (await played.get("/api/v1/games/none/neighbours")).status_code == 404


async def test_the_notice_of_the_organiser_heads_each_page_until_it_is_taken_back(
    played: Seen,
) -> None:
    """Its text is shown as it is, and is no markup."""
    await order(played.server, "notice", text="<b>Maintenance</b> at $nine.")
    try:
        await noticed(played, "<b>Maintenance</b> at $nine.")
        for path in ("/", "/ladders", "/bots/none"):
            html = (await played.get(path)).text
            assert "&lt;b&gt;Maintenance&lt;/b&gt; at $nine.</aside>" in html
            assert "<b>" not in html
    finally:
        await order(played.server, "notice")
    await noticed(played, None)
    assert "<aside" not in (await played.get("/")).text


@pytest.mark.parametrize(
    ("module", "text", "sentence"),
    [
        ("packed.js", "", "the names of modules that begin with `packed` are the server's own"),
        ("dom.js", "", "another page has its address, or the name of its module"),
        ("a.js", 'import "./b.js";', "its module imports 'b.js', which there is not"),
        ("a.js", 'await import("./b.js");', "its module imports 'b.js', which there is not"),
    ],
)
async def test_a_page_of_a_plug_in_that_can_not_be_shown_stops_no_other(
    module: str, text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that would take the place of one of ours, or lacks one, is named in a sentence."""
    script = tmp_path / module
    script.write_text(text)
    told: list[str] = []
    page = Page("tally", "/tally", module, "Tally", script=script)
    monkeypatch.setattr(PLUGGED, "loaded", lambda: [page])
    monkeypatch.setattr("mancala.server.web.pages.pages.tell", told.append)
    found = files()
    assert list(plugged(found)) == []
    assert found == files()
    assert told == [f"the page /tally can't be shown: {sentence}"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"path": "tally"}, "Routed paths must start with '/'"),
        ({"path": "/tally/{of:kind}"}, "Unknown path convertor 'kind'"),
        ({"path": "/tally/{"}, "Single '{' encountered in format string"),
        ({"title": "Tally of {{of}}"}, "its address has no 'of'"),
        ({"title": None}, "expected string or bytes-like object, got 'NoneType'"),
        ({"needs": ("/bots/{name}",)}, "its address has no 'name'"),
        ({"needs": ("/tallies",)}, "the API has no /tallies"),
        ({"script": "tally.js"}, "'str' object has no attribute 'read_bytes'"),
        ({}, "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte"),
    ],
)
async def test_what_a_plug_in_says_wrongly_of_its_page_stops_no_other(
    changes: dict[str, Any], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page of the server came up, or each request for that one failed."""
    script = tmp_path / "tally.js"
    script.write_bytes(b'export const tally = () => t("\xff");')
    told: list[str] = []
    page = Page("tally", "/tally", "tally.js", "Tally", script=script)
    if changes:
        script.write_text("export const tally = () => 0;")
    monkeypatch.setattr(PLUGGED, "loaded", lambda: [page._replace(**changes)])
    monkeypatch.setattr("mancala.server.web.pages.pages.tell", told.append)
    assert list(plugged(files())) == []
    [said] = told
    assert said.endswith(f" can't be shown: {sentence}")


async def test_a_page_of_a_plug_in_at_every_address_hides_no_file() -> None:
    """It came without its own module and the sheets, which its address took for its own."""
    page = Page("rest", "/{of:path}", "rest.js", "Rest")
    pages = [*PAGES, page]
    routes = page_routes(pages, Answers.__new__(Answers), Shell(files(), PAGES), str)
    for path, found in (
        (f"{ROOT}/main.js", f"{ROOT}/{{name}}"),
        ("/games", "/games"),
        ("/a", page.path),
    ):
        scope = {"type": "http", "method": "GET", "path": path}
        first = next(each for each in routes if each.matches(scope)[0] is Match.FULL)
        assert first.path == found


async def noticed(played: Seen, text: str | None) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while (await played.api(""))["notice"] != text:
            pass
