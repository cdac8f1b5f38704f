"""``python -m tests.drills.nginx``: a server behind nginx, as the documentation says.

The recipe of ``docs/hosting.md`` stands before the port of bots, the page and the health port. What
stands before nginx names clients by the PROXY protocol, so that they come from many addresses. A
client may name itself as it likes: the server must take the address that nginx saw. A stranger
uses up what its address may do, with names, requests and connections; thirty students at the same
address must be taken and rated, and others notice nothing. Pairs of bots play whole games
meanwhile, while many who read nothing follow them, over websockets and as server-sent events.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello, Watch
from tests.drills.databases import Database
from tests.drills.doors import status
from tests.drills.duellists import DuelTally, duels
from tests.drills.flooders import HANDSHAKE, TEXT, frame
from tests.drills.hosting import SQLITE_FILES, family_bytes, temporary_host, who
from tests.drills.members import LADDER, ladder_settings
from tests.drills.neighbours import PAIRED, first_game, greeting, join_and_leave, proxied, resident
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line
from tests.patience import connect
from tests.world.programs import ForeignProgram, find
from tests.world.proxies import recipe as recipe_of

PROGRAM: Final = "nginx"
CONFIG: Final = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/bodies;
    proxy_temp_path {folder}/answers;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    set_real_ip_from {host};
    real_ip_header proxy_protocol;
{servers}
}}
"""
SCHOOL, ELSEWHERE, LOOPBACK = "192.0.2.7", "192.0.2.8", "127.0.0.1"
CLAIMS: Final = {
    "X-Forwarded-For": LOOPBACK,
    "Forwarded": f'for="{LOOPBACK}"',
    "X-Real-IP": LOOPBACK,
}
"""What a client says of itself that would like to be the proxy."""
CLAIMED: Final = "".join(f"{name}: {value}\r\n" for name, value in CLAIMS.items())
WELCOME: Final = "welcome"
TERMS: Final = ("clock = { move_ms = 60000 }", "guest_pool = false")
LIMITS: Final = f"""\
proxies = ["{HOST}/32"]
connections_per_address = {{connections}}
http_per_s = 1.0
http_burst = 2000
"""
PAIRS: Final = 4
GAMES: Final = 2
"""Games of a match: the seats swap after the first."""
THINK_S: Final = (0.0, 0.01)
LOOK_S: Final = 0.05
MOST_REQUESTS: Final = 500
MOST_GROWN: Final = 32 * 1024 * 1024
BOTS: Final = "/bots"
"""Where the recipe has the bots."""
REQUEST: Final = "GET {path} HTTP/1.1\r\nHost: arena\r\n\r\n"


class NginxPlan(NamedTuple):
    """The size of the drill."""

    students: Annotated[int, typer.Option(min=1, help="Newcomers at one address.")] = 30
    names: Annotated[int, typer.Option(min=0, help="Names of the stranger there.")] = 60
    deaf: Annotated[int, typer.Option(min=1, help="Followers that read nothing.")] = 100
    games: Annotated[int, typer.Option(min=1, help="Games to play meanwhile.")] = 200
    seed: SeedOption = 1


class NginxDoors(NamedTuple):
    """The ports of a server, or of what stands before them: bots and page then share one."""

    bots: int
    page: int
    health: int

    @property
    def url(self) -> str:
        return f"ws://{HOST}:{self.bots}{BOTS}"


def recipe(port: int, bots: int, page: int) -> str:
    """Return what the documentation says, listening at a port before two of the server's."""
    listening = recipe_of("nginx").replace("listen 80;", f"listen {HOST}:{port} proxy_protocol;")
    ours = {"8765": str(bots), "8080": str(page), "$arena": f"$arena_{port}"}
    return re.sub(r"\b(?:8765|8080)\b|\$arena\b", lambda found: ours[found[0]], listening)


@asynccontextmanager
async def nginx(
    program: str, folder: Path, behind: NginxDoors
) -> AsyncIterator[tuple[NginxDoors, int]]:
    """Run nginx before a server's ports; yield its ports, and the id of its process."""
    site, health = free_port(), free_port()
    front = NginxDoors(site, site, health)
    servers = recipe(site, behind.bots, behind.page) + recipe(health, behind.bots, behind.health)
    config = folder / "nginx.conf"
    config.write_text(CONFIG.format(folder=folder, host=HOST, servers=servers))
    words = (program, "-p", str(folder), "-c", str(config))
    async with ForeignProgram(words, front.health, folder / "nginx.log") as running:
        yield front, running.pid


