"""The organiser's morning page."""

import base64
from pathlib import Path
from typing import Final

import httpx
import msgspec
import pytest

from mancala.protocol.messages import GameOver, GameStart
from mancala.server.config.ladders import LadderSettings
from mancala.server.model.schemas.morning import (
    ActView,
    DiskView,
    FaultView,
    MorningView,
    QuarantineView,
    RefusedView,
    VoidView,
)
from mancala.server.model.schemas.status import BrokerState, Delivery
from mancala.server.web.status.morning import page_of
from mancala.server.web.status.status_door import StatusDoor, user_of
from tests.patience import PATIENCE_S
from tests.server.control.operators import LADDER, played
from tests.server.peers import arena, order
from tests.stored import assert_is_stored

pytestmark = pytest.mark.usefixtures("database")
PASSWORD = "an organiser's secret"  # noqa: S105  # of this test
SIDE = LadderSettings(name="side")


async def test_the_page_tells_how_the_last_day_went(tmp_path: Path) -> None:
    """Games, void ones and why, quarantines and why, refused logins, orders; as JSON too."""
    async with arena(tmp_path, ladder=(*LADDER, SIDE), health_port=0) as running:
        server = running.server
        server.note_start()
        await played(running, "ann", "bob")
        cid, _dan = await running.pair("cid", "dan")
        game = (await cid.hear(GameStart)).game
        await order(server, "abort", game=game, reason="a <b>power</b> cut")
        await cid.hear(GameOver)
        await order(server, "quarantine", ladder="main", bot="bob", reason="crashes", for_s=60.0)
        await order(server, "season", ladder="main")
        await order(server, "pause", ladder="side", why="the openings")
        refused = await running.connect()
        await refused.hello("ann")
        with pytest.raises(Exception, match="bad_name"):
            await refused.hear(GameStart)
        async with httpx.AsyncClient(base_url=str(server.health_url), timeout=PATIENCE_S) as http:
            view = (await http.get("/status.json")).json()
            page = await http.get("/status")
    assert view["endings"] == {"aborted": 1, "normal": 2}
    assert [(each["game"], each["why"]) for each in view["void"]] == [
        (game, "ended by the organiser: a <b>power</b> cut")
    ]
    assert [(each["ladder"], each["reason"]) for each in view["quarantines"]] == [
        ("main", "crashes")
    ]
    assert [(each["name"], each["times"]) for each in view["refused"]] == [("ann", 1)]
    assert view["holds"] == ["the ladder side is paused: the openings"]
    assert [each["action"] for each in view["acts"]] == ["pause", "season", "quarantine", "abort"]
    assert (len(view["starts"]), view["ready"]) == (1, True)
    assert view["disk"]["store_bytes"] > 100_000
    assert "a &lt;b&gt;power&lt;/b&gt; cut" in page.text
    assert "<script" not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")


NIGHT: Final = MorningView(
    server="Club <Arena>",
    at="2030-01-02T06:00:00Z",
    since="2030-01-01T06:00:00Z",
    ready=False,
    holds=("the ladder side is paused: the openings",),
    connections=3,
    games_running=1,
    endings={"aborted": 1, "normal": 2},
    void=(
        VoidView(
            game="g1", players=("cid", "dan"), ended_at="2030-01-01T23:00:00Z", why="a power cut"
        ),
    ),
    quarantines=(
        QuarantineView(ladder="main", name="bob", until="2030-01-02T07:00:00Z", reason="crashes"),
    ),
    refused=(RefusedView(code="bad_name", name="ann", times=2),),
    reviews_waiting=1,
    oldest_review=None,
    reviewers=1,
    house_up=1,
    house_wanted=2,
    broker=BrokerState.AWAY,
    unpublished=7,
    disk=DiskView(store="x", store_bytes=999, free_bytes=1_000_000),
    starts=("2030-01-01T07:00:00Z", "2030-01-01T22:59:59Z"),
    warnings=4,
    faults=(FaultView(at="2030-01-01T23:00:00Z", event="a fault", facts="of=x"),),
    acts=(
        ActView(number=1, at="2030-01-01T23:00:00Z", by="root", action="abort", why="a power cut"),
    ),
    events=(),
    delivery=Delivery.UNVERIFIED,
    put_aside=2,
    put_aside_since="2030-01-01T22:00:00Z",
    put_aside_topic="mancala/x",
    put_aside_why="too large",
    findings=("a certificate ends",),
    fronts_s=(3600.0, 5400.0),
    fronts_wanted=2,
)
QUIET: Final = msgspec.structs.replace(
    NIGHT,
    ready=True,
    house_up=2,
    broker=BrokerState.CONNECTED,
    delivery=Delivery.CONFIRMED,
    **dict.fromkeys(("holds", "void", "quarantines", "refused", "faults", "acts", "findings"), ()),
    put_aside=0,
    put_aside_since=None,
    starts=NIGHT.starts[:1],
    fronts_s=(60.0,),
    disk=DiskView(store="x", store_bytes=1000, free_bytes=45_670_000_000_000),
)


