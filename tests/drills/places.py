"""``python -m tests.drills.places``: strangers who take all places of a house bot or the analyst.

A stranger challenges a house bot under several names and says nothing more. First he asks for a
week a move and a thousand games, then for the longest that the house gives. A visitor must be given
a game both times, and again after a restart of the server with all places taken. A place is lent
for a second here, so that the drill is short.

Then strangers at three addresses, named by a proxy, ask for more analyses than may wait, each the
next one as soon as it has an answer. A visitor's question must be taken in before their next ones.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import Annotated, Final, NamedTuple
from uuid import uuid4

import httpx
import typer
from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec
from mancala.protocol.clock import LONGEST_MS, TimeControl
from mancala.protocol.messages import VERSION, Challenge, Error, ErrorCode, GameStart, Hello
from mancala.protocol.rules import Board, Rules
from mancala.server.config.settings import Play
from mancala.server.web.api.analyst import TOO_MANY
from tests.drills.databases import Database
from tests.drills.hosting import SQLITE_FILES, HostedServer, temporary_host
from tests.drills.members import LADDER
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S, WALK_S, connect

AGAIN_S: Final = 0.5
ASK_S: Final = 0.02
HOUSE: Final = "house-random"
GIVEN: Final = "given a game"
PATIENT: Final = Challenge(HOUSE, clock=TimeControl(move_ms=LONGEST_MS), games=1000)
LONGEST: Final = Challenge(
    HOUSE, clock=TimeControl(move_ms=round(1000 * Play().longest_turn_s)), games=Play().games
)
VISIT: Final = Challenge(HOUSE, clock=TimeControl(move_ms=60_000), games=1)
STRANGERS: Final = ("192.0.2.66", "192.0.2.67", "192.0.2.68")
QUESTIONS: Final = 4
"""Questions that a stranger has open at a time; together they are more than may wait."""
VISITOR: Final = "192.0.2.1"
MOST_IN_A_PIT: Final = 100
SETTINGS: Final = f"""\
http_port = {{http}}
[limits]
proxies = ["{HOST}/32"]
[play]
lease_s = 1.0
[[ladder]]
name = "{LADDER}"
house = {{{{ {HOUSE} = "random" }}}}
"""


class PlacesPlan(NamedTuple):
    """The size of the drill; the stranger has as many names as there are places."""

    names: Annotated[int, typer.Option(min=1, help="Names of the stranger.")] = Play().challenges
    seed: SeedOption = 1


async def drill(plan: PlacesPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Take all places of a house bot and of the analyst, and see what a visitor gets."""
    answers, http = {}, free_port()
    with temporary_host(SETTINGS.format(http=http), where) as place:
        async with place.running() as life:
            async with _strangers(life, plan.names, PATIENT):
                answers["beside a week a move"] = await _visit(life, "ann")
            async with _strangers(life, plan.names, LONGEST):
                answers["beside the longest turns"] = await _visit(life, "bob")
            async with _strangers(life, plan.names, LONGEST):
                await life.kill()
        async with place.running() as life:
            answers["after a restart"] = await _visit(life, "cy")
            refusals = await _analysed(f"http://{HOST}:{http}/api/v1/analysis")
    promises = {f"a visitor is {GIVEN} {when}": said == GIVEN for when, said in answers.items()}
    promises["a visitor's question has its turn at the analyst"] = refusals == 0
    figures = {"names": plan.names, "answers": answers, "refusals": refusals}
    return DrillReport("places", plan.seed, figures, promises)


class _Questions:
    """Asks for one position after the other."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._asked = count(MOST_IN_A_PIT)
        self.answered: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.is_full = asyncio.Event()

    async def ask(self, address: str) -> None:
        await self._ask(next(self._asked), address)

    async def _ask(self, number: int, address: str) -> None:
        pits = divmod(number, MOST_IN_A_PIT)
        board = Board(Rules(), ((*pits, *[4] * 4), (4,) * 6), (0, 0))
        sent = {"X-Forwarded-For": address}
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            got = await client.get(self._url, params={"board": board.text}, headers=sent)
        if got.is_success:
            self.answered[address] += 1
        elif TOO_MANY in got.text:
            self.refused[address] += 1
            self.is_full.set()

    async def until_answered(self, address: str) -> None:
        number = next(self._asked)  # the same until then: an answer that comes late is kept
        while not self.answered[address]:
            await self._ask(number, address)
            await asyncio.sleep(ASK_S)

    async def go_on(self, address: str) -> None:
        while True:
            await self.ask(address)
            await asyncio.sleep(ASK_S)


async def _analysed(url: str) -> int:
    questions = _Questions(url)
    async with asyncio.timeout(WALK_S):  # the engine may have to be compiled
        for address in STRANGERS:
            await questions.until_answered(address)
    strangers = [
        asyncio.create_task(questions.go_on(address))
        for address in STRANGERS
        for _ in range(QUESTIONS)
    ]
    try:
        async with asyncio.timeout(PATIENCE_S):
            await questions.is_full.wait()
            await questions.until_answered(VISITOR)
    finally:
        for stranger in strangers:
            stranger.cancel()
        await asyncio.gather(*strangers, return_exceptions=True)
    return questions.refused[VISITOR]


@asynccontextmanager
async def _strangers(life: HostedServer, names: int, wanted: Challenge) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for _ in range(names):
            socket = await stack.enter_async_context(connect(life.url))
            await _ask(socket, f"stranger-{uuid4().hex[:12]}", wanted)
        yield


async def _visit(life: HostedServer, name: str) -> str:
    async with connect(life.url) as socket:
        return await _ask(socket, name, VISIT)


async def _ask(socket: ClientConnection, name: str, wanted: Challenge) -> str:
    await socket.send(codec.encode(Hello(VERSION, name)), text=True)
    await socket.recv()  # welcome
    async with asyncio.timeout(PATIENCE_S):
        await socket.send(codec.encode(wanted), text=True)
        async for frame in socket:
            match codec.decode_server(frame):
                case GameStart():
                    return GIVEN
                case Error(code=ErrorCode.UNKNOWN_OPPONENT):
                    await asyncio.sleep(AGAIN_S)
                    await socket.send(codec.encode(wanted), text=True)
                case Error(message=message):
                    return message
                case _:
                    pass
    return "the connection was closed"


if __name__ == "__main__":
    command_line(drill)
