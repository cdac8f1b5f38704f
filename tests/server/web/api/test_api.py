"""The JSON API, asked over HTTP while a real server runs."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import httpx
import pytest
import pytest_asyncio

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import VERSION as PROTOCOL
from mancala.protocol.messages import (
    Agent,
    Assessment,
    GameStart,
    Goodbye,
    Hello,
    Join,
    MatchOver,
    Move,
    MoveValue,
    Seek,
    Turn,
    Welcome,
)
from mancala.protocol.record import GameRecord, verify
from mancala.protocol.rules import Board
from mancala.server.config.events import EventSettings
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Play
from mancala.server.model.journal import RatingNoted
from mancala.server.model.timestamps import rfc3339
from mancala.server.store.reading.archive import Archive
from mancala.server.store.rows.tokens import issue
from mancala.server.web.api import api
from mancala.server.web.api.endpoints import ENDPOINTS
from mancala.server.web.api.parameters import SHAPES, AnalysisParameters, NamedParameters
from mancala.server.web.feed.topics import InPlay, LiveState, StandingRows
from mancala.server.web.http.dear_work import Asker
from mancala.server.web.http.responses import BusyError
from tests.server.peers import order
from tests.server.store.databases import committed
from tests.server.web.seen import Seen, seen, seen_games

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(
    tmp_path_factory: pytest.TempPathFactory,
    database: None,  # noqa: ARG001  # on which it runs
) -> AsyncIterator[Seen]:
    async with seen_games(tmp_path_factory.mktemp("web")) as looking:
        yield looking


async def test_the_server_tells_who_it_is_and_the_way_to_it(played: Seen) -> None:
    """A page needs the name, and the port for spectators."""
    about = await played.api("")
    assert about["server"] == "test"
    assert about["protocol"] == PROTOCOL
    assert played.server.url.endswith(f":{about['websocket_port']}")


async def test_games_are_listed_the_latest_first(played: Seen) -> None:
    """Each with its players in seat order, its plies and how it ended."""
    games = (await played.api("/games"))["games"]
    assert [set(game["players"]) for game in games] == [{"bob", "cid"}, *[{"ann", "bob"}] * 3]
    assert [game["started_at"] for game in games] == sorted(
        (game["started_at"] for game in games), reverse=True
    )
    assert {game["status"] for game in games} == {"over"}
    assert all(game["plies"] > 0 and sum(game["stores"]) == 48 for game in games)


async def test_players_swap_seats_from_game_to_game(played: Seen) -> None:
    """The first-named sits first in the games of even number."""
    match = (await played.api("/games?bot=ann&limit=1"))["games"][0]["match"]
    found = await played.api(f"/matches/{match}")
    assert found["players"] == ["ann", "bob"]
    assert [game["players"][0] for game in found["games"]] == ["ann", "bob", "ann"]


async def test_an_event_is_shown_from_its_draft_to_its_end(tmp_path: Path) -> None:
    """The list says where it stands; the event has its table, rounds and games.

    Its series has a frozen round as soon as it is revealed.
    """
    names = ("ann", "bob", "cid")
    cup = EventSettings(
        name="cup",
        format="rr",
        entrants=names,
        games=1,
        absent_s=0.0,
        series="friday",
        freeze_rounds=1,
    )
    async with seen(tmp_path, event=(cup,)) as looking:
        assert (await looking.api("/events"))["events"] == [
            {
                "name": "cup",
                "format": "rr",
                "state": "draft",
                "round": 0,
                "starts": None,
                "entrants": 3,
            }
        ]
        assert (await looking.api("/events/cup"))["standings"] == []
        assert (await looking.get("/api/v1/events/cup/archive")).status_code == 404
        await order(looking.server, "event-start", event="cup")
        while (found := await looking.api("/events/cup"))["state"] != "finished":
            pass
        friday = await looking.api("/events/cup/series")
        assert [row["first"] for row in friday["standings"]] == [0, 0, 0]
        await order(looking.server, "event-reveal", event="cup")
        found = await looking.api("/events/cup")
        assert [row["points"] for row in found["standings"]] == [0, 0, 0]
        games = [
            game
            for played in found["rounds"]
            for encounter in played["encounters"]
            for game in encounter["games"]
        ]
        assert [game["reason"] for game in games] == ["absent"] * 3
        archive = await looking.api("/events/cup/archive")
        assert (archive["settings"]["name"], archive["state"]) == ("cup", "finished")
        assert (len(archive["games"]), archive["records"]) == (3, [])
        assert await looking.api("/events/cup/losing-moves") == {"moves": [], "waiting": 0}
        friday = await looking.api("/events/cup/series")
        assert [each["name"] for each in friday["events"]] == ["cup"]
        assert [(row["name"], row["editions"]) for row in friday["standings"]] == [
            (name, 1) for name in names
        ]
        assert [row["first"] for row in friday["standings"]] == [1, 1, 1]
        sheet = (await looking.get("/events/cup/standings.csv")).text.splitlines()
        assert sheet[0].startswith("rank,name,points,games,wins,draws,losses,sonneborn_berger")
        assert sheet[1].startswith("1,ann,0,2,0,0,2,0")
        boards = (await looking.get("/events/cup/rounds.csv")).text.splitlines()
        assert boards[0].startswith("round,board,first,second,first_points,second_points,result")
        assert [line.split(",")[6] for line in boards[1:]] == ["absent"] * 3
        assert b"<entry>" not in (await looking.get("/events/cup/feed.atom")).content
        for path in ("/api/v1/events/final", "/events/final/standings.csv"):
            assert (await looking.get(path)).status_code == 404
        assert (await looking.get("/api/v1/events/final/losing-moves")).status_code == 404
        later = {"name": "later", "format": "rr", "entrants": ["ann", "bob"]}
        await order(looking.server, "event-new", settings=later)
        assert (await looking.get("/api/v1/events/later/series")).status_code == 404
        listed = (await looking.api("/events"))["events"]
        assert [(each["name"], each["state"]) for each in listed] == [
            ("cup", "finished"),
            ("later", "draft"),
        ]
        assert (await looking.api("/events/later"))["format"] == "rr"


async def test_a_series_has_its_latest_thirty_editions() -> None:
    """As the API's document says; all divisions of an edition count as one."""
    numbers = [(edition, division) for edition in range(31, 0, -1) for division in (1, 2)]
    every = [
        EventSettings(
            name=f"friday-{edition}-{division}",
            format="rr",
            entrants=("ann", "bob"),
            series="friday",
            edition=edition,
            division=division,
        )
        for edition, division in numbers
    ]
    archive = AsyncMock(event_states=AsyncMock(return_value={}), event=AsyncMock(return_value=None))
    found = await api.Api(cast("LiveState", None), archive, events=every).event_series(
        NamedParameters("friday-1-1")
    )
    assert [each.name for each in found.events] == [each.name for each in every[:60]]


