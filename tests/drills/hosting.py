"""A match server in a process of its own, which a drill may kill and start again.

It keeps its port and its store when it is restarted, as a server under systemd does. Memory and
processor time are read from ``/proc``, so the drills need Linux.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import psutil

from mancala.protocol import codec
from mancala.scripts.bench.serving.prices import fronts_of
from mancala.scripts.console.processes.supervisor import Child, mancala
from mancala.scripts.console.processes.temporary import ServedArena
from tests.drills.databases import Database
from tests.drills.ports import HOST, free_port

SQLITE_FILES: Final = Database()
NAME: Final = "drill"
NO_BROKER: Final = "[mqtt]\nprivate_broker = false\n"
KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class HostedServer:
    """A running server."""

    child: Child
    arena: ServedArena

    @property
    def url(self) -> str:
        return self.arena.url

    async def kill(self) -> None:
        """Kill it with SIGKILL, as a power cut would."""
        self.child.process.kill()
        await self.child.process.wait()

    def resident_bytes(self) -> int:
        return _status_kib(self.child.process.pid, "VmRSS") * KIB

    def fronts_bytes(self) -> int:
        """Return the resident memory of its fronts."""
        fronts = fronts_of(self.child.process.pid)
        return sum(_status_kib(front, "VmRSS") * KIB for front in fronts)

    def cpu_s(self) -> float:
        """Return the processor time it has used, in seconds."""
        return _cpu_s(self.child.process.pid)

    def family_cpu_s(self) -> float:
        """Return the processor time that it and its child processes have used, in seconds."""
        return sum(map(_cpu_s, _family(self.child.process.pid)))


@dataclass(frozen=True, slots=True)
class ServerHost:
    """The place of a server that is started repeatedly; it publishes to ``broker``, if set."""

    folder: Path
    settings: str
    port: int
    database: Database = SQLITE_FILES
    broker: str = ""

    @property
    def url(self) -> str:
        return f"ws://{HOST}:{self.port}"

    @property
    def store(self) -> str:
        return self.database.place(self.folder)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[HostedServer]:
        """Run the server during the block, unless it is killed before."""
        config = self.folder / "drill.toml"
        broker = f'[mqtt]\nurl = "{self.broker}"\n' if self.broker else NO_BROKER
        config.write_text(
            f'name = "{NAME}"\nport = {self.port}\nstore = "{self.store}"\ndrain_s = 0.0\n'
            f"{self.settings}{'' if '[mqtt]' in self.settings else broker}"
        )
        async with mancala(
            *("server", "serve", "--config", str(config), "--json"),
            folder=self.folder,
            env={**os.environ, "XDG_STATE_HOME": str(self.folder)},
        ) as child:
            yield HostedServer(child, codec.from_json(await child.line(), ServedArena))


def host(folder: Path, settings: str = "", database: Database = SQLITE_FILES) -> ServerHost:
    """Return a host with a free port; its server is not running yet."""
    return ServerHost(folder, settings, free_port(), database)


@contextmanager
def temporary_host(settings: str = "", database: Database = SQLITE_FILES) -> Iterator[ServerHost]:
    """Provide such a host while the block runs, in a folder that is removed after it."""
    with TemporaryDirectory(prefix="mancala-drill-") as folder:
        yield host(Path(folder), settings, database)


@asynccontextmanager
async def temporary_server(
    settings: str = "", database: Database = SQLITE_FILES
) -> AsyncIterator[HostedServer]:
    with temporary_host(settings, database) as place:
        async with place.running() as life:
            yield life


def family_bytes(pid: int) -> list[int]:
    """Return the resident memory of a process and of each that it started, in bytes."""
    found, first = list[int](), psutil.Process(pid)
    for process in (first, *first.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found.append(process.memory_info().rss)
    return found


async def who(folder: Path) -> dict[str, str]:
    asked = ("admin", "who", "--config", str(folder / "drill.toml"), "--json")
    async with mancala("admin", *asked, folder=folder, env=os.environ) as child:
        told = codec.from_json(await child.line(), dict[str, Any])
    return {bot["name"]: bot["address"] for bot in told["bots"]}


class MachineTime(NamedTuple):
    """Processor time of the whole machine since it booted, in clock ticks.

    Attributes:
        stolen: time that the host gave to other virtual machines.
    """

    stolen: int
    total: int

    @classmethod
    def now(cls) -> MachineTime:
        kinds = [
            int(ticks) for ticks in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        ]
        return cls(kinds[7], sum(kinds))

    def stolen_percent_since(self, earlier: MachineTime) -> float:
        """Return the share stolen since then, in percent."""
        return 100 * (self.stolen - earlier.stolen) / max(1, self.total - earlier.total)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in _family(int(child)))]


def _status_kib(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise ValueError(f"/proc/{pid}/status has no {name}")
