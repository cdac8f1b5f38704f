"""The database that a drill's servers use: SQLite, or a PostgreSQL of the drill's own."""

import os
import pwd
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import urlsplit

import typer

from mancala.scripts.console import output as console
from mancala.scripts.console.processes.temporary import temporary_folder
from mancala.server.store import Store
from mancala.server.store.database.database import Access, connect, is_postgresql
from mancala.server.store.rows.tokens import issue
from tests.drills.ports import HOST, free_port
from tests.patience import PATIENCE_S
from tests.world.programs import ProgramError

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
OWNER: Final = "postgres"
"""The user that runs PostgreSQL where we are root, which it refuses."""
LOOK_S: Final = 0.05
ISSUED_AT: Final = "2000-01-01T00:00:00.000+00:00"

StoreOption = Annotated[
    str,
    typer.Option(
        "--store",
        help="`sqlite`, `postgresql` for one of the drill's own, or the URL of a PostgreSQL.",
    ),
]


class Database(NamedTuple):
    """Where drills put their stores.

    Attributes:
        url: the URL of a PostgreSQL; None for SQLite files.
    """

    url: str | None = None

    def place(self, folder: Path) -> str:
        if self.url is None:
            return str(folder / "drill.sqlite3")
        return f"{self.url}?schema=t{sha256(str(folder).encode()).hexdigest()[:16]}"


def rows(place: str, query: str) -> list[tuple[Any, ...]]:
    with closing(connect(place, Access.READ)) as connection:
        return [tuple(row) for row in connection.exec_driver_sql(query)]


async def issue_tokens(store: str, names: Iterable[str]) -> dict[str, str]:
    """Issue tokens in a store that no server has opened yet; return them by name."""

    def fail(error: Exception) -> None:
        raise error

    async with Store(store, failed=fail) as opened:
        return {name: await opened.run(issue, name, ISSUED_AT) for name in names}


@contextmanager
def database(wanted: str) -> Iterator[Database]:
    """Provide what ``--store`` asks for while the block runs; leave with an error if it can't."""
    if wanted == SQLITE:
        yield Database()
    elif wanted == POSTGRESQL:
        programs = find_postgresql()
        if programs is None:
            console.fail("postgresql is not installed")
        with running_postgresql(programs) as url:
            yield Database(url)
    elif is_postgresql(wanted):
        yield Database(wanted)
    else:
        console.fail(f"--store takes {SQLITE}, {POSTGRESQL} or a URL, not {wanted}")


def find_postgresql() -> Path | None:
    """Return the folder of PostgreSQL's programs, which Debian keeps off the path."""
    on_path = shutil.which("pg_ctl")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return Path(on_path).resolve().parent if on_path else found[-1].parent if found else None


@contextmanager
def running_postgresql(programs: Path) -> Iterator[str]:
    """Run a PostgreSQL on a free port of this machine while the block runs; yield its URL.

    It ends with this process, also where that is killed.
    """
    with temporary_folder("postgresql") as folder:
        server = PostgreSQL(programs, folder)
        server.start()
        try:
            yield server.url
        finally:
            server.stop()


class PostgreSQL:
    """A PostgreSQL with an empty database, which can be stopped and started again.

    ``within`` begins its commands: the command that enters the network of its host.
    """

    def __init__(
        self, programs: Path, folder: Path, host: str = HOST, within: Sequence[str] = ()
    ) -> None:
        data, self.port = folder / "data", free_port()
        data.mkdir()
        if os.geteuid() == 0:
            owner = pwd.getpwnam(OWNER)
            folder.chmod(0o711)
            os.chown(data, owner.pw_uid, owner.pw_gid)
        run_as_owner(
            *(programs / "initdb", "-D", data, "-U", "mancala"),
            *("--auth=trust", "--no-sync", "-EUTF8"),
        )
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all samenet trust\n")
        settings = (f"port={self.port}", f"listen_addresses={host}", "unix_socket_directories=")
        options = [option for each in (*settings, "fsync=off") for option in ("-c", each)]
        self.url = f"postgresql://mancala@{host}:{self.port}/postgres"
        self._folder, self._within = folder, within
        self._command = [str(programs / "postgres"), "-D", str(data), *options]
        self._probe = [str(programs / "pg_isready"), "-q", "-h", host, "-p", str(self.port)]

    def start(self) -> None:
        """Start it; return when it takes connections."""
        self._server = _started(self._command, self._folder, signal.SIGQUIT, self._within)
        try:
            _wait_for(self._server, self._probe)
        except TimeoutError:
            self.stop()
            raise

    def stop(self, number: signal.Signals = signal.SIGQUIT) -> None:
        """End it: immediately, with its processes, or by another of its signals."""
        self._server.send_signal(number)
        self._server.wait()

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to it and to its processes."""
        children = Path(f"/proc/{self._server.pid}/task/{self._server.pid}/children").read_text()
        for process in (self._server.pid, *map(int, children.split())):
            os.kill(process, number)


@contextmanager
def running_pgbouncer(database: str, mode: str, *lines: str) -> Iterator[str]:
    """Run a pgbouncer before a PostgreSQL while the block runs; yield the URL that it serves."""
    with temporary_folder("pgbouncer") as folder:
        folder.chmod(0o755)
        port, settings = pooling(folder, urlsplit(database).port or 0, mode, *lines)
        probe = ["pg_isready", "-q", "-h", HOST, "-p", str(port)]
        # It has no state, and other signals mean other things in other versions.
        pooler = _started(["pgbouncer", str(settings)], folder, signal.SIGKILL)
        try:
            _wait_for(pooler, probe)
            yield f"postgresql://mancala@{HOST}:{port}/postgres"
        finally:
            pooler.kill()
            pooler.wait()


def pooling(folder: Path, behind: int, mode: str, *lines: str) -> tuple[int, Path]:
    """Write the settings of a pgbouncer before a database; return its port and their file."""
    port, settings = free_port(), folder / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\npostgres = host={HOST} port={behind} dbname=postgres user=mancala\n"
        f"[pgbouncer]\nlisten_addr={HOST}\nlisten_port={port}\nunix_socket_dir=\n"
        f"auth_type=any\npool_mode={mode}\n" + "\n".join(lines)
    )
    settings.chmod(0o644)
    return port, settings


def _started(
    command: Sequence[str], folder: Path, end: signal.Signals, within: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """Start a server that ``end`` ends with this process."""
    words = [*within, "setpriv", "--pdeathsig", end.name.removeprefix("SIG")]
    if os.geteuid() == 0:
        words += ["--reuid", OWNER, "--regid", OWNER, "--clear-groups"]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen([*words, "--", *command], cwd="/", stdout=log, stderr=log)


def _wait_for(server: subprocess.Popen[bytes], probe: Sequence[str]) -> None:
    """Return when a program says that the server is ready."""
    given_up_at = time.monotonic() + PATIENCE_S
    while subprocess.run(probe, check=False).returncode:
        if server.poll() is not None or time.monotonic() > given_up_at:
            raise TimeoutError(f"{probe[0]} finds no server")
        time.sleep(LOOK_S)


def run_as_owner(*command: str | Path) -> None:
    user = OWNER if os.geteuid() == 0 else None
    words = list(map(str, command))
    ended = subprocess.run(words, check=False, user=user, cwd="/", capture_output=True)
    if ended.returncode:
        raise ProgramError(f"{' '.join(words)}: {ended.stderr.decode()[-2000:]}")