async def test_the_chart_of_a_ladder_has_the_eight_that_lead_it() -> None:
    """As the API's document says."""
    names = tuple("abcdefghi")
    live, archive = AsyncMock(), AsyncMock()

    async def ask(_topic: object, rows: StandingRows) -> SimpleNamespace:
        return SimpleNamespace(
            standings=[SimpleNamespace(name=each) for each in names[: rows.most]]
        )

    live.ask = ask
    await api.Api(live, archive).ladder_ratings(NamedParameters("main"))
    archive.ratings_in.assert_awaited_once_with("main", names[:8])


async def test_pages_hold_every_game_once(played: Seen) -> None:
    """Following the cursors gives what one large page gives."""
    whole = (await played.api("/games?limit=200"))["games"]
    pages: list[Any] = []
    cursor = ""
    while True:
        page = await played.api(f"/games?limit=1{cursor}")
        pages += page["games"]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert pages == whole


@pytest.mark.parametrize(
    ("query", "count"),
    [("bot=ann", 3), ("bot=bob", 4), ("bot=dora", 0), ("status=over", 4), ("status=running", 0)],
)
async def test_games_can_be_filtered(played: Seen, query: str, count: int) -> None:
    """By a bot, whichever seat it had, and by whether they are over."""
    assert len((await played.api(f"/games?{query}"))["games"]) == count


async def test_games_can_be_filtered_by_the_days_on_which_they_began(played: Seen) -> None:
    """From the first one on, and to the end of the last one."""
    games = (await played.api("/games"))["games"]
    last, first = (date.fromisoformat(games[at]["started_at"][:10]) for at in (0, -1))
    day = timedelta(days=1)
    for query, count in (
        *((f"since={first}&until={last}", len(games)), (f"since={first - day}", len(games))),
        *((f"since={last + day}", 0), (f"until={first - day}", 0)),
    ):
        assert len((await played.api(f"/games?{query}"))["games"]) == count


