"""Who did what, and why."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

from mancala.server.control.operator import UsageError
from tests.patience import PATIENCE_S
from tests.server.control.operators import order
from tests.server.peers import arena
from tests.server.store import databases


async def test_the_trail_has_the_latest_first(tmp_path: Path) -> None:
    """As many lines as wanted; reading it leaves no line."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve", reason="she cheats", why="she cheats")
        await order(running.server, "notice", text="Hello.")
        await order(running.server, "log")
        lines = (await order(running.server, "log"))["log"]
        [last] = (await order(running.server, "log", last=1))["log"]
    assert [(line["number"], line["action"], line["by"]) for line in lines] == [
        (2, "notice", "root"),
        (1, "ban", "root"),
    ]
    assert lines[1]["why"] == "she cheats"
    assert lines[1]["arguments"]["name"] == "eve"
    assert last == lines[0]


async def test_no_line_is_no_number_of_lines(tmp_path: Path) -> None:
    """The bounds are named."""
    async with arena(tmp_path) as running:
        with pytest.raises(UsageError, match=r"log: .*>= 1.*last"):
            await order(running.server, "log", last=0)


async def test_a_public_log_is_on_mqtt_and_on_the_page(tmp_path: Path) -> None:
    """Without networks and files; also what was done before it was public. By default it is not."""
    async with arena(tmp_path, http_port=0) as running:
        await order(running.server, "ban", address="192.0.2.0/24", reason="floods", why="floods")
        await order(running.server, "backup", target="/srv/copy.sqlite3", size=7)
        async with httpx.AsyncClient(base_url=str(running.server.http_url)) as http:
            assert (await http.get("/api/v1/log")).status_code == 404
            assert "/log" not in (await http.get("/")).text
    async with arena(tmp_path, http_port=0, public_log=True) as running:
        await order(running.server, "notice", text="Hello.", why="manners")
        async with httpx.AsyncClient(
            base_url=str(running.server.http_url), timeout=PATIENCE_S
        ) as http:
            view = (await http.get("/api/v1/log")).json()
            assert '<a href="/log">' in (await http.get("/log")).text
    assert [(line["action"], line["changed"][0]["subject"]) for line in view["log"]] == [
        ("notice", "test"),
        ("backup", "the store"),
        ("ban", "address (not public)"),
    ]
    place = databases.place_of(tmp_path)
    query = "SELECT payload FROM outbox WHERE topic LIKE '%/log'"
    [payload] = [json.loads(str(row[0])) for row in databases.rows(place, query)]
    assert (payload["action"], payload["why"]) == ("notice", "manners")
    assert "192.0.2" not in json.dumps(view)
