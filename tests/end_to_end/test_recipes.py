"""The recipes of the hosting guide, followed line by line by one who has an empty folder."""

import asyncio
import os
import re
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mancala.scripts.console.processes.supervisor import Child, mancala
from tests.drills.ports import free_port
from tests.forks import forking
from tests.patience import PATIENCE_S
from tests.sources import ROOT

TLS = ROOT / "tests" / "data" / "tls"
DATABASE = "postgresql://arena@localhost/arena"
ANOTHERS = ("sudo ", "pip ")
"""How lines begin that install programs and make the database, which are there already."""
BLOCK = re.compile(r"^```(bash|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class EmptyMachine:
    """A machine with an empty folder, on which an operator types what the guide says."""

    folder: Path
    mancala: Path
    replaced: Mapping[str, str]
    said: dict[str, str] = field(default_factory=dict)
    _service: AsyncExitStack | None = None

    async def type(self, line: str) -> None:
        """Do what a line says; it must end well."""
        if line.startswith("systemctl "):
            await self._systemctl(line.split()[1])
        elif line and not line.startswith(ANOTHERS):
            self.said[line] = await self._run(self._here(line))

    def write(self, text: str) -> None:
        name = text.partition("\n")[0].removeprefix("# ")
        (self.folder / name).write_text(self._here(text))

    async def stop(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            await service.aclose()

    def _here(self, text: str) -> str:
        for theirs, ours in self.replaced.items():
            text = text.replace(theirs, ours)
        return text

    async def _systemctl(self, verb: str) -> None:
        await self.stop()
        if verb == "start":
            async with AsyncExitStack() as stack:
                unit = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
                unit.setblocking(False)
                unit.bind("")  # to a name that the system chooses
                notified = f"@{unit.getsockname()[1:].decode()}"
                service: Child = await stack.enter_async_context(
                    mancala(
                        "server",
                        *("serve", "--config", str(self.folder / "arena.toml"), "--json"),
                        folder=self.folder,
                        env=self._env  # as its unit
                        | {"XDG_STATE_HOME": str(self.folder), "NOTIFY_SOCKET": notified},
                    )
                )
                await service.line()
                async with asyncio.timeout(PATIENCE_S):
                    assert await asyncio.get_running_loop().sock_recv(unit, 64) == b"READY=1"
                self._service = stack.pop_all()

    @property
    def _env(self) -> dict[str, str]:
        trusted = {name: str(TLS / "first.pem") for name in ("SSL_CERT_FILE", "CURL_CA_BUNDLE")}
        own = {"HOME": str(self.folder / "home"), **trusted}
        programs = (self.mancala.parent, Path(sys.executable).parent, os.environ["PATH"])
        path = os.pathsep.join(map(str, programs))
        return {**os.environ, **own, "PATH": path}

    async def _run(self, line: str) -> str:
        process = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", line),
            cwd=self.folder,
            env=self._env,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(PATIENCE_S):
                out, _ = await process.communicate()
        except TimeoutError:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        assert process.returncode == 0, f"{line}\n{out.decode()}"
        return out.decode()


@asynccontextmanager
async def empty_machine(folder: Path, database: str) -> AsyncIterator[EmptyMachine]:
    shutil.copy(TLS / "first.pem", folder / "fullchain.pem")
    shutil.copy(TLS / "first.key", folder / "privkey.pem")
    ports = {str(port): str(free_port()) for port in (8765, 8080, 8081)}
    here = {"0.0.0.0": "127.0.0.1", "arena.example.org": "127.0.0.1"}  # noqa: S104  # what the guide says
    here |= {DATABASE: database, "/var/lib/mancala-arena": str(folder)}
    here |= {'name = "main"': 'name = "main"\npulse_s = 5.0'}  # it plays most of the time
    programs = folder / "bin"
    programs.mkdir()
    with forking(programs) as program:
        machine = EmptyMachine(folder, program, {**here, **ports})
        try:
            yield machine
        finally:
            await machine.stop()


def recipes() -> list[tuple[str, str]]:
    guide = (ROOT / "docs" / "hosting.md").read_text()
    chapter = guide.partition("\n## Recipes\n")[2].partition("\n## ")[0]
    return BLOCK.findall(chapter)


async def test_the_recipes_lead_where_they_say(tmp_path: Path, postgresql: str) -> None:
    """From an empty folder to a season and a second machine; every line ends well."""
    async with empty_machine(tmp_path, postgresql) as machine:
        for language, text in recipes():
            if language == "toml":
                machine.write(text)
                continue
            for line in text.splitlines():
                await machine.type(line)
        said = machine.said
    digests = [text for line, text in said.items() if line.startswith("mancala store digest")]
    assert len(digests) == 2
    assert digests[0] == digests[1]
    annulled, reinstated = (
        next(text for line, text in said.items() if line.startswith(f"mancala admin {words}"))
        for words in ("annul --bot eve --reason", "undo 2")
    )
    assert "annulled" in annulled
    assert "counts" in reinstated
    assert all("equal" in text for line, text in said.items() if "admin check" in line)
    assert (tmp_path / "main.gz").stat().st_size > 0
