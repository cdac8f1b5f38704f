"""``mancala demo``: broker, server and two bots, each a process, and the match they play.

It uses nothing that an organiser or a bot author could not: the server and the bots are started
by their commands, the games are watched over the websocket, the results come over MQTT.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct

from protocol import codec
from protocol.messages import ServerMessage
from protocol.results import AnyPayload
from scripts.console import output as console
from scripts.views.scoreboard import Scoreboard

if TYPE_CHECKING:
    from scripts.processes.children import Child
    from scripts.processes.spectator import Spectator
    from scripts.views.live_view import Screen

LAST_RESULTS_S: Final = 10.0
BOT_LEAVES_S: Final = 0.5
INTERRUPTED: Final = 130
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


class Arena(Struct, frozen=True):
    """What ``mancala serve --json`` tells.

    Attributes:
        server: its name.
        url: where bots and spectators connect.
        mqtt: the broker; None when there is none.
        prefix: the first levels of its topics.
    """

    server: str
    url: str
    mqtt: str | None
    prefix: str


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


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(_command)


def _command(
    *,
    games: Annotated[int, typer.Option(min=1, max=1000, help="Games, seats swapped.")] = 6,
    movetime: Annotated[float, typer.Option(min=0.01, max=3600, help="Seconds a move.")] = 0.2,
    first: Annotated[str, typer.Option(help="One player's SPEC.")] = "engine",
    second: Annotated[str, typer.Option(help="The other's.")] = "engine:depth=6",
    json: Annotated[
        bool, typer.Option("--json", help="The match as one JSON object on stdout.")
    ] = False,
) -> None:
    """Watch two bots play a rated match."""
    from rich.console import Console

    from bot.players.registry import make_player
    from scripts.views.live_view import Screen

    try:
        for spec in (first, second):
            make_player(spec, seed=None)
    except ValueError as wrong:
        console.fail(str(wrong))
    plan = Plan(_named(first, second), games, movetime)
    one, other = plan.specs
    score = Scoreboard((one, other), games)
    screen = Screen(Console(quiet=json, highlight=False), score)
    began = time.monotonic()
    arena = _run(_Demo(plan, score, screen).play())
    screen.conclude()
    if arena.mqtt is None:
        typer.echo(NO_BROKER, err=json)
    if json:
        console.emit(_report(score, arena, time.monotonic() - began))
    if not score.is_played:
        console.fail("not every game was played", code=console.FAILED)
    if arena.mqtt is not None and not score.is_published:
        console.fail("not every result came back over MQTT", code=console.FAILED)


class _Demo:
    """One match, from the first process to the last."""

    def __init__(self, plan: Plan, score: Scoreboard, screen: Screen) -> None:
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
        from scripts.processes.children import mancala

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
        from scripts.processes.spectator import Spectator, dial

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
        from scripts.processes.subscriber import follow

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


def _run(work: Coroutine[None, None, Arena]) -> Arena:
    """Run to the end; what went wrong, and Ctrl-C, become exit codes."""
    from websockets.exceptions import WebSocketException

    from scripts.processes.children import ChildError
    from scripts.processes.subscriber import BrokerError

    expected = (ChildError, BrokerError, WebSocketException, OSError)
    try:
        return asyncio.run(_interruptible(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(INTERRUPTED) from None
    except (ExceptionGroup, *expected) as error:
        causes = list(_leaves(error))
        if not all(isinstance(cause, expected) for cause in causes):
            raise
        console.fail(str(causes[0]), code=console.FAILED)


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


async def _interruptible(work: Coroutine[None, None, Arena]) -> Arena:
    """Let SIGTERM end the work as Ctrl-C does: in order."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


def _named(first: str, second: str) -> dict[str, str]:
    one, other = (re.sub(r"[^A-Za-z0-9]+", "-", spec).strip("-")[:40] for spec in (first, second))
    if one == other:
        return {f"{one}-1": first, f"{other}-2": second}
    return {one: first, other: second}


def _report(score: Scoreboard, arena: Arena, seconds: float) -> dict[str, object]:
    return {
        "games": len(score.finished),
        "results": score.results,
        "match": score.match,
        "score": score.points,
        "mqtt": arena.mqtt,
        "seconds": round(seconds, 2),
    }
