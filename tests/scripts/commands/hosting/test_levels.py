"""The engine's ten levels as bots that wait for challenges."""

import asyncio
from pathlib import Path
from typing import Final

import httpx

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Challenge, GameStart, Turn
from tests.end_to_end.arena import hosted
from tests.patience import PATIENCE_S, WALK_S
from tests.server.peers import wire_peer

POLL_S: Final = 0.2
UNHURRIED: Final = TimeControl(move_ms=600_000)
SETTINGS: Final = "http_port = 0\n[play]\nlevels = true\n"


async def test_ten_levels_wait_for_people_on_a_server_that_wants_them(tmp_path: Path) -> None:
    """They are listed as opponents of the house; one that is challenged plays."""
    async with asyncio.timeout(WALK_S), hosted(tmp_path, SETTINGS) as host:
        async with httpx.AsyncClient(base_url=host.arena.http or "", timeout=PATIENCE_S) as http:
            while len(names := await house(http)) < 10:  # noqa: ASYNC110  # HTTP has no events
                await asyncio.sleep(POLL_S)
        assert sorted(names) == sorted(f"level-{level}" for level in range(1, 11))
        async with wire_peer(host.url, "eve") as eve:
            await eve.say(Challenge("level-3", clock=UNHURRIED, rated=False, games=1, seat=1))
            start = await eve.hear(GameStart)
            assert start.names == ("level-3", "eve")
            assert (await eve.hear(Turn)).ply > 0


async def house(http: httpx.AsyncClient) -> list[str]:
    """Return the opponents of the house; none while the game server is not asked yet."""
    found = (await http.get("/api/v1/opponents")).json().get("opponents", [])
    return [each["name"] for each in found if each["house"]]
