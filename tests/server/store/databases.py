"""The databases that the server's tests run on: SQLite, and a PostgreSQL of their own."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from server.store.database import Access, connect

OWNER = "postgres"
PATIENCE_S = "30"

postgresql_url: str | None = None
"""What tests run on now; None is SQLite. The fixture ``database`` sets it."""


def place_of(folder: Path) -> str:
    """Name the store that belongs to a test's folder."""
    if postgresql_url is None:
        return str(folder / "store.sqlite3")
    return f"{postgresql_url}?schema=t{sha256(str(folder).encode()).hexdigest()[:16]}"


def rows(place: str, query: str) -> list[tuple[Any, ...]]:
    """Read what a server kept."""
    with closing(connect(place, Access.READ)) as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


def execute(place: str, statement: str) -> None:
    """Change it, beside the server."""
    with closing(connect(place, Access.BESIDE)) as connection, connection.begin():
        connection.exec_driver_sql(statement)


def find_postgresql() -> Path | None:
    """Find the folder of PostgreSQL's programs; Debian keeps them off the path."""
    on_path = shutil.which("pg_ctl")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return Path(on_path).parent if on_path else found[-1].parent if found else None


@contextmanager
def running_postgresql(programs: Path) -> Iterator[str]:
    """Run a PostgreSQL of our own on a free port of this machine; gives its URL."""
    with TemporaryDirectory(prefix="mancala-postgresql-") as folder:
        data = Path(folder) / "data"
        data.mkdir()
        if os.geteuid() == 0:  # it refuses to run as root
            owner = pwd.getpwnam(OWNER)
            for path in (Path(folder), data):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        port = _free_port()
        _run(
            programs / "initdb", "-D", data, "-U", "mancala", "--auth=trust", "--no-sync", "-EUTF8"
        )
        options = (
            f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        )
        control = (programs / "pg_ctl", "-D", data, "-w", "-t", PATIENCE_S)
        _run(*control, "-l", Path(folder) / "log", "-o", options, "start")
        try:
            yield f"postgresql://mancala@127.0.0.1:{port}/postgres"
        finally:
            _run(*control, "-m", "immediate", "stop")


def _run(*command: str | Path) -> None:
    user = OWNER if os.geteuid() == 0 else None
    quiet = subprocess.DEVNULL
    subprocess.run(list(map(str, command)), check=True, user=user, cwd="/", stdout=quiet)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
