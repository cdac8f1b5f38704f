"""``python -m tests.drills.neighbours``: one stranger, and the students behind the same address.

From one address a stranger uses up what guests may do a few times a day: many names join a ladder
and leave, others leave matches before their first move, and clients of the Kalah Game Protocol bind
names to tokens. The next newcomers from that address must be taken, told of no error, paired and
rated, a stock client of that protocol among them; and so they do after a restart of the server.

With ``--proxy`` all of them come through a reverse proxy that names its clients: then the address
is the one that the proxy names, and one that has no connection left leaves those of others.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Annotated, Final, NamedTuple

import typer
from websockets.exceptions import WebSocketException

from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.drills.databases import Database
from tests.drills.dodging import dodge, honest, join
from tests.drills.hosting import SQLITE_FILES, temporary_host
from tests.drills.members import LADDER, ladder_settings
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import PATIENCE_S, connect

PAIRED: Final = "paired and rated"
SETTINGS: Final = """\
clock = {{ move_ms = 60000 }}
guest_pool = false
[kgp]
tcp_port = {kgp_port}
ladder = "{ladder}"
claim_names = true
"""
SCHOOL: Final = "192.0.2.7"
ELSEWHERE: Final = "192.0.2.8"
CONNECTIONS: Final = 16
PROXIED: Final = f"connections_per_address = {CONNECTIONS}\nproxies = ['127.0.0.1/32']"
WELCOME: Final = "welcome"


class NeighboursPlan(NamedTuple):
    """The size of the drill."""

    joiners: Annotated[int, typer.Option(min=0, help="Names that join and leave.")] = 60
    leavers: Annotated[int, typer.Option(min=0, help="Names that leave a match early.")] = 20
    claimers: Annotated[int, typer.Option(min=0, help="Names bound to tokens.")] = 25
    seed: SeedOption = 1
    is_proxied: Annotated[bool, typer.Option("--proxy", help="All come through a proxy.")] = False


class Doors(NamedTuple):
    """Where the clients of one address connect."""

    url: str
    kgp_port: int


CLIENT_PORT: Final = 50_000
CHUNK: Final = 65_536


@asynccontextmanager
async def proxied(port: int, client: str) -> AsyncIterator[int]:
    """Forward connections to a port in the name of a client; yield the port to connect to."""
    header = f"PROXY TCP4 {client} {HOST} {CLIENT_PORT} {port}\r\n".encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(HOST, port)
        far_writer.write(header)
        await asyncio.gather(pass_on(reader, far_writer), pass_on(far_reader, writer))

    server = await asyncio.start_server(serve, HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.close()


async def drill(plan: NeighboursPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Use up what one address may do a few times a day, and see what it costs its neighbours."""
    port = free_port()
    limits = PROXIED if plan.is_proxied else ""
    settings = ladder_settings(limits=limits) + SETTINGS.format(kgp_port=port, ladder=LADDER)
    answers: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        place = stack.enter_context(temporary_host(settings, where))
        doors = Doors(place.url, port)
        if plan.is_proxied:
            doors = await _behind(stack, SCHOOL, place.port, port)
        async with place.running() as life:
            await _use_up(doors, plan)
            async with resident(doors.url, "second-resident"):
                answers |= await _newcomers(doors, "before a restart")
            await life.kill()
        async with place.running(), resident(doors.url, "third-resident"):
            answers |= await _newcomers(doors, "after a restart")
            if plan.is_proxied:
                others = await _behind(stack, ELSEWHERE, place.port, port)
                crowded, elsewhere = await _crowd(doors.url, others.url)
    figures = {"joiners": plan.joiners, "leavers": plan.leavers, "claimers": plan.claimers}
    promises = {f"{who}: {PAIRED}": answer == PAIRED for who, answer in answers.items()}
    if plan.is_proxied:
        promises[f"the proxy's clients have {CONNECTIONS} connections an address"] = (
            crowded != WELCOME and elsewhere == WELCOME
        )
    return DrillReport("neighbours", plan.seed, figures | {"answers": answers}, promises)


