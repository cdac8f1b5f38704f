"""The match of ``mancala demo``: a broker, a server and two bots as processes, until it is over.

It uses nothing that an organiser or a bot author could not: the server and the bots are started
by their commands, the games are watched over the websocket, the results come over MQTT.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from protocol import codec
from protocol.messages import ServerMessage
from protocol.results import AnyPayload
from scripts.demo.view import DemoView
from scripts.processes.arena import Arena
from scripts.processes.spectator import Spectator, dial
from scripts.processes.subscriber import follow
from scripts.processes.supervisor import mancala

if TYPE_CHECKING:
    from scripts.demo.screen import Screen
    from scripts.processes.supervisor import Child

LAST_RESULTS_S: Final = 10.0
BOT_LEAVES_S: Final = 0.5
GAME_BEGINS: Final = re.compile(r"game (\S+): Player [12] against")
NO_BROKER: Final = (
    "MQTT: no results are published, since no mosquitto could be started on this machine "
    "(apt-get install mosquitto)"
)
CONFIG: Final = """\
name = "demo"
port = 0
store = "{folder}/demo.sqlite3"
drain_s = 0.0

[clock]
move_ms = {move_ms}
timeout = "provisional"
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

    Attributes:
        specs: each bot's SPEC by its name.
        games: how many games.
        movetime_s: seconds a move.
    """

    specs: dict[str, str]
    games: int
    movetime_s: float


class DemoMatch:
    """One match, from the first process to the last."""

    def __init__(self, plan: Plan, score: DemoView, screen: Screen) -> None:
        self._plan = plan
        self._score = score
        self._screen = screen
        self._is_complete = asyncio.Event()
        self._expects_mqtt = False

    async def play(self) -> Arena:
        """Start everything, watch, and end everything.

        Raises:
            ExceptionGroup: of :class:`ChildError` and whatever else went wrong.
        """
        with TemporaryDirectory(prefix="mancala-demo-") as name:
            folder = Path(name)
            move_ms = round(self._plan.movetime_s * 1000)
            (folder / "demo.toml").write_text(CONFIG.format(folder=folder, move_ms=move_ms))
            start = partial(mancala, folder=folder, env={**os.environ, "XDG_STATE_HOME": name})
            serving = start("server", "serve", "--config", str(folder / "demo.toml"), "--json")
            async with serving as server, self._screen.live():
                arena = codec.from_json(await server.line(), Arena)
                self._introduce(arena)
                await self._attend(arena, start)
        return arena

    def _introduce(self, arena: Arena) -> None:
        bots = " and ".join(self._plan.specs)
        self._screen.say(
            f"{bots} play {self._plan.games} games, {self._plan.movetime_s:g} s a move"
        )
        self._screen.say(f"match server: {arena.url}")
        self._screen.say(f"broker: {arena.mqtt}" if arena.mqtt else NO_BROKER)
        self._expects_mqtt = arena.mqtt is not None

    async def _attend(
        self, arena: Arena, start: Callable[..., AbstractAsyncContextManager[Child]]
    ) -> None:
        async with dial(arena.url) as socket, asyncio.TaskGroup() as group:
            spectator = Spectator(socket, self._hear)
            background = [group.create_task(spectator.run("audience"), name="spectator")]
            if arena.mqtt is not None:
                background.append(await self._subscribe(arena, group))
            async with asyncio.TaskGroup() as bots:
                for name in self._plan.specs:
                    bots.create_task(self._bot(start, arena, name, spectator), name=name)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_complete.wait(), LAST_RESULTS_S)
            for task in background:
                task.cancel()

    async def _subscribe(self, arena: Arena, group: asyncio.TaskGroup) -> asyncio.Task[None]:
        subscribed = asyncio.Event()
        following = follow(arena.mqtt or "", arena.prefix, self._receive, subscribed=subscribed)
        task = group.create_task(following, name="subscriber")
        await subscribed.wait()
        return task

    async def _bot(
        self,
        start: Callable[..., AbstractAsyncContextManager[Child]],
        arena: Arena,
        name: str,
        spectator: Spectator,
    ) -> None:
        (opponent,) = self._plan.specs.keys() - {name}
        options = {
            "--name": name,
            "--player": self._plan.specs[name],
            "--opponent": opponent,
            "--games": str(self._plan.games),
        }
        words = [word for option in options.items() for word in option]
        async with start(name, "bot", arena.url, *words, patience_s=BOT_LEAVES_S) as bot:
            async for line in bot.lines():
                begins = GAME_BEGINS.match(line)
                if begins is not None and name == self._score.names[0]:
                    await spectator.watch(begins[1])
            await bot.succeed()

    def _hear(self, message: ServerMessage) -> None:
        self._score.hear(message, time.monotonic())
        self._check()

    def _receive(self, payload: AnyPayload) -> None:
        self._score.receive(payload)
        self._screen.announce(payload)
        self._check()

    def _check(self) -> None:
        if self._score.is_played and (self._score.is_published or not self._expects_mqtt):
            self._is_complete.set()
