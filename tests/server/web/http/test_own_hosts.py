"""Requests for other hosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from websockets import InvalidStatus, Origin
from websockets.asyncio.client import connect

from tests.server.web.seen import seen


async def test_a_request_for_another_host_is_refused(tmp_path: Path) -> None:
    """``Host: evil.example`` was let in once, so its page could read a private server's API."""
    async with seen(tmp_path, hosts=("arena.example.net",)) as looking:
        refused = await looking.http.get("/api/v1", headers={"Host": "evil.example"})
        assert refused.status_code == 421
        assert refused.json()["error"]["code"] == "unknown_host"
        page = await looking.http.get("/", headers={"Host": "evil.example", "Accept": "text/html"})
        assert page.status_code == 421
        assert "does not go by that name" in page.text
        allowed = await looking.http.get("/api/v1", headers={"Host": "arena.example.net"})
        assert allowed.status_code == 200


async def test_a_reload_brings_new_names(tmp_path: Path) -> None:
    """Also where the page is served by the game server's own process."""
    async with seen(tmp_path, hosts=("old.example",)) as looking:
        looking.server.reload(replace(looking.server.config, hosts=("new.example",)))
        for host, status in (("new.example", 200), ("old.example", 421)):
            assert (await looking.get("/api/v1", headers={"Host": host})).status_code == status


async def test_a_page_whose_name_leads_here_opens_no_websocket(tmp_path: Path) -> None:
    """Its origin and the host are the same, and yet it comes from elsewhere."""
    async with seen(tmp_path) as looking:
        url = looking.arena.url.replace("127.0.0.1", "evil.example")
        with pytest.raises(InvalidStatus, match="403"):
            await connect(url, origin=Origin("http://evil.example"), host="127.0.0.1")