async def test_games_of_one_match_can_be_listed(played: Seen) -> None:
    """A match's games and no other's."""
    match = (await played.api("/games?bot=cid"))["games"][0]["match"]
    assert len((await played.api(f"/games?match={match}"))["games"]) == 1


async def test_a_record_is_what_was_played_and_verifies_itself(played: Seen) -> None:
    """Rules, clocks and result agree with the moves."""
    for game in (await played.api("/games"))["games"]:
        response = await played.get(f"/api/v1/games/{game['game']}")
        record = codec.from_json(response.content, GameRecord)
        verify(record)
        assert record.match == game["match"]
        assert [player.name for player in record.players] == game["players"]
        assert record.result is not None
        assert record.result.winner == game["winner"]


async def test_a_game_can_be_played_over_without_knowing_the_rules(played: Seen) -> None:
    """The positions begin with the opening and end with the result."""
    game = (await played.api("/games"))["games"][0]
    positions = (await played.api(f"/games/{game['game']}/positions"))["positions"]
    assert len(positions) == game["plies"] + 1
    assert positions[0]["state"]["pits"] == [[4] * 6, [4] * 6]
    assert positions[0]["move"] is None
    assert positions[-1]["state"]["stores"] == game["stores"]
    assert positions[-1]["legal"] == []
    for before, after in pairwise(positions):
        assert after["move"]["pit"] in before["legal"]
        assert after["again"] == (
            before["state"]["current_player"] == after["state"]["current_player"]
            and after["legal"] != []
        )


async def test_a_match_has_its_score(played: Seen) -> None:
    """Points a name add up to the games played."""
    match = (await played.api("/games?bot=ann&limit=1"))["games"][0]["match"]
    found = await played.api(f"/matches/{match}")
    assert found["status"] == "over"
    assert found["planned"] == 3
    assert sum(found["score"].values()) == 3
    assert set(found["score"]) == {"ann", "bob"}


async def test_bots_are_listed_by_name_with_their_records(played: Seen) -> None:
    """Won, drawn and lost games add up, over all bots as over one."""
    bots = (await played.api("/bots"))["bots"]
    assert [(bot["name"], bot["games"]) for bot in bots] == [("ann", 3), ("bob", 4), ("cid", 1)]
    assert all(bot["wins"] + bot["draws"] + bot["losses"] == bot["games"] for bot in bots)
    assert sum(bot["wins"] for bot in bots) == sum(bot["losses"] for bot in bots)


async def test_bots_come_in_pages_too(played: Seen) -> None:
    """A page goes on after the last name of the page before."""
    first = await played.api("/bots?limit=2")
    rest = await played.api(f"/bots?limit=2&cursor={first['next']}")
    assert [bot["name"] for bot in (*first["bots"], *rest["bots"])] == ["ann", "bob", "cid"]
    assert rest["next"] is None


async def test_a_bot_with_a_token_is_known_before_it_plays(tmp_path: Path) -> None:
    """Its name is reserved, and its record empty."""
    async with seen(tmp_path) as looking:
        await looking.server.store.run(issue, "dora", "2026-11-21T12:00:00.000+00:00")
        found = (await looking.api("/bots/dora"))["bot"]
    assert found["reserved"]
    assert found["games"] == 0
    assert found["last_game_at"] is None


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("games/ffff", "game ffff"),
        ("games/ffff/live", "game ffff"),
        ("games/ffff/positions", "game ffff"),
        ("matches/ffff", "match ffff"),
        ("bots/nobody", "nobody"),
        ("ladders/none/standings", "ladder none"),
        ("ladders/none/superiority", "ladder none"),
        ("games?ladder=none", "ladder none"),
        ("nonsense", "/api/v1/nonsense"),
        ("games?limit=0", "limit"),
        ("games?limit=201", "limit"),
        ("games?limit=many", "limit"),
        ("games?limit=1e1", "limit: must be a whole number in digits"),
        ("games?limit=10.0", "limit: must be a whole number in digits"),
        ("games?status=maybe", "status"),
        ("games?bot=a%20b", "bot"),
        ("games?colour=red", "colour"),
        ("games?limit=1&limit=2", "twice"),
        ("games?cursor=rubbish!", "cursor"),
        ("games?cursor=null", "cursor"),
        ("games?status=null", "status"),
        ("games?cursor=WyJhIl0", "cursor"),
        ("games?cursor=" + "a" * 300, "cursor"),
        ("games?cursor=W1tdLDFd", "cursor"),
        ("games?cursor=WyJhXHUwMDAwIiwiYiJd", "cursor"),
        ("games?match=a%00b", "match"),
        ("games?match=%C2%9B31m", "match"),
        ("games?x%00=1", "x"),
    ],
)
async def test_what_there_is_none_of_and_what_makes_no_sense_is_named(
    played: Seen, path: str, named: str
) -> None:
    """A 404 says in words what there is none of, a 400 names the parameter at fault."""
    response = await played.get(f"/api/v1/{path}")
    is_question = path.startswith("games?") and "ladder" not in path
    stated = (400, "bad_request") if is_question else (404, "not_found")
    assert (response.status_code, response.json()["error"]["code"]) == stated
    assert named in response.json()["error"]["message"]


