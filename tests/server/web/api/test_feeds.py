"""The finished games of a bot or a ladder, as programs that gather news read them."""

from pathlib import Path
from typing import Final
from unittest.mock import AsyncMock
from xml.etree import ElementTree as ET

import pytest
from starlette.requests import Request

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import GameStart, MatchOver, Reason, Resign
from mancala.protocol.record import GameRecord
from mancala.protocol.rules import KALAH
from mancala.server.model.schemas.games import GamePage, GameStatus, GameSummary
from mancala.server.web.api import answers
from mancala.server.web.api.feeds import feed_of, feed_routes, summary_of
from mancala.server.web.http.responses import Body
from tests.server.web.seen import Seen, seen

ATOM: Final = "{http://www.w3.org/2005/Atom}"


def texts(feed: ET.Element, path: str) -> list[str | None]:
    return [each.text for each in feed.findall(ATOM + path.replace("/", "/" + ATOM))]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_bots_feed_tells_its_games_the_latest_first(played: Seen) -> None:
    """Each leads to the game's page; the page of the bot leads to the feed."""
    page = (await played.get("/bots/ann")).text
    assert 'type="application/atom+xml" title="Games" href="/bots/ann/feed.atom"' in page
    response = await played.get("/bots/ann/feed.atom")
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    feed = ET.fromstring(response.content)  # noqa: S314  # made by this server
    games = (await played.api("/games?bot=ann&status=over"))["games"]
    assert texts(feed, "title") == ["Games of ann"]
    links = [link.get("rel") for link in feed.findall(f"{ATOM}link")]
    assert links == ["alternate", "self"]  # some readers take the first one for the page
    assert texts(feed, "entry/id") == [
        f"{played.http.base_url}/games/{game['game']}" for game in games
    ]
    assert texts(feed, "entry/updated") == [game["ended_at"] for game in games]
    assert texts(feed, "updated") == texts(feed, "entry/updated")[:1]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_game_of_an_event_is_told_as_one_of_a_bot(played: Seen) -> None:
    """Its record says the same as the list of games."""
    for listed in (await played.api("/games"))["games"]:
        record = await played.get(f"/api/v1/games/{listed['game']}")
        found = summary_of(codec.from_json(record.content, GameRecord))
        assert found == codec.from_json(codec.to_json(listed), GameSummary)


async def test_a_feed_has_the_latest_twenty_games() -> None:
    """Readers ask again and again, and keep what they have seen."""
    answers = AsyncMock(at=AsyncMock(return_value=Body(codec.to_json(GamePage((), None)), "")))
    url = {"path": "/bots/ann/feed.atom", "path_params": {"name": "ann"}, "server": ("host", 80)}
    request = Request({"type": "http", "scheme": "http", "headers": [], "query_string": b""} | url)
    assert (await feed_routes(answers)[0].endpoint(request)).status_code == 200
    asked = {"bot": "ann", "status": "over", "limit": "20"}
    answers.at.assert_awaited_with("/games", {}, asked, request.scope)


async def test_an_annulled_game_has_no_winner_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Feeds, lists, matches, pages and pictures go by the annulment, also after a look before."""
    monkeypatch.setattr(answers, "KEPT_S", -1.0)
    async with seen(tmp_path) as looking:
        await looking.play("ann", "bob")
        ann, bob = await looking.arena.pair("ann", "bob")
        game, winner = (await ann.hear(GameStart)).game, "bob"
        await ann.say(Resign(game))
        match = (await bob.hear(MatchOver)).match
        [before] = (await looking.api(f"/matches/{match}"))["games"]
        wins = f"/games?bot={winner}&result=win"
        assert [each["game"] for each in (await looking.api(wins))["games"]] == [game]
        assert not (await looking.api(f"/games/{game}")).get("annulled")
        await looking.arena.order("annul", games=[game], reason="by hand")
        assert (await looking.api(wins))["games"] == []
        view = await looking.api(f"/matches/{match}")
        assert view["games"] == [{**before, "annulled": True}]
        assert set(view["score"].values()) == {0}
        assert (await looking.api(f"/games/{game}"))["annulled"]
        assert "[annulled true]" in (await looking.get(f"/games/{game}.txt")).text
        feed = ET.fromstring((await looking.get("/bots/ann/feed.atom")).content)  # noqa: S314  # made by this server
        assert texts(feed, "entry/title")[0] == "ann against bob does not count"
        for shown in (f"/games/{game}", f"/games/{game}.svg", f"/games/{game}/0.svg"):
            text = (await looking.get(shown)).text
            assert "Annulled; the game does not count." in text
            assert f"{winner} wins" not in text


@pytest.mark.parametrize(
    "path", ["/bots/nobody/feed.atom", "/ladders/none/feed.atom", "/events/none/feed.atom"]
)
@pytest.mark.asyncio(loop_scope="module")
async def test_there_is_no_feed_of_who_does_not_exist(played: Seen, path: str) -> None:
    """As there is no page."""
    assert (await played.get(path)).status_code == 404


def game(reason: Reason, winner: int | None, stores: tuple[int, int] | None) -> GameSummary:
    return GameSummary(
        *("g1", "m1", "main", True, KALAH, TimeControl(), ("ann", "bob"), GameStatus.OVER, 42),
        winner=winner,
        stores=stores,
        reason=reason,
        started_at="2026-11-24T10:00:00Z",
        ended_at="2026-11-24T10:00:09Z",
        annulled=False,
    )


@pytest.mark.parametrize(
    ("over", "headline"),
    [
        (game(Reason.NORMAL, 1, (18, 30)), "bob beat ann, 30 : 18"),
        (game(Reason.MAJORITY, 0, (25, 3)), "ann beat bob, 25 : 3"),
        (game(Reason.NORMAL, None, (24, 24)), "ann and bob drew"),
        (game(Reason.TIMEOUT, 0, (3, 9)), "ann beat bob on time"),
        (game(Reason.ABORTED, None, None), "ann against bob does not count"),
    ],
)
def test_a_headline_says_how_a_game_ended(over: GameSummary, headline: str) -> None:
    """In words, with the winner first."""
    feed = ET.fromstring(feed_of("ann", (over,), "http://a/bots/ann", "http://a"))  # noqa: S314
    assert texts(feed, "entry/title") == [headline]
    assert texts(feed, "entry/summary") == ["42 plies, kalah, ladder main"]


def test_names_are_text() -> None:
    """Whatever a bot is called, the feed is well-formed."""
    feed = ET.fromstring(feed_of("<a&b>", (), "http://a/bots/x", "http://a"))  # noqa: S314
    assert texts(feed, "title") == ["Games of <a&b>"]