async def drill(plan: NginxPlan, program: str, where: Database = SQLITE_FILES) -> DrillReport:
    tally = DuelTally()
    async with AsyncExitStack() as stack:
        page, health = free_port(), free_port()
        # Those who read nothing and the players all come from elsewhere.
        limits = LIMITS.format(connections=2 * plan.deaf + 2 * PAIRS + plan.students)
        ports = f"http_port = {page}\nhealth_port = {health}\n"
        settings = ports + ladder_settings(*TERMS, limits=limits)
        place = stack.enter_context(temporary_host(settings, where))
        life = await stack.enter_async_context(place.running())
        behind = NginxDoors(place.port, page, health)
        front, pid = await stack.enter_async_context(nginx(program, place.folder, behind))
        school, elsewhere = [await _clients(stack, at, front) for at in (SCHOOL, ELSEWHERE)]
        promises = await _named(place.folder, school)
        promises |= await _private(school)
        taken = await _taught(plan, school)
        promises |= await _greedy(school, elsewhere)
        grown = await _deaf(plan, elsewhere, tally, (life.child.process.pid, pid))
        promises["health is answered beside them"] = await _health(elsewhere) == HTTPStatus.OK
    promises |= {
        "every student behind the stranger's address is paired and rated": {*taken} == {PAIRED},
        "games go on to their end": tally.games >= plan.games and tally.is_clean,
        "followers that read nothing hold no memory": grown < MOST_GROWN,
    }
    figures: dict[str, Any] = plan._asdict() | {
        "students_said": sorted({*taken}),
        "games_over": tally.games,
        "grown_bytes": grown,
    }
    del figures["seed"]
    return DrillReport("nginx", plan.seed, figures, promises)


async def _clients(stack: AsyncExitStack, address: str, front: NginxDoors) -> NginxDoors:
    return NginxDoors(*[await stack.enter_async_context(proxied(port, address)) for port in front])


# Who a client is


async def _named(folder: Path, school: NginxDoors) -> dict[str, bool]:
    """Connect under made-up addresses; return whether the server took the true one."""
    async with connect(school.url, additional_headers=CLAIMS) as socket:
        await socket.send(codec.encode(Hello(VERSION, "claimant")), text=True)
        await socket.recv()
        found = await who(folder)
    return {"a bot has the address that nginx saw": found == {"claimant": SCHOOL}}


async def _private(school: NginxDoors) -> dict[str, bool]:
    """Ask for what is this machine's alone, and for what anyone may see."""
    statuses = [await status(school.health, path) for path in ("/status", "/status.json")]
    as_proxy = await status(school.health, "/status", more=CLAIMED)
    return {
        "health is answered": await _health(school) == HTTPStatus.OK,
        "the pages are answered, that on bots too": (
            {await status(school.page, path) for path in ("/", BOTS)} == {HTTPStatus.OK}
        ),
        "the organiser's page is not shown through the proxy": (
            {*statuses, as_proxy} == {HTTPStatus.UNAUTHORIZED}
        ),
    }


async def _health(doors: NginxDoors) -> int:
    return await status(doors.health, "/healthz")


# What a stranger uses up


async def _taught(plan: NginxPlan, school: NginxDoors) -> list[str]:
    for number in range(plan.names):
        await join_and_leave(school.url, f"stranger-{number}")
    async with resident(school.url, "resident"):
        names = (f"student-{number}" for number in range(plan.students))
        return await asyncio.gather(*(first_game(school.url, name) for name in names))


async def _greedy(school: NginxDoors, elsewhere: NginxDoors) -> dict[str, bool]:
    asked = 0
    while await status(school.page, "/api/v1/games", more=CLAIMED) == HTTPStatus.OK:
        asked += 1
        if asked > MOST_REQUESTS:
            break
    return {
        "a flood of requests is refused": asked <= MOST_REQUESTS,
        "others notice nothing of it": (
            await status(elsewhere.page, "/api/v1/games") == HTTPStatus.OK
            and await greeting(elsewhere.url, "neighbour") == WELCOME
        ),
    }


# Followers that read nothing


async def _deaf(plan: NginxPlan, doors: NginxDoors, tally: DuelTally, pids: tuple[int, ...]) -> int:
    """Play games beside followers that read nothing; return by how much memory grew, in bytes."""
    async with AsyncExitStack() as stack:
        playing = duels(doors.url, PAIRS, tally, think_s=THINK_S, seed=plan.seed, games=GAMES)
        await stack.enter_async_context(playing)
        await tally.first_move.wait()
        began = most = sum(chain.from_iterable(map(family_bytes, pids)))
        stream = REQUEST.format(path=f"/api/v1/games/{tally.live}/events").encode()
        for number in range(plan.deaf):
            said = (Hello(VERSION, f"deaf-{number}"), Watch(ladder=LADDER))
            frames = (frame(TEXT, codec.encode(message)) for message in said)
            await _open(
                stack, doors.bots, HANDSHAKE.replace(b"/", BOTS.encode(), 1) + b"".join(frames)
            )
            await _open(stack, doors.page, stream)
        while tally.games < plan.games:
            await asyncio.sleep(LOOK_S)
            most = max(most, sum(chain.from_iterable(map(family_bytes, pids))))
    return most - began


async def _open(stack: AsyncExitStack, port: int, said: bytes) -> None:
    """Say something, and read hardly anything; the connection stays open with the stack."""
    reader, writer = await asyncio.open_connection(HOST, port, limit=1)
    stack.callback(writer.close)
    writer.write(said)
    await reader.read(1)


def main(plan: NginxPlan, where: Database) -> DrillReport:
    """Put a server behind nginx, and see what each of its clients gets."""
    program = find(PROGRAM)
    if program is None:
        raise typer.BadParameter("nginx is not installed")
    return asyncio.run(drill(plan, program, where))


if __name__ == "__main__":
    command_line(main)