@pytest.mark.parametrize(
    "path", ["/games/a%00b", "/games/%1B", "/games/%00/positions", "/matches/%00", "/bots/%00"]
)
async def test_a_path_with_a_control_character_is_refused(played: Seen, path: str) -> None:
    """No database is asked for a text that it can't hold."""
    response = await played.get(f"/api/v1{path}")
    assert response.status_code in {400, 404}


async def test_what_has_not_changed_is_not_sent_again(played: Seen) -> None:
    """The ETag in If-None-Match, alone, in a list, weak or as a star, gives 304 and no body."""
    first = await played.get("/api/v1/games")
    tag = first.headers["ETag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = await played.get("/api/v1/games", headers={"If-None-Match": known})
        assert again.status_code == 304
        assert again.content == b""
        assert again.headers["ETag"] == tag
    other = await played.get("/api/v1/games", headers={"If-None-Match": '"other"'})
    assert other.status_code == 200


async def test_head_tells_as_much_as_get_without_the_body(played: Seen) -> None:
    """The same headers, and nothing after them."""
    got = await played.get("/api/v1/bots")
    head = await played.http.head("/api/v1/bots")
    assert head.content == b""
    for name in ("ETag", "Content-Length", "Content-Type"):
        assert head.headers[name] == got.headers[name]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/elsewhere/WRONG", "event: it must be 16 of the digits 0-9 and the letters a-f"),
        (
            "/bots/-x",
            (
                "name: names are 1 to 48 letters, digits and _ . @ + -, "
                "beginning with a letter or digit"
            ),
        ),
        ("/games?cursor=x", "cursor: it must be `next` of the previous page"),
        ("/games?since=today", "since: a day is written as 2026-01-31"),
    ],
)
async def test_a_wrong_parameter_is_answered_with_a_sentence(
    played: Seen, path: str, sentence: str
) -> None:
    """A visitor who follows a broken link reads no pattern."""
    response = await played.get(f"/api/v1{path}")
    assert response.status_code == 400
    assert response.json()["error"]["message"] == sentence


async def test_each_parameter_with_a_pattern_has_a_sentence() -> None:
    """A new one needs an entry of ``SHAPES``."""
    patterned = {
        name
        for endpoint in ENDPOINTS.values()
        for name, schema in codec.json_schema(endpoint.parameters)[1][endpoint.parameters.__name__][
            "properties"
        ].items()
        if "pattern" in str(schema)
    }
    assert patterned == SHAPES.keys()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
async def test_nothing_can_be_changed(played: Seen, method: str) -> None:
    """Any other method is refused, in JSON, with those that are offered."""
    response = await played.http.request(method, "/api/v1/games", content=b"x" * 1000)
    assert response.status_code == 405
    assert response.json()["error"]["code"] == "method_not_allowed"
    assert set(response.headers["Allow"].replace(" ", "").split(",")) == {"GET", "HEAD"}


async def test_other_sites_pages_may_read_the_api_and_no_more(played: Seen) -> None:
    """It is public and knows no cookies, so any origin may read it."""
    response = await played.get("/api/v1/games")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in (await played.get("/readyz")).headers


async def test_every_answer_is_guarded(played: Seen) -> None:
    """Errors included: nothing is sniffed, framed, or run from elsewhere."""
    for path in ("/", "/api/v1/games", "/api/v1/games/ffff", "/nonsense", "/metrics"):
        headers = (await played.get(path)).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


