"""``python -m tests.drills.places``: a stranger who takes all places of a house bot, and stays.

A stranger challenges a house bot under several names and says nothing more. First he asks for a
week a move and a thousand games, then for the longest that the house gives. A visitor must be given
a game both times, and again after a restart of the server with all places taken. A place is lent
for a second here, so that the drill is short.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple

import typer
from websockets.asyncio.client import ClientConnection, connect

from mancala.protocol import codec
from mancala.protocol.clock import LONGEST_MS, TimeControl
from mancala.protocol.messages import VERSION, Challenge, Error, ErrorCode, GameStart, Hello
from mancala.server.config.settings import Play
from tests.drills.databases import Database, StoreOption, database
from tests.drills.hosting import SQLITE_FILES, HostedServer, host
from tests.drills.members import LADDER
from tests.drills.report import DrillReport, JsonOption, SeedOption, command_line, conclude

ATTEMPT_S: Final = 60.0
AGAIN_S: Final = 0.5
HOUSE: Final = "house-random"
GIVEN: Final = "given a game"
PATIENT: Final = Challenge(HOUSE, clock=TimeControl(move_ms=LONGEST_MS), games=1000)
LONGEST: Final = Challenge(
    HOUSE, clock=TimeControl(move_ms=round(1000 * Play().longest_turn_s)), games=Play().games
)
VISIT: Final = Challenge(HOUSE, clock=TimeControl(move_ms=60_000), games=1)
SETTINGS: Final = f"""\
[mqtt]
private_broker = false
[play]
lease_s = 1.0
[[ladder]]
name = "{LADDER}"
house = {{ {HOUSE} = "random" }}
"""


class PlacesPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        names: under how many names the stranger challenges; as many as there are places.
        seed: for the report; nothing is drawn.
    """

    names: int
    seed: int


async def drill(plan: PlacesPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Take all places of a house bot, and see what a visitor gets."""
    answers = {}
    with TemporaryDirectory(prefix="mancala-places-") as folder:
        place = host(Path(folder), SETTINGS, where)
        async with place.running() as life:
            async with _strangers(life, plan.names, PATIENT):
                answers["beside a week a move"] = await _visit(life, "ann")
            async with _strangers(life, plan.names, LONGEST):
                answers["beside the longest turns"] = await _visit(life, "bob")
            async with _strangers(life, plan.names, LONGEST):
                await life.kill()
        async with place.running() as life:
            answers["after a restart"] = await _visit(life, "cy")
    promises = {f"a visitor is {GIVEN} {when}": said == GIVEN for when, said in answers.items()}
    return DrillReport("places", plan.seed, {"names": plan.names, "answers": answers}, promises)


@asynccontextmanager
async def _strangers(life: HostedServer, names: int, wanted: Challenge) -> AsyncIterator[None]:
    """Challenge under several names, and stay silent during the block."""
    async with AsyncExitStack() as stack:
        for _ in range(names):
            socket = await stack.enter_async_context(connect(life.url))
            await _ask(socket, f"stranger-{id(socket)}", wanted)
        yield


async def _visit(life: HostedServer, name: str) -> str:
    """Challenge the house bot; return what came of it."""
    async with connect(life.url) as socket:
        return await _ask(socket, name, VISIT)


async def _ask(socket: ClientConnection, name: str, wanted: Challenge) -> str:
    """Log in and challenge, until the house bot is there; return what came of it."""
    await socket.send(codec.encode(Hello(VERSION, name)), text=True)
    await socket.recv()  # welcome
    async with asyncio.timeout(ATTEMPT_S):
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


def main(
    *,
    names: Annotated[int, typer.Option(min=1, help="Names of the stranger.")] = Play().challenges,
    store: StoreOption = "sqlite",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Take all places of a house bot, and see what a visitor gets."""
    with database(store) as where:
        report = asyncio.run(drill(PlacesPlan(names, seed), where))
    conclude(report, json=json)


if __name__ == "__main__":
    command_line(main)
