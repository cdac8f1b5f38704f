"""A publisher or a subscriber that is cancelled ends, whatever the broker does in that moment."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any, Self

import aiomqtt
import pytest

from mancala.scripts.console.processes import subscriber
from tests.patience import PATIENCE_S
from tests.server.publish.doubles import KeptOutbox, QuietConnection, publisher_of


class LostConnection(QuietConnection):
    """A connection to a broker, which breaks with an event."""

    def __init__(self, begun: asyncio.Event, broken: asyncio.Event) -> None:
        self._begun = begun
        self._broken = broken

    async def __aenter__(self) -> Self:
        self._begun.set()
        return self

    @property
    async def messages(self) -> AsyncIterator[None]:
        await self._broken.wait()
        raise aiomqtt.MqttError("disconnected")
        yield


class AnsweringBroker:
    """A client of a broker whose answer arrives in the turn of a cancellation.

    It takes the answer, as aiomqtt does with `asyncio.wait_for` before Python 3.12.
    """

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def ask(self, *_arguments: object, **_options: object) -> None:
        """Wait until cancelled, and answer then."""
        self.asked.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    def client(self, *_arguments: object, **_options: object) -> Any:  # noqa: ANN401  # it has the methods that are used
        methods = SimpleNamespace(subscribe=self.ask, messages=silence())
        return nullcontext(methods)


def publishing_by(client: Callable[..., Any]) -> asyncio.Task[None]:
    return asyncio.create_task(publisher_of(KeptOutbox(), client).run())


@pytest.mark.parametrize("turns", range(8))
async def test_a_cancelled_publisher_ends_also_while_its_connection_breaks(turns: int) -> None:
    """It does not connect again; the server would wait for it without end."""
    begun, broken = asyncio.Event(), asyncio.Event()
    publishing = publishing_by(lambda *_, **_options: LostConnection(begun, broken))
    await begun.wait()
    broken.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    publishing.cancel()
    await asyncio.wait({publishing}, timeout=PATIENCE_S)
    assert publishing.cancelled()


async def silence() -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


async def ends(task: asyncio.Task[None], asked: asyncio.Event) -> None:
    await asked.wait()
    task.cancel()
    await asyncio.wait({task}, timeout=PATIENCE_S)
    assert task.cancelled()


async def test_a_subscriber_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo that is interrupted while it subscribes leaves."""
    broker = AnsweringBroker()
    monkeypatch.setattr(subscriber, "_client", broker.client)
    following = subscriber.follow("mqtt://127.0.0.1", "mancala", lambda _payload: None)
    await ends(asyncio.create_task(following), broker.asked)


class SilentConnection(QuietConnection):
    """A connection to a broker that acknowledges nothing."""

    def __init__(self, asked: asyncio.Event) -> None:
        self._asked = asked

    def deliver(self, *_: Any, **_options: Any) -> asyncio.Future[Any]:  # noqa: ANN401  # as it has them
        """Publish; no answer comes."""
        self._asked.set()
        return asyncio.get_running_loop().create_future()


async def test_a_publisher_ends() -> None:
    """The server that is stopped while the publisher says that it is there leaves."""
    asked = asyncio.Event()
    await ends(publishing_by(lambda *_, **_options: SilentConnection(asked)), asked)