async def test_the_page_may_only_call_its_own_server(played: Seen) -> None:
    """Its policy lists the port of this server's websocket, and no other place."""
    port = (await played.api(""))["websocket_port"]
    policy = (await played.get("/")).headers["Content-Security-Policy"]
    assert f"connect-src 'self' ws://*:{port} wss://*:{port};" in policy


async def test_a_public_address_takes_the_place_of_the_port(tmp_path: Path) -> None:
    """Behind a proxy, the page learns where spectators connect."""
    public = "wss://arena.example.org/play"
    async with seen(tmp_path, public_url=public) as looking:
        assert (await looking.api(""))["websocket"] == public
        policy = (await looking.get("/")).headers["Content-Security-Policy"]
    assert f"connect-src 'self' {public};" in policy


async def test_a_running_game_is_shown_as_it_stands(tmp_path: Path) -> None:
    """Moves so far, who is there, and that the record has no result yet."""
    async with seen(tmp_path) as looking:
        ann, bob = await looking.arena.pair("ann", "bob")
        first = await ann.hear(Turn)
        await ann.say(Move(first.game, first.ply, 0))
        await bob.hear(Turn)
        live = await looking.api(f"/games/{first.game}/live")
        record = await looking.api(f"/games/{first.game}")
        listed = (await looking.api("/games?status=running"))["games"]
        bot = await looking.api("/bots/ann") if await knows(looking, "ann") else None
        about = await looking.api("")
        await asyncio.gather(ann.play_until(MatchOver), answer_and_play_on(bob))
        after = await looking.get(f"/api/v1/games/{first.game}/live")
    assert live["moves"] == [0]
    assert live["state"]["current_player"] == 1
    assert [player["present"] for player in live["players"]] == [True, True]
    assert [move["pit"] for move in record["moves"]] == [0]
    assert "result" not in record
    assert [game["game"] for game in listed] == [first.game]
    assert listed[0]["stores"] is None
    assert bot is None
    assert about["games_running"] == 1
    assert after.status_code == 404
    assert after.json()["error"]["code"] == "not_live"


async def test_a_bot_that_is_here_is_seen_with_what_it_plays(tmp_path: Path) -> None:
    """Its program and its running games stand beside its record."""
    async with seen(tmp_path) as looking:
        await looking.play("ann", "bob")
        ann = await looking.arena.connect()
        await ann.say(Hello(PROTOCOL, "cid", agent=Agent("sower", "2.1")))
        await ann.hear(Welcome)
        bob = await looking.arena.greet("bob")
        for peer in (ann, bob):
            await peer.say(Seek(games=1))
        game = (await bob.hear(GameStart)).game
        found = await looking.api("/bots/bob")
        live = await looking.api(f"/games/{game}/live")
    assert found["presence"] == {"present": True, "agent": None, "playing": [game]}
    assert {"name": "sower", "version": "2.1"} in [player["agent"] for player in live["players"]]


async def test_a_ladder_is_seen_with_its_table(tmp_path: Path) -> None:
    """Its terms, who is there, ratings with their intervals, and its games and no others."""
    ladder = LadderSettings(name="open", clock=TimeControl(move_ms=60_000))
    async with seen(tmp_path, ladder=(ladder,)) as looking:
        before = await looking.api("/ladders/open/standings")
        compared = await looking.api("/ladders/open/superiority")
        await looking.play("ann", "bob")
        pair = [await looking.arena.greet(name) for name in ("ann", "bob")]
        for peer in pair:
            await peer.say(Join("open"))
        over, _ = await asyncio.gather(*(peer.play_until(MatchOver) for peer in pair))
        (summary,) = (await looking.api("/ladders"))["ladders"]
        table = await looking.api("/ladders/open/standings")
        page = await looking.api("/ladders/open/standings?limit=1")
        last = await looking.api(f"/ladders/open/standings?limit=1&cursor={page['next']}")
        games = (await looking.api("/games?ladder=open&status=over"))["games"]
        match = await looking.api(f"/matches/{over.match}")
        places = (await looking.api("/bots/ann"))["ladders"]
        shown = (await looking.get("/ladders/open")).text
        await note_yesterday(looking, "open", table["standings"][0]["name"], 1234.5)
        moved = (await looking.api("/ladders/open/standings"))["standings"]
    assert [line["rating_yesterday"] for line in moved] == [1234.5, None]
    assert "<td>1</td><td>" in shown.partition("<noscript>")[2]  # for text browsers
    assert before == {
        "ladder": "open",
        "at": None,
        "standings": [],
        "total": 0,
        "next": None,
        "scale": "logistic",
    }
    assert compared == {"ladder": "open", "names": [], "los": [], "misfit": None}
    assert (summary["ladder"], summary["games"], summary["players"]) == ("open", 2, 2)
    assert {line["bot"] for line in table["standings"]} == {"ann", "bob"}
    assert page["standings"] + last["standings"] == table["standings"]
    assert [part["total"] for part in (page, last)] == [2, 2]
    assert (page["next"], last["next"]) == ("1", None)
    for line in table["standings"]:
        low, high = line["interval"]
        assert low < line["rating"] < high
        assert [round(low, 1), round(high, 1)] == [low, high]
        assert line["wins"] + line["draws"] + line["losses"] == line["games"] == 2
    assert {game["ladder"] for game in games} == {match["ladder"]} == {"open"}
    assert {game["match"] for game in games} == {over.match}
    assert [place["ladder"] for place in places] == ["open"]
    assert places[0]["standing"] in table["standings"]
    assert places[0]["rests_on"] == [{"opponent": "bob", "share": 1.0}]


