"""The match of ``demo`` and ``play-bots``: a server and two bots as processes, until it is over.

It uses only what an organiser and a bot author have: the server and the bots are started by their
commands, the games are watched over the websocket, and the results arrive over MQTT where there
is a broker.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mancala.bot.client.reconnect import dial
from mancala.protocol import codec
from mancala.protocol.messages import GameOver, ServerMessage
from mancala.protocol.results import AnyPayload
from mancala.protocol.text import quantity

from ..console.processes.subscriber import Spectator, follow
from ..console.processes.supervisor import mancala
from ..console.processes.temporary import ServedArena, temporary_folder
from .view import DemoView

if TYPE_CHECKING:
    from ..console.processes.supervisor import Child
    from .screen import Screen

LAST_RESULTS_S: Final = 10.0
BOT_LEAVES_S: Final = 0.5
LADDER: Final = "demo"
NO_BROKER: Final = (
    "MQTT: results are not published, because mosquitto is not installed or did not start "
    "(apt-get install mosquitto)"
)
OPENINGS: Final = (
    "<6,3,9,0,0,2,1,9,7,0,1,2,7,7,0>",
    "<6,4,3,0,7,0,6,2,2,0,8,0,7,2,7>",
    "<6,5,4,1,2,9,1,7,0,1,0,7,1,1,9>",
    "<6,2,4,1,9,9,0,1,7,2,1,0,1,8,3>",
    "<6,3,4,2,7,6,0,7,0,0,7,0,2,8,2>",
    "<6,5,4,7,3,2,5,8,0,2,9,2,0,1,0>",
)
"""Proven draws, with 36 to 42 seeds in play; each starts two games, one from either seat."""
CONFIG: Final = """\
name = "demo"
port = 0
{page}
store = "{folder}/demo.sqlite3"
drain_s = 0.0

[[ladder]]
name = "{ladder}"
rules = "{rules}"
games = {games}
openings = {openings}
patience_s = 60.0
[ladder.clock]
move_ms = {move_ms}
timeout = "provisional"

[mqtt]
private_broker = {broker}
"""


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """The match to play, with each bot's SPEC by its name, and an even number of games.

    Without openings games begin as usual. One that publishes has a broker, and ends with the last
    result from it. ``on_page`` is called with the page's address; without it there is none.
    """

    specs: dict[str, str]
    games: int
    movetime_s: float
    rules: str = "kalah"
    openings: tuple[str, ...] = OPENINGS
    publishes: bool = True
    on_page: Callable[[str], object] | None = None


class DemoMatch:
    def __init__(self, plan: DemoPlan, score: DemoView, screen: Screen) -> None:
        self._plan = plan
        self._score = score
        self._screen = screen
        self._is_complete = asyncio.Event()
        self._expects_mqtt = False

    async def play(self, *, stay: bool = False) -> ServedArena:
        """Start the processes, watch the match, and end them; to stay, only when cancelled."""
        with temporary_folder("demo") as folder:
            (folder / "demo.toml").write_text(self._config(folder))
            env = {**os.environ, "XDG_STATE_HOME": str(folder)}
            start = partial(mancala, folder=folder, env=env)
            serving = start("server", "serve", "--config", str(folder / "demo.toml"), "--json")
            async with serving as server, self._screen.live():
                arena = codec.from_json(await server.line(), ServedArena)
                self._introduce(arena)
                await self._watch(arena, start)
                if stay:
                    self._screen.conclude()
                    self._screen.say("The page stays until Ctrl-C.")
                    await asyncio.Event().wait()
        return arena

    def _config(self, folder: Path) -> str:
        plan = self._plan
        return CONFIG.format(
            folder=folder,
            ladder=LADDER,
            games=plan.games,
            rules=plan.rules,
            openings=list(plan.openings),
            page="" if plan.on_page is None else "http_port = 0",
            broker=str(plan.publishes).lower(),
            move_ms=round(plan.movetime_s * 1000),
        )

    def _introduce(self, arena: ServedArena) -> None:
        bots = " and ".join(self._plan.specs)
        self._screen.say(
            f"{bots} play {quantity(self._plan.games, 'game')},"
            f" {self._plan.movetime_s:g} s per move"
        )
        self._screen.say(f"match server: {arena.url}")
        if self._plan.publishes:
            self._screen.say(f"broker: {arena.mqtt}" if arena.mqtt else NO_BROKER)
        if self._plan.on_page is not None and arena.http is not None:
            self._screen.say(f"page: {arena.http}")
            self._plan.on_page(arena.http)
        self._expects_mqtt = arena.mqtt is not None

    async def _watch(
        self, arena: ServedArena, start: Callable[..., AbstractAsyncContextManager[Child]]
    ) -> None:
        async with dial(arena.url) as socket, asyncio.TaskGroup() as group:
            spectator = Spectator(socket, self._on_message)
            background = [group.create_task(spectator.run("audience"), name="spectator")]
            if arena.mqtt is not None:
                background.append(await self._subscribe(arena, group))
            await spectator.watch(LADDER)
            async with asyncio.TaskGroup() as bots:
                for name in self._plan.specs:
                    bots.create_task(self._bot(start, arena, name), name=name)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_RESULTS_S):
                    await self._is_complete.wait()
            for task in background:
                task.cancel()

    async def _subscribe(self, arena: ServedArena, group: asyncio.TaskGroup) -> asyncio.Task[None]:
        subscribed = asyncio.Event()
        following = follow(arena.mqtt or "", arena.prefix, self._on_result, subscribed=subscribed)
        task = group.create_task(following, name="subscriber")
        await subscribed.wait()
        return task

    async def _bot(
        self,
        start: Callable[..., AbstractAsyncContextManager[Child]],
        arena: ServedArena,
        name: str,
    ) -> None:
        options = {
            "--name": name,
            "--player": self._plan.specs[name],
            "--ladder": LADDER,
            "--games": str(self._plan.games),
        }
        words = [word for option in options.items() for word in option]
        async with start(name, "bot", arena.url, *words, patience_s=BOT_LEAVES_S) as bot:
            async for _ in bot.lines():
                pass  # it says of its games what the spectator sees
            await bot.succeed()

    def _on_message(self, message: ServerMessage) -> None:
        self._score.on_message(message, time.monotonic())
        if isinstance(message, GameOver) and not self._expects_mqtt:
            self._screen.announce_end(message.game)
        self._check()

    def _on_result(self, payload: AnyPayload) -> None:
        self._score.on_result(payload)
        self._screen.announce(payload)
        self._check()

    def _check(self) -> None:
        if self._score.is_played and (self._score.is_published or not self._expects_mqtt):
            self._is_complete.set()
