"""Websocket clients of others: each plays a rated match, and takes its seat back when cut off."""

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.drills.newcomer import SETTINGS, counts, games_on, newcomer
from tests.end_to_end.arena import hosted
from tests.end_to_end.relay import relay
from tests.world.programs import INSTALLED, output

HERE: Final = Path(__file__).parent / "bots"
ATTEMPT_S: Final = 180.0
CUT_AT_TURN: Final = 4
NAME: Final = "stranger"
CLIENTS: Final = {
    "websocket-client (Python)": (sys.executable, "websocket_client.py"),
    "ws (Node)": ("node", "ws.cjs"),
    "Mojolicious (Perl)": ("perl", "mojolicious.pl"),
    "tcllib (Tcl)": ("tclsh", "tcllib.tcl"),
    "libsoup 3 (gjs)": ("gjs", "libsoup.js"),
}
"""Clients and the bots that are written with them."""
STARTERS: Final = {"gorilla/websocket (Go)": "go", "java.net.http (Java)": "java"}
"""Clients that our starters use."""
ENV: Final = {
    "PYTHONPATH": str(INSTALLED / "websocket-client"),
    "NODE_PATH": str(INSTALLED / "ws" / "node_modules"),
}


async def attempt(name: str) -> dict[str, bool]:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(ATTEMPT_S))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-client-")))
        server = await stack.enter_async_context(hosted(folder, SETTINGS))
        link = await stack.enter_async_context(relay(server.url, drop_at_turn=CUT_AT_TURN))
        api = server.arena.http or ""
        if name in STARTERS:
            played = await newcomer(STARTERS[name], folder, link.url, api)
            rated = bool(played["games"]) and played["games"] == played["counting"]
        else:
            program, file = CLIENTS[name]
            await output(program, str(HERE / file), link.url, NAME, "main", env=ENV)
            games = await games_on(api, bot=NAME)
            rated = bool(games) and all(map(counts, games))
    return {
        "its games were rated, and ended by the rules": rated,
        "cut off in the middle of a game, it took its seat back": link.resumed == 1,
    }