async def _behind(stack: AsyncExitStack, client: str, port: int, kgp_port: int) -> Doors:
    first = await stack.enter_async_context(proxied(port, client))
    second = await stack.enter_async_context(proxied(kgp_port, client))
    return Doors(f"ws://{HOST}:{first}", second)


async def _crowd(url: str, elsewhere: str) -> tuple[str, str]:
    """Hold all connections of an address; return what another of it hears, and one elsewhere."""
    async with AsyncExitStack() as stack:
        for _ in range(CONNECTIONS):
            await stack.enter_async_context(connect(url))
        return await greeting(url, "crowded"), await greeting(elsewhere, "elsewhere")


async def greeting(url: str, name: str) -> str:
    try:
        async with asyncio.timeout(PATIENCE_S), connect(url) as socket:
            await socket.send(codec.encode(wire.Hello(wire.VERSION, name)), text=True)
            answer = codec.decode_server(str(await socket.recv()))
            return WELCOME if isinstance(answer, wire.Welcome) else type(answer).__name__
    except (OSError, WebSocketException) as error:
        return f"{error}"


async def _use_up(doors: Doors, plan: NeighboursPlan) -> None:
    for number in range(plan.joiners):
        await join_and_leave(doors.url, f"joiner-{number}")
    for number in range(plan.claimers):
        await claim(doors.kgp_port, f"claimer-{number}")
    async with resident(doors.url, "first-resident"):
        for number in range(plan.leavers):
            await dodge(doors.url, f"leaver-{number}", "")


@asynccontextmanager
async def resident(url: str, name: str) -> AsyncIterator[None]:
    """Play in the ladder during the block, under a name of its own.

    Its seat is kept for a while after the block if that breaks a game off.
    """
    ends: asyncio.Queue[wire.GameOver] = asyncio.Queue()
    playing = asyncio.create_task(honest(url, name, ends), name=name)
    yield
    playing.cancel()
    await asyncio.wait({playing})


async def _newcomers(doors: Doors, when: str) -> dict[str, str]:
    stem, kgp_port = when.split(maxsplit=1)[0], doors.kgp_port
    return {
        f"a bot {when}": await first_game(doors.url, f"student-{stem}"),
        f"a stock client {when}": await _first_question(kgp_port, f"stock-{stem}", None),
        f"a client with a token {when}": await _first_question(kgp_port, f"own-{stem}", "my-token"),
    }


async def join_and_leave(url: str, name: str) -> None:
    async with asyncio.timeout(PATIENCE_S), connect(url) as socket:
        await join(socket, wire.Hello(wire.VERSION, name))
        async for frame in socket:
            if isinstance(codec.decode_server(frame), wire.Joined | wire.Error):
                await socket.send(codec.encode(wire.Goodbye()), text=True)
                await socket.wait_closed()
                return


async def first_game(url: str, name: str) -> str:
    async with asyncio.timeout(PATIENCE_S), connect(url) as socket:
        await join(socket, wire.Hello(wire.VERSION, name))
        async for frame in socket:
            match codec.decode_server(frame):
                case wire.Error(message=message):
                    return message
                case wire.GameStart() as start:
                    await socket.send(codec.encode(wire.Goodbye()), text=True)
                    await socket.wait_closed()
                    return PAIRED if start.rated else "paired and not rated"
                case _:
                    pass
    return "the connection was closed"


async def claim(port: int, name: str) -> None:
    async with _client(port, name, "token-of-a-stranger") as lines:
        async for line in lines:
            if " ok" in line or "error" in line:
                return


async def _first_question(port: int, name: str, token: str | None) -> str:
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
    while line := await asyncio.wait_for(reader.readline(), PATIENCE_S):
        yield line.decode().strip()


if __name__ == "__main__":
    command_line(drill)
