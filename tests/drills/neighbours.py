"""``python -m tests.drills.neighbours``: one stranger, and the students behind the same address.

From one address a stranger uses up what guests may do a few times a day: many names join a ladder
and leave, others leave matches before their first move, and clients of the Kalah Game Protocol bind
names to tokens. The next newcomers from that address must be taken, told of no error, paired and
rated, a stock client of that protocol among them; and so they do after a restart of the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final, NamedTuple

import typer
from websockets.asyncio.client import connect

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Error, GameOver, GameStart, Goodbye, Hello, Joined
from tests.drills.databases import Database, StoreOption, database
from tests.drills.dodging import dodge, honest, join
from tests.drills.hosting import SQLITE_FILES, HostedServer, ServerHost, host
from tests.drills.members import LADDER, ladder_settings
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, JsonOption, SeedOption, command_line, conclude

ATTEMPT_S: Final = 30.0
PAIRED: Final = "paired and rated"
SETTINGS: Final = """\
clock = {{ move_ms = 60000 }}
guest_pool = false
[kgp]
tcp_port = {kgp_port}
ladder = "{ladder}"
claim_names = true
"""


class NeighboursPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        joiners: names that join and leave without a game.
        leavers: names that leave a match before its first move.
        claimers: names that are bound to tokens.
        seed: for the report; nothing is drawn.
    """

    joiners: int
    leavers: int
    claimers: int
    seed: int


async def drill(plan: NeighboursPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Use up what one address may do, and see what it costs its neighbours."""
    port = free_port()
    settings = ladder_settings() + SETTINGS.format(kgp_port=port, ladder=LADDER)
    answers: dict[str, str] = {}
    with TemporaryDirectory(prefix="mancala-neighbours-") as folder:
        place = host(Path(folder), settings, where)
        async with place.running() as life:
            await _use_up(life, plan, port)
            async with _resident(life, "second-resident"):
                answers |= await _newcomers(place, port, "before a restart")
            await life.kill()
        async with place.running() as life, _resident(life, "third-resident"):
            answers |= await _newcomers(place, port, "after a restart")
    figures = {"joiners": plan.joiners, "leavers": plan.leavers, "claimers": plan.claimers}
    promises = {f"{who}: {PAIRED}": answer == PAIRED for who, answer in answers.items()}
    return DrillReport("neighbours", plan.seed, figures | {"answers": answers}, promises)


async def _use_up(life: HostedServer, plan: NeighboursPlan, kgp_port: int) -> None:
    """Use all that one address may do a few times a day."""
    for number in range(plan.joiners):
        await _join_and_leave(life.url, f"joiner-{number}")
    for number in range(plan.claimers):
        await _claim(kgp_port, f"claimer-{number}")
    async with _resident(life, "first-resident"):
        for number in range(plan.leavers):
            await dodge(life.url, f"leaver-{number}", "")


@asynccontextmanager
async def _resident(life: HostedServer, name: str) -> AsyncIterator[None]:
    """Play in the ladder during the block, under a name of its own.

    Its seat is kept for a while after the block if that breaks a game off.
    """
    ends: asyncio.Queue[GameOver] = asyncio.Queue()
    playing = asyncio.create_task(honest(life.url, name, ends), name=name)
    yield
    playing.cancel()
    await asyncio.wait({playing})


async def _newcomers(place: ServerHost, kgp_port: int, when: str) -> dict[str, str]:
    stem = when.split(maxsplit=1)[0]
    return {
        f"a bot {when}": await _first_game(place.url, f"student-{stem}"),
        f"a stock client {when}": await _first_question(kgp_port, f"stock-{stem}", None),
        f"a client with a token {when}": await _first_question(kgp_port, f"own-{stem}", "my-token"),
    }


async def _join_and_leave(url: str, name: str) -> None:
    async with asyncio.timeout(ATTEMPT_S), connect(url) as socket:
        await join(socket, Hello(VERSION, name))
        async for frame in socket:
            if isinstance(codec.decode_server(frame), Joined | Error):
                await socket.send(codec.encode(Goodbye()), text=True)
                await socket.wait_closed()
                return


async def _first_game(url: str, name: str) -> str:
    """Join the ladder as a newcomer; return what came of it."""
    async with asyncio.timeout(ATTEMPT_S), connect(url) as socket:
        await join(socket, Hello(VERSION, name))
        async for frame in socket:
            match codec.decode_server(frame):
                case Error(message=message):
                    return message
                case GameStart() as start:
                    await socket.send(codec.encode(Goodbye()), text=True)
                    await socket.wait_closed()
                    return PAIRED if start.rated else "paired and not rated"
                case _:
                    pass
    return "the connection was closed"


async def _claim(port: int, name: str) -> None:
    """Bind a name to a token, and leave."""
    async with _client(port, name, "token-of-a-stranger") as lines:
        async for line in lines:
            if " ok" in line or "error" in line:
                return


async def _first_question(port: int, name: str, token: str | None) -> str:
    """Connect as a client of the Kalah Game Protocol; return what came of it."""
    async with _client(port, name, token) as lines:
        async for line in lines:
            if "error" in line or "goodbye" in line:
                return line
            if " state " in line:
                return PAIRED
    return "the connection was closed"


@asynccontextmanager
async def _client(port: int, name: str, token: str | None) -> AsyncIterator[AsyncIterator[str]]:
    """Connect and choose the mode; the block gets the server's lines, each within a time."""
    reader, writer = await asyncio.open_connection(HOST, port)
    told = [f'set info:name "{name}"', "mode freeplay"]
    if token is not None:
        told.insert(1, f'set auth:token "{token}"')
    writer.write("".join(f"{line}\r\n" for line in told).encode())
    yield _lines(reader)
    writer.write(b"goodbye\r\n")
    writer.close()


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    while line := await asyncio.wait_for(reader.readline(), ATTEMPT_S):
        yield line.decode().strip()


def main(
    *,
    joiners: Annotated[int, typer.Option(min=0, help="Names that join and leave.")] = 60,
    leavers: Annotated[int, typer.Option(min=0, help="Names that leave a match early.")] = 20,
    claimers: Annotated[int, typer.Option(min=0, help="Names bound to tokens.")] = 25,
    store: StoreOption = "sqlite",
    seed: SeedOption = 1,
    json: JsonOption = False,
) -> None:
    """Use up what one address may do a few times a day, and see what it costs its neighbours."""
    with database(store) as where:
        report = asyncio.run(drill(NeighboursPlan(joiners, leavers, claimers, seed), where))
    conclude(report, json=json)


if __name__ == "__main__":
    command_line(main)
