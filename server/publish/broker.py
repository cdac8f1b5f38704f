"""A private MQTT broker for a server without one: ``mosquitto`` on a free loopback port.

It ends with the server, however the server ends: a shell waits on a pipe that only the server holds
open, and stops the broker when the pipe closes. So no broker survives a ``kill -9`` either. A
parent-death signal would not ensure that: mosquitto started by root changes its user, and Linux
then clears the setting.

The shell asks more than once: mosquitto 2.0.11 sets its flag to run after it has said that it runs,
and so forgets a signal that comes between the two.
"""

import asyncio
import os  # noqa: TID251  # the way to mosquitto, handed in by System
import shutil  # noqa: TID251  # the way to mosquitto, handed in by System
import socket  # noqa: TID251  # the way to mosquitto, handed in by System
import tempfile  # noqa: TID251  # the way to mosquitto, handed in by System
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path  # noqa: TID251  # the way to mosquitto, handed in by System
from typing import Final

from ..health.log import Log
from ..model.timers import Spawn

START_TIMEOUT_S: Final = 5.0
ATTEMPTS: Final = 3
CONFIG: Final = """\
listener {port} 127.0.0.1
allow_anonymous true
persistence false
log_dest stderr
log_type error
log_type warning
log_type notice
log_type information
connection_messages false
"""
RUN_UNTIL_STDIN_CLOSES: Final = (
    'exec 3>&2 2>/dev/null; "$1" -c "$2" 2>&3 3>&- & exec 3>&-; read -r _; '
    "while kill $!; do sleep 0.1; done; wait"
)


class BrokerError(Exception):
    """The private broker did not start."""


def find_mosquitto() -> str | None:
    """Return the path of mosquitto, or None; Debian installs it outside a user's ``PATH``."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@asynccontextmanager
async def private_broker_if_any(log: Log, spawn: Spawn) -> AsyncIterator[str | None]:
    """Run a broker and yield its URL; yield None, with a warning, when none can be run."""
    program = find_mosquitto()
    async with AsyncExitStack() as stack:
        url = None
        if program is None:
            log.warning("no broker: results wait in the outbox", missing="mosquitto")
        else:
            try:
                url = await stack.enter_async_context(private_broker(program, log, spawn))
            except BrokerError as error:
                log.warning("no broker: results wait in the outbox", error=str(error))
        yield url


@asynccontextmanager
async def private_broker(program: str, log: Log, spawn: Spawn) -> AsyncIterator[str]:
    """Run mosquitto, whose output is logged, and yield its URL; raise `BrokerError` if it can't."""
    for attempt in range(1, ATTEMPTS + 1):
        port = _free_port()
        try:
            process = await _start(program, port, log, spawn)
        except BrokerError:
            if attempt == ATTEMPTS:
                raise
        else:
            break
    try:
        yield f"mqtt://127.0.0.1:{port}"
    finally:
        await _stop(process)


async def _start(program: str, port: int, log: Log, spawn: Spawn) -> Process:
    with tempfile.TemporaryDirectory(prefix="mancala-broker-") as directory:
        config = _write_config(Path(directory), port)
        process = await asyncio.create_subprocess_exec(  # noqa: TID251  # the way to mosquitto, handed in by System
            *("/bin/sh", "-c", RUN_UNTIL_STDIN_CLOSES, "sh", program, str(config)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C goes to the server, which stops the broker
        )
        running: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        spawn(_relay(process, running, log), "broker log")
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await running
        except (BrokerError, TimeoutError) as error:
            await _stop(process)
            raise BrokerError(f"{program} did not start: {error}") from None
    return process


async def _relay(process: Process, running: asyncio.Future[None], log: Log) -> None:
    last = "no output"
    while process.stderr is not None and (line := await process.stderr.readline()):
        last = line.decode(errors="replace").strip()
        log.info("broker", said=last)
        if last.endswith("running") and not running.done():
            running.set_result(None)
    if not running.done():
        running.set_exception(BrokerError(last))


async def _stop(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()


def _write_config(directory: Path, port: int) -> Path:
    directory.chmod(0o755)  # root's mosquitto may read its file as another user
    config = directory / "mosquitto.conf"
    config.write_text(CONFIG.format(port=port))
    return config


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
