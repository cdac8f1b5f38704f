"""A program of others that listens at a port, and is stopped, started and told to reload."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from tests.drills.ports import HOST, until_open
from tests.sources import ROOT

START_S: Final = 180.0
STOP_S: Final = 20.0
AWAY_S: Final = 1.0
SYSTEM: Final = "/usr/sbin:/usr/lib/rabbitmq/bin"
"""Where Debian keeps programs that an ordinary user has not on the path."""


INSTALLED: Final = ROOT / "build" / "world"
"""Where programs from PyPI and npm are installed, each in a folder of its own."""


UV: Final = Path(sys.executable).with_name("uv")
DEBIAN, PYPI, NPM = "Debian", "PyPI", "npm"
"""Registries."""


class ProgramError(Exception):
    """A program of others did not do what it was told; the message has what it said."""


def find(program: str) -> str | None:
    """Return the path of a program; None where there is none."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:{SYSTEM}")


class ForeignProgram:
    """A program that listens. Use it with ``async with``."""

    def __init__(
        self,
        command: tuple[str, ...],
        port: int,
        log: Path,
        env: Mapping[str, str] | None = None,
        end: signal.Signals = signal.SIGTERM,
        host: str = HOST,
    ) -> None:
        """Prepare it; its output goes to the log, and ``end`` ends it."""
        self.port = port
        self._host = host
        self._command = command
        self._env = None if env is None else {**os.environ, **env}
        self._log = log
        self._end = end
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        return self._running.pid

    @property
    def _running(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise ProgramError(f"{self._command[0]} does not run")
        return self._process

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(find(self._command[0]) or self._command[0], *self._command[1:]),
                stdout=log,
                stderr=log,
                env=self._env,
                start_new_session=True,
            )
        try:
            async with asyncio.timeout(START_S):
                await until_open(self.port, self._command[0], self._process, self._host)
        except (RuntimeError, TimeoutError) as error:
            await self.stop()
            raise ProgramError(f"{error}: {self._log.read_text()[-1000:]}") from error

    async def stop(self) -> None:
        process = self._process
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.send_signal(self._end)
        with suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                await process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()

    async def ended(self) -> None:
        await self._running.wait()

    async def restart(self) -> None:
        await self.stop()
        await asyncio.sleep(AWAY_S)
        await self.start()

    async def reload(self, how: signal.Signals | tuple[str, ...]) -> None:
        """Have it read its settings again: by a signal, or by a command that must end well."""
        if isinstance(how, signal.Signals):
            self._running.send_signal(how)
        else:
            await output(*how)


async def output(*command: str, env: Mapping[str, str] | None = None) -> str:
    """Run a command; return what it printed, or raise a `ProgramError`."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=None if env is None else {**os.environ, **env},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise ProgramError(f"{' '.join(command)}: {out.decode()[-2000:]}")
    return out.decode()