async def note_yesterday(looking: Seen, ladder: str, name: str, elo: float) -> None:
    at = rfc3339(datetime.now(UTC) - timedelta(days=1))
    await committed(looking.server.store, RatingNoted(ladder, name, at, elo, 40.0, 2))


async def test_no_secret_is_ever_shown(tmp_path: Path) -> None:
    """Neither a session's secret, nor a token, nor their hashes, on any path."""
    async with seen(tmp_path) as looking:
        token = await looking.server.store.run(issue, "dora", "2026-11-21T12:00:00.000+00:00")
        dora = await looking.arena.connect()
        await dora.hello("dora", token=token)
        await dora.hear(Welcome)
        shown = [await looking.get(path) for path in await all_paths(looking.http)]
    assert len(shown) > 8
    for response in shown:
        assert token not in response.text
        assert dora.secret not in response.text
        assert "hash" not in response.text


async def test_a_server_that_keeps_nothing_on_disk_is_read_as_well(tmp_path: Path) -> None:
    """A store in memory has one connection, and it is asked."""
    async with seen(tmp_path, store=":memory:") as looking:
        await looking.play("ann", "bob")
        assert len((await looking.api("/games"))["games"]) == 1


async def knows(looking: Seen, name: str) -> bool:
    return (await looking.get(f"/api/v1/bots/{name}")).status_code == 200


async def answer_and_play_on(peer: Any) -> None:  # noqa: ANN401  # a Peer, who has a question open
    turn = peer.last(Turn)
    await peer.say(Move(turn.game, turn.ply, turn.legal[-1]))
    await peer.play_until(MatchOver)


async def all_paths(http: httpx.AsyncClient) -> list[str]:
    document = (await http.get("/api/v1/openapi.json")).json()
    plain = [f"/api/v1{path.rstrip('/')}" for path in document["paths"] if "{" not in path]
    return [*plain, "/api/v1/bots/dora", "/api/v1/openapi.json", "/metrics", "/healthz", "/readyz"]


async def test_the_root_may_end_in_a_slash(played: Seen) -> None:
    """The document names it so."""
    assert await played.api("/") == await played.api("")


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api", "/api/v1/games/abc/def"])
async def test_what_there_is_not_is_a_json_404(played: Seen, path: str) -> None:
    """A program reads the reason as it reads every other error."""
    response = await played.get(path)
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


@pytest.mark.parametrize(
    "cursor",
    ["", "=", "====", "W10", "WyJhIl0", "W251bGxd", "WyIxIiwyXQ", "\u00e9", "a" * 257, "%00"],
)
async def test_an_odd_cursor_is_a_bad_request(played: Seen, cursor: str) -> None:
    """Only what a list has issued leads to its next page."""
    response = await played.get("/api/v1/games", params={"cursor": cursor})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "bad_request"


async def test_a_finished_game_is_read_from_the_store_once(played: Seen) -> None:
    """Its positions never change, so the next viewer gets the same bytes from memory."""
    game = (await played.api("/games?status=over&limit=1"))["games"][0]["game"]
    first = await played.get(f"/api/v1/games/{game}/positions")
    assert first.json()["over"]
    assert (await played.get(f"/api/v1/games/{game}/positions")).content == first.content


