"""A server with its web open, and what was played on it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx

from mancala.server.app.server import Server
from tests.patience import PATIENCE_S
from tests.server.peers import Arena, arena, played_out


class Seen:
    """A running server and a client of its web."""

    def __init__(self, running: Arena, http: httpx.AsyncClient) -> None:
        self.arena = running
        self.http = http

    @property
    def server(self) -> Server:
        return self.arena.server

    @property
    def url(self) -> str:
        return self.server.http_url or ""

    async def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401  # httpx's own
        return await self.http.get(path, **options)

    async def api(self, path: str) -> Any:  # noqa: ANN401  # whatever JSON holds
        response = await self.get(f"/api/v1{path}")
        assert response.status_code == 200, response.text
        return response.json()

    async def play(
        self,
        first: str,
        second: str,
        *,
        games: int = 1,
        tokens: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        pair = await self.arena.pair(first, second, games=games, tokens=tokens)
        over = await played_out(*pair)
        for peer in pair:
            await peer.hang_up()
        return over.match


@asynccontextmanager
async def seen(folder: Path, **changes: Any) -> AsyncIterator[Seen]:  # noqa: ANN401  # settings
    async with (
        arena(folder, **{"http_port": 0, "stage_names": "all", **changes}) as running,
        httpx.AsyncClient(
            base_url=running.server.http_url or "",
            verify=False,  # noqa: S501  # it speaks plain HTTP
            timeout=PATIENCE_S,
        ) as http,
    ):
        yield Seen(running, http)


@asynccontextmanager
async def seen_games(folder: Path) -> AsyncIterator[Seen]:
    """Run a server on which ann and bob have played three games, and bob and cid one."""
    async with seen(folder) as looking:
        await looking.play("ann", "bob", games=3)
        await looking.play("bob", "cid")
        yield looking