@pytest.mark.parametrize(
    ("name", "view", "said"), [("night", NIGHT, "done <b>"), ("quiet_night", QUIET, "")]
)
def test_a_night_is_told_in_facts_and_tables(name: str, view: MorningView, said: str) -> None:
    """What needs a look is marked, and times are those of the whole."""
    assert_is_stored(f"{name}.html", page_of(view, forms="<form></form>", said=said))


async def test_from_elsewhere_the_page_needs_its_password(tmp_path: Path) -> None:
    """Health and metrics do not."""
    async with arena(tmp_path, health_port=0, status_token=PASSWORD) as running:
        place = str(running.server.health_url)
        async with httpx.AsyncClient(base_url=place, timeout=PATIENCE_S) as http:
            closed = await http.get("/status")
            asked = closed.status_code, closed.headers["WWW-Authenticate"]
            assert asked == (401, 'Basic realm="status"')
            assert (await http.get("/healthz")).status_code == 200
            assert (await http.get("/status", auth=("me", "wrong"))).status_code == 401
            assert (await http.get("/status", auth=("me", PASSWORD))).status_code == 200
            bearer = {"Authorization": f"Bearer {PASSWORD}"}
            assert (await http.get("/status.json", headers=bearer)).status_code == 200


@pytest.mark.parametrize(
    ("address", "headers", "is_admitted"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("192.0.2.7", {}, False),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.7"}, False),
        ("127.0.0.1", {"forwarded": "for=192.0.2.7"}, False),
    ],
)
def test_without_a_password_this_machine_alone_is_answered(
    address: str, headers: dict[str, str], *, is_admitted: bool
) -> None:
    """What a proxy passes on is not of this machine."""
    assert StatusDoor().admits(address, headers, 0.0) is is_admitted


@pytest.mark.parametrize("given", ["Basic é", "Basic a", "Basic /w==", "Bearer é", "Digest x"])
def test_what_is_no_password_is_refused(given: str) -> None:
    """Letters that base64 does not have left the connection open without an answer."""
    assert not StatusDoor(PASSWORD).admits("127.0.0.1", {"authorization": given}, 0.0)


@pytest.mark.parametrize(
    ("name", "user"), [("eve", "eve"), ("x" * 64, "x" * 64), ("x" * 65, ""), ("e\nve", "")]
)
def test_a_name_beside_the_password_is_a_short_line(name: str, user: str) -> None:
    """The log says who gave an order by it."""
    given = base64.b64encode(f"{name}:{PASSWORD}".encode()).decode()
    assert user_of({"authorization": f"Basic {given}"}) == user


def test_passwords_cannot_be_guessed() -> None:
    """After six wrong ones an address waits ten seconds, with the right one, too; others don't."""
    door = StatusDoor(PASSWORD)
    wrong, right = ({"authorization": f"Bearer {word}"} for word in ("guess", PASSWORD))
    tried = 0
    while not door.is_shut("192.0.2.1", wrong, 0.0):
        assert not door.admits("192.0.2.1", wrong, 0.0)
        tried += 1
    assert tried == 6
    assert door.is_shut("192.0.2.1", right, 9.9)
    assert not door.is_shut("192.0.2.2", right, 0.0)
    assert not door.is_shut("192.0.2.1", right, 10.1)
    assert door.admits("192.0.2.1", right, 10.1)
