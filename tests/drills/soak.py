"""``python -m tests.drills.soak``: what a server keeps in memory of games that are over.

The game server runs in virtual time, without a web process and fronts; its network, its MQTT client
and the thread that writes are simulated. Its bots keep nothing. Some play on a ladder or seek
matches, some challenge a bot of the house; they come and go. The bot of the house, a reviewer and a
spectator stay. After a minute, and at the end, the players are cut off until the server has
forgotten them. Between the two all objects that Python holds may grow by a hundred bytes a game at
most: all else is in the store. What the process itself takes (pages that SQLite keeps, blocks that
the C library does not give back) is reported beside it.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from datetime import timedelta
from functools import partial
from math import ceil
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import psutil
import typer
from msgspec.structs import replace

from mancala.protocol import messages as wire
from mancala.server.app.server import Server
from mancala.server.app.system import System
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, Limits, Mqtt, Reviewers
from mancala.server.model.credentials import Rights
from mancala.server.model.timestamps import rfc3339
from mancala.server.net.limits.gate import OWN
from tests.drills.members import Answering, take_part
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.simulate import reading
from tests.simulate.broker import SimulatedBroker
from tests.simulate.campaign import temporary
from tests.simulate.disk import Disk
from tests.simulate.full_stack.host import SimulatedHost
from tests.simulate.full_stack.loop import FullStackLoop
from tests.simulate.full_stack.network import Network, SharedLink
from tests.simulate.full_stack.packet_tap import DeafTap
from tests.simulate.loop import run
from tests.simulate.memory import held
from tests.simulate.reviewers import assess
from tests.simulate.storage import VirtualWriter
from tests.simulate.trace import Trace
from tests.simulate.world import BEGAN_AT

MOST_BYTES: Final = 100.0
"""That Python may keep of a game that is over."""
WARM_UP_S: Final = 60.0
"""In which most of what has a bound reaches it."""
SHOWN: Final = 5
"""Types of objects that are named in the report: those that grew most."""
ADDRESS: Final = "192.0.2.1"
PORT: Final = 8765
GUESTS: Final = "198.51.100.1"
"""The address of all guests."""
DELAY_S: Final = 0.06
"""Mean time of a packet on its way; bots answer without any other."""
REST_S: Final = 90.0
"""After which a server keeps no more of bots that were cut off: longer than their grace."""
AWAY_S: Final = 1.0
"""For how long a bot that has left stays away."""
HOUSE: Final = "house"
REVIEWER: Final = "house-reviewer-1"
RULES: Final = "kalah:pits=2,seeds=2"
CONFIG: Final = Config(
    host=ADDRESS,
    port=PORT,
    rules=RULES,
    mqtt=Mqtt(url="mqtt://192.0.2.2:1883", live_moves=True),
    reviewers=Reviewers(house=1, queue=16),
    limits=Limits(messages_per_s=100.0),
    ladder=(
        LadderSettings(name="main", rules=RULES, patience_s=0.0, house={HOUSE: "random"}),
        LadderSettings(name="asked", rules=RULES, requests=True),
    ),
)
AWAY: Final = frozenset({wire.ErrorCode.DECLINED, wire.ErrorCode.UNKNOWN_OPPONENT})
"""How a challenge is refused whose bot of the house has just left."""


class Habit(NamedTuple):
    """What a bot does while it is connected.

    Attributes:
        matches: after how many it leaves for a while; None if it stays.
        asks_again: whether it makes its request again after each.
    """

    name: str
    request: wire.Message
    matches: int | None = None
    asks_again: bool = False


PLAYERS: Final = (
    Habit("ann", wire.Join("main"), 10),
    Habit("bob", wire.Join("main"), 15),
    Habit("cid", wire.Seek(), 10, asks_again=True),
    Habit("dan", wire.Seek(), 15, asks_again=True),
    Habit("eve", wire.Challenge(HOUSE), 10, asks_again=True),
)
LASTING: Final = (
    Habit(HOUSE, wire.Join("main")),
    Habit(REVIEWER, wire.OfferReviews(version=1, games=4)),
    Habit("fay", wire.Watch(ladder="main")),
)
"""Those that are connected all the time."""


class SoakedServer:
    """A server in virtual time; its network, its disk and its broker keep nothing."""

    def __init__(self, loop: FullStackLoop, store: Path, seed: int) -> None:
        self._loop = loop
        self._config = replace(CONFIG, store=str(store))
        self.trace = Trace(random.Random(seed), loop.time)
        self.disk = Disk(seed, self.trace, lambda: True, is_sound=True)
        self._broker = SimulatedBroker(self.trace)
        self._tasks: dict[SimulatedHost, asyncio.Task[None]] = {}
        loop.network = Network(loop, self.trace, self)

    def later(self, delay_s: float, call: Callable[[], object]) -> None:
        self._loop.call_later(delay_s, call)

    def dialled(self, host: SimulatedHost) -> None:
        """Take no note of a connection."""

    def tap(self, _link: SharedLink, _host: SimulatedHost) -> tuple[DeafTap, DeafTap]:
        return DeafTap(), DeafTap()

    @property
    def games(self) -> int:
        """How many games are over."""
        [(games,)] = reading.rows(Path(self._config.store_path), "select count(*) from games")
        return int(games)

    async def begin(self) -> None:
        """Start the server, and the bots that stay once it listens."""
        is_up = asyncio.Event()
        self._start(SimulatedHost("server", ADDRESS), self._serve(is_up))
        await is_up.wait()
        for habit in LASTING:
            self._start_bot(habit)

    async def play(self, seconds: float) -> None:
        """Let bots play for a while; return once the server has forgotten them."""
        players = [self._start_bot(habit) for habit in PLAYERS]
        await self._pass_by(seconds)
        for host in players:
            del self._tasks[host]
            host.kill()
        await self._pass_by(REST_S)

    def _start(self, host: SimulatedHost, work: Coroutine[Any, Any, None]) -> None:
        self._tasks[host] = host.start(work, host.name)

    def _start_bot(self, habit: Habit) -> SimulatedHost:
        address = OWN if habit.name in CONFIG.own_names else GUESTS
        host = SimulatedHost(habit.name, address, delay_s=DELAY_S)
        self._start(host, self._live(habit))
        return host

    async def _pass_by(self, seconds: float) -> None:
        """Let time pass; raise what went wrong meanwhile."""
        for _ in range(ceil(seconds)):
            await asyncio.sleep(1.0)
            for task in self._tasks.values():
                if task.done():
                    task.result()
            self._broker.received.clear()

    def _utc(self) -> str:
        return rfc3339(BEGAN_AT + timedelta(seconds=self._loop.time()))

    async def _serve(self, is_up: asyncio.Event) -> None:
        network = self._loop.network
        system = System(
            utc=self._utc,
            rng=self.trace.rng,
            open_ports=network.open_ports,
            writer=partial(VirtualWriter, self),
            new_client=self._broker.client,
            listen=network.hold,
            listen_once=network.hold_once,
            used=lambda: 0.0,
        )
        config = self._config
        async with Server(config, system=system) as server:
            await server.store.reserve(config.house_names, self._utc())
            reviewer = Rights(is_reviewer=True)
            await server.store.reserve(config.reviewer_names, self._utc(), reviewer)
            is_up.set()
            await asyncio.Event().wait()

    async def _live(self, habit: Habit) -> None:
        hello = wire.Hello(wire.VERSION, habit.name, agent=wire.Agent("soak"))
        while True:
            url, answering = f"ws://{ADDRESS}:{PORT}", self._answering(habit)
            error = await take_part(url, hello, habit.request, answering)
            if error is not None and error.code not in AWAY:
                raise RuntimeError(f"{habit.name}: {error.message}")
            await asyncio.sleep(AWAY_S)

    def _answering(self, habit: Habit) -> Answering:
        left = habit.matches

        def answer(message: wire.Message) -> Iterator[wire.Message]:
            nonlocal left
            match message:
                case wire.Turn():
                    yield wire.Move(message.game, message.ply, self.trace.rng.choice(message.legal))
                case wire.GameStart() if left == 1 and isinstance(habit.request, wire.Join):
                    yield wire.Leave(habit.request.ladder)
                case wire.MatchOver() if left is not None:
                    left -= 1
                    if not left:
                        yield wire.Goodbye()
                    elif habit.asks_again:
                        yield habit.request
                case wire.Challenged(to=habit.name):
                    yield wire.Accept(message.challenge)
                case wire.ReviewWanted():
                    yield wire.Review(message.game, tuple(assess(message)), "soak", 1.0)

        return answer


def drill(
    minutes: Annotated[float, typer.Option(min=1.1, help="Of virtual time.")] = 60.0,
    seed: SeedOption = 1,
) -> DrillReport:
    """Play for a while, and measure what stays in memory."""
    with temporary() as folder:
        return run(partial(_soak, Path(folder), 60.0 * minutes, seed), FullStackLoop)


async def _soak(folder: Path, seconds: float, seed: int, loop: FullStackLoop) -> DrillReport:
    soaked = SoakedServer(loop, folder / "soak.sqlite3", seed)
    await soaked.begin()
    await soaked.play(WARM_UP_S)
    for _ in range(2):  # the second sees what the first returned, as the last one does
        before = held()
    resident, warm = _resident(), soaked.games
    await soaked.play(seconds - WARM_UP_S)
    games, resident = soaked.games - warm, _resident() - resident
    grown = held()
    grown.subtract(before)
    kept = grown.total() / games
    figures = {
        "games": games,
        "warm_up_games": warm,
        "python_bytes_a_game": round(kept, 1),
        "process_bytes_a_game": round(resident / games),
        "grown_bytes": dict(grown.most_common(SHOWN)),
    }
    promises = {"keeps_100_bytes_a_game_at_most": kept <= MOST_BYTES}
    return DrillReport("soak", seed, figures, promises)


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)


if __name__ == "__main__":
    command_line(drill)
