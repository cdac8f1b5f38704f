"""The private broker lives exactly as long as the server that started it."""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import urlsplit

import aiomqtt
import pytest

from mancala.server.health.log import NullLog
from mancala.server.model.timers import Spawn
from mancala.server.publish import broker
from mancala.server.publish.broker import BrokerError, private_broker, private_broker_if_any
from tests.patience import PATIENCE_S

FORGETFUL = """#!/bin/sh
trap "trap 'exit 0' TERM" TERM
echo running >&2
while :; do sleep 0.1; done
"""


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    async with asyncio.TaskGroup() as tasks:
        yield lambda work, name: tasks.create_task(work, name=name)


async def test_it_serves_while_the_block_lasts(mosquitto: str, spawn: Spawn) -> None:
    """Afterwards the port is closed."""
    async with private_broker(mosquitto, NullLog(), spawn) as url:
        port = urlsplit(url).port or 0
        async with aiomqtt.Client("127.0.0.1", port, timeout=PATIENCE_S):
            pass
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_broker_that_forgets_the_first_signal_is_asked_again(
    tmp_path: Path, spawn: Spawn
) -> None:
    """As mosquitto does with one that comes just after it has said that it runs."""
    forgetful = tmp_path / "forgetful"
    forgetful.write_text(FORGETFUL)
    forgetful.chmod(0o755)
    async with asyncio.timeout(PATIENCE_S), private_broker(str(forgetful), NullLog(), spawn):
        pass


async def test_a_broker_that_runs_as_another_user_can_read_its_settings(
    tmp_path: Path, spawn: Spawn
) -> None:
    """As mosquitto does that root started."""
    curious = tmp_path / "curious"
    curious.write_text('#!/bin/sh\nstat -c %a "${2%/*}" >&2; echo running >&2; exec sleep 600\n')
    curious.chmod(0o755)
    log = Mock()
    async with asyncio.timeout(PATIENCE_S), private_broker(str(curious), log, spawn):
        pass
    log.info.assert_any_call("broker", said="755")


async def test_a_program_that_does_not_start_is_told_of(spawn: Spawn) -> None:
    """With the program's name."""
    with pytest.raises(BrokerError, match="false"):
        await private_broker("/bin/false", NullLog(), spawn).__aenter__()


async def test_one_whose_port_was_taken_meanwhile_is_started_again(
    mosquitto: str, spawn: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three ports are tried."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        free = broker._free_port()
        for ports, is_served in (([port, port, free], True), ([port] * 3 + [free], False)):
            monkeypatch.setattr(broker, "_free_port", iter(ports).__next__)
            if is_served:
                async with private_broker(mosquitto, NullLog(), spawn) as url:
                    assert urlsplit(url).port == free
            else:
                with pytest.raises(BrokerError):
                    await private_broker(mosquitto, NullLog(), spawn).__aenter__()


async def test_a_server_without_a_broker_goes_on_without_one(
    mosquitto: str, spawn: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether there is no program, or one that does not start."""
    for program, is_served in ((mosquitto, True), (None, False), ("/bin/false", False)):
        monkeypatch.setattr(broker, "find_mosquitto", lambda program=program: program)
        async with private_broker_if_any(NullLog(), spawn) as url:
            assert (url is not None) == is_served


KILLED = """
import asyncio, sys
from mancala.server.publish.broker import private_broker
from mancala.server.health.log import NullLog

async def main():
    async with asyncio.TaskGroup() as tasks:
        spawn = lambda work, name: tasks.create_task(work, name=name)
        async with private_broker(sys.argv[1], NullLog(), spawn) as url:
            print(url, flush=True)
            await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_it_does_not_outlive_a_killed_server(mosquitto: str) -> None:
    """Its connections end, since it is gone too."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, mosquitto, stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    url = (await child.stdout.readline()).decode().strip()
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
    child.send_signal(signal.SIGKILL)
    await child.communicate()
    async with asyncio.timeout(PATIENCE_S):
        assert await reader.read() == b""
    writer.close()