async def test_large_answers_are_compressed_for_clients_that_can_read_them(played: Seen) -> None:
    """Each form has its own ETag, so that caches don't mix them up."""
    game = (await played.api("/games?status=over&limit=1"))["games"][0]["game"]
    path = f"/api/v1/games/{game}/positions"
    zipped = await played.get(path, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    plain = await played.get(path, headers={"Accept-Encoding": "gzip;q=0"})
    assert zipped.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert int(zipped.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 4
    assert zipped.json() == plain.json()
    assert zipped.headers["ETag"] != plain.headers["ETag"]
    known = {"Accept-Encoding": "gzip", "If-None-Match": zipped.headers["ETag"]}
    assert (await played.get(path, headers=known)).status_code == 304


async def test_bots_that_take_challenges_are_listed_while_they_are_here(tmp_path: Path) -> None:
    """Only those that said so; a bot that left is no longer among them."""
    async with seen(tmp_path) as looking:
        ann, bob = await looking.arena.connect(), await looking.arena.connect()
        for peer, name, takes in ((ann, "ann", True), (bob, "bob", False)):
            await peer.say(Hello(PROTOCOL, name, challenges=takes))
            await peer.hear(Welcome)
        (opponent,) = (await looking.api("/opponents"))["opponents"]
        assert opponent == {"name": "ann", "agent": None, "playing": 0, "house": False}
        await ann.say(Goodbye())
        await ann.hear(Goodbye)
        assert (await looking.api("/opponents"))["opponents"] == []


async def test_an_impossible_position_is_not_analysed(played: Seen) -> None:
    """The reason is named: no board, a game that is over, or unknown rules."""
    for board, rules, reason in (
        ("nonsense", "kalah", "a board is written"),
        ("<2,3,3,0,0,1,1>", "kalah", "the game is over"),
        ("<2,0,0,1,1,1,1>", "chess", "no rules named"),
    ):
        response = await played.get("/api/v1/analysis", params={"board": board, "rules": rules})
        assert response.status_code == 400
        assert reason in response.json()["error"]["message"]


async def test_a_server_may_offer_no_analysis(tmp_path: Path) -> None:
    """The answer says so."""
    async with seen(tmp_path, play=Play(analysis=False)) as looking:
        response = await looking.get("/api/v1/analysis?board=<2,0,0,1,1,1,1>")
    assert response.status_code == 503
    assert "no analysis" in response.json()["error"]["message"]


class Playing:
    """A server on which a position is being played for a while.

    Attributes:
        looks: how often it is still being played when it is asked.
    """

    def __init__(self, looks: int) -> None:
        self.looks = looks

    async def ask(self, _topic: object, _subject: str = "") -> InPlay:
        self.looks -= 1
        return InPlay(is_in_play=self.looks >= 0)


class Oracle:
    """An analyst that knows one position."""

    async def ask(self, _board: Board, _asker: Asker) -> Assessment:
        return Assessment(ply=0, moves=(MoveValue(1, 1),), line=(1,))


@pytest.mark.parametrize("looks", [0, 2, api.RECHECKS])
async def test_a_position_of_a_running_rated_game_is_analysed_later(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """A bot could once have asked for its moves; now the answer waits for the game to move on."""
    monkeypatch.setattr(api, "RECHECK_S", 0.0)
    playing: Any = Playing(looks)
    oracle: Any = Oracle()
    asked = api.Api(playing, cast("Archive", None), oracle).analysis(
        AnalysisParameters(board="<2,0,0,0,1,1,1>", rules="kalah")
    )
    if looks < api.RECHECKS:
        assert (await asked).best == 1
        assert playing.looks == -1
    else:
        with pytest.raises(BusyError, match="when it has moved"):
            await asked


async def test_the_terms_of_each_ladder_are_told(tmp_path: Path) -> None:
    """A bot's author learns them before joining: rules, clock, openings, and why one is put out."""
    openings = ("<2,0,0,1,1,1,1>", "<2,0,0,2,0,1,1>")
    ladder = LadderSettings(
        name="small", rules="kalah:pits=2,seeds=1", openings=openings, house={"rob": "random"}
    )
    async with seen(tmp_path, ladder=(ladder,)) as looking:
        terms = await looking.api("/terms")
    (small,) = terms["ladders"]
    assert terms["guests"]
    assert (small["rules_text"], small["games"]) == ("kalah:pits=2,seeds=1", 2)
    assert (tuple(small["openings"]), small["openings_total"]) == (openings, 2)
    assert (small["house"], small["quarantine_after"]) == (["rob"], 3)
