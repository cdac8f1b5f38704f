"""Health, metrics and the page's files, and what happens when the server itself is at fault."""

import asyncio
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from mancala.protocol.messages import Turn
from mancala.server.model.schemas.status import BrokerState, Readiness, ServerView
from mancala.server.net.limits.gate import HttpGate
from mancala.server.store.reading.archive import Archive, ReadConnection
from mancala.server.web import application as module
from mancala.server.web.api.api import Api
from mancala.server.web.application import application
from mancala.server.web.feed import topics
from mancala.server.web.feed.topics import LiveState, Topic
from mancala.server.web.http.budgets import HttpBudgets
from tests.server.fakes import KeptLog, limited
from tests.server.web.seen import Seen, seen

pytestmark = pytest.mark.asyncio(loop_scope="module")


class BrokenLiveState:
    """A server about which nothing is well."""

    def about(self) -> ServerView:
        """Return the server's view; that still works."""
        return ServerView(
            server="broken",
            protocol="mancala.v1",
            websocket=None,
            websocket_port=1,
            games_running=0,
            guests=True,
        )

    async def ask(self, topic: Topic[Any], _subject: str = "") -> Readiness:
        """Report that the store takes no writes; fail in all else, as code with a fault does."""
        if topic is not topics.READINESS:
            raise ZeroDivisionError("a secret-looking detail")
        findings = ("a shell looks elsewhere: add to /etc/arena.toml",)
        away = BrokerState.AWAY
        return Readiness(ready=False, store="OperationalError", broker=away, findings=findings)


def broken(log: KeptLog) -> httpx.AsyncClient:
    live_state = cast("LiveState", BrokenLiveState())
    api = Api(live_state, Archive(cast("ReadConnection", None), server="test"))
    budgets = HttpBudgets(HttpGate(limited()), now=lambda: 0.0)
    app = application(api, log, budgets)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def test_a_process_that_answers_is_alive(played: Seen) -> None:
    """Nothing else is asked for."""
    response = await played.get("/healthz")
    assert response.json() == {"status": "ok"}
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_server_whose_store_takes_writes_is_ready_without_a_broker(played: Seen) -> None:
    """Results wait in the outbox, so the broker is reported but not required."""
    response = await played.get("/readyz")
    assert response.status_code == 200
    found = response.json()
    assert (found["ready"], found["store"], found["broker"]) == (True, "ok", "none")
    assert (found["delivery"], found["put_aside"]) == (None, 0)


async def test_a_server_whose_store_takes_no_writes_is_not_ready() -> None:
    """A load balancer sees 503, a person sees why; of the machine, strangers learn nothing."""
    async with broken(KeptLog()) as http:
        response = await http.get("/readyz")
    assert response.status_code == 503
    assert response.json()["store"] == "OperationalError"
    assert response.json()["findings"] == []


async def test_a_fault_of_ours_is_logged_and_not_shown() -> None:
    """The visitor learns whose fault it is; the log names what happened, and where."""
    log = KeptLog()
    async with broken(log) as http:
        response = await http.get("/api/v1/ladders")
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal"
    assert "secret-looking" not in response.text
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    (told,) = log.warnings
    assert told["path"] == "/api/v1/ladders"
    assert told["request"] == response.headers["X-Request-Id"]
    assert "ZeroDivisionError" in str(told["error"])


async def test_a_document_is_made_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some take longer than a page, for whose price they are to be had."""
    made: list[str] = []
    monkeypatch.setattr(module, "DOCUMENTS", {"/tale": lambda: made.append("once")})
    async with broken(KeptLog()) as http:
        assert [(await http.get("/tale")).text for _ in range(2)] == ["null"] * 2
    assert made == ["once"]


async def test_metrics_count_what_was_played(played: Seen) -> None:
    """Games, plies and results as the API lists them, in Prometheus's format."""
    games = (await played.api("/games"))["games"]
    found = await samples(played)
    assert found["mancala_games_started_total", ()] == len(games)
    assert found["mancala_games_finished_total", (("reason", "normal"),)] == len(games)
    assert found["mancala_plies_total", ()] == sum(game["plies"] for game in games)
    assert found["mancala_games_running", ()] == 0
    assert found["mancala_outbox_depth", ()] == len(games) + 2
    assert found["mancala_outbox_bytes", ()] > found["mancala_outbox_depth", ()]
    assert found["mancala_store_read_seconds_count", ()] > 0
    assert found["mancala_reviewers", ()] == 0
    assert found["mancala_commit_seconds_count", ()] >= found["mancala_plies_total", ()]
    assert found["mancala_loop_lag_seconds_count", ()] > 0


async def test_metrics_tell_of_connections_games_and_late_flags(tmp_path: Path) -> None:
    """Two bots in a game are two connections; a flag that falls is timed."""
    async with seen(tmp_path) as looking:
        ann, bob = await looking.arena.pair("ann", "bob")
        await ann.hear(Turn)
        during = await samples(looking)
        await asyncio.gather(ann.hang_up(), bob.hang_up())
    assert during["mancala_connections", ()] == 2
    assert during["mancala_games_running", ()] == 1


async def test_the_page_and_all_that_it_needs_come_from_here(played: Seen) -> None:
    """Each file it names is served with its type, and names no other host."""
    page = await played.get("/")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for name, kind in {
        "style.css": "text/css",
        "main.js": "text/javascript",
        "game.js": "text/javascript",
        "icon.svg": "image/svg+xml",
    }.items():
        response = await played.get(f"/page/{name}")
        assert response.status_code == 200
        assert response.headers["Content-Type"].startswith(kind)
        assert "ETag" in response.headers
        assert "//" not in response.text.replace("// ", "").replace(
            "http://www.w3.org", ""
        ).replace("://${", "")


@pytest.mark.parametrize("name", ["__init__.py", "..%2fapi.py", "nothing.js"])
async def test_only_the_pages_files_are_served(played: Seen, name: str) -> None:
    """No other file of the package, nor of the machine."""
    assert (await played.get(f"/page/{name}")).status_code == 404


async def samples(looking: Seen) -> dict[tuple[str, Any], float]:
    families = text_string_to_metric_families((await looking.get("/metrics")).text)
    return {
        (sample.name, tuple(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }
