"""Sending the newest state of an event from a thread of its own."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from mancala.bot.client.errors import ClientError, ConnectionFailedError, RefusedError
from mancala.protocol.messages import ErrorCode
from mancala.protocol.submission import Submission, submission_of
from mancala.scripts.publishing import sender
from mancala.scripts.publishing.sender import Sender, SubmissionTarget, submission_id
from tests.patience import PATIENCE_S
from tests.protocol.test_submission import MATCH

TARGET = SubmissionTarget("ws://arena", "lab", "t", 0.0)


class FakeServer:
    """Takes submissions, after it has failed some times."""

    def __init__(self, *failures: ClientError) -> None:
        self.titles: list[str] = []
        self.failures = [*failures]
        self.took = threading.Event()

    async def submit(self, _url: str, document: str, **given: object) -> str:
        assert given == {"submission": "n", "name": "lab", "token": "t"}
        if self.failures:
            raise self.failures.pop(0)
        self.titles.append(submission_of(document).title)
        self.took.set()
        return "key"


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[FakeServer], FakeServer]:
    """Return a function that lets a server take what is sent, with waits of no time."""

    def use(server: FakeServer) -> FakeServer:
        monkeypatch.setattr(sender, "submit_event", server.submit)
        monkeypatch.setattr(sender, "WAITS_S", (0.001,))
        return server

    return use


def named(title: str) -> Submission:
    return replace(MATCH, title=title)


def test_states_are_sent_and_the_last_one_is_waited_for(
    serve: Callable[[FakeServer], FakeServer],
) -> None:
    """The callback gets the page's name once."""
    server, told = serve(FakeServer()), list[str]()
    sending = Sender(TARGET, "n", told.append)
    sending.offer(lambda: named("first"))
    assert server.took.wait(PATIENCE_S)
    assert sending.finish(named("last")) == ""
    assert (server.titles, told) == (["first", "last"], ["key"])


def test_what_fails_in_passing_is_sent_again(serve: Callable[[FakeServer], FakeServer]) -> None:
    """Also the last state."""
    lost = ConnectionFailedError("ws://arena: not there")
    server = serve(FakeServer(lost, RefusedError(ErrorCode.BAD_NAME, "taken"), lost))
    sending = Sender(TARGET, "n")
    sending.offer(lambda: named("first"))
    assert sending.finish(named("last")) == ""
    assert server.titles[-1] == "last"


def test_a_refusal_ends_it(serve: Callable[[FakeServer], FakeServer]) -> None:
    """No further state is made; the end says why."""
    server = serve(FakeServer(RefusedError(ErrorCode.FORBIDDEN, "no right")))
    sending = Sender(TARGET, "n")
    assert "no right" in sending.finish(named("last"))
    sending.offer(lambda: pytest.fail("a state is made"))
    assert server.titles == []


def test_states_are_made_no_more_often_than_asked(
    serve: Callable[[FakeServer], FakeServer],
) -> None:
    """Between two there is a time."""
    serve(FakeServer())
    sending = Sender(TARGET._replace(every_s=1000.0), "n")
    sending.offer(lambda: named("first"))
    sending.offer(lambda: pytest.fail("another state is made"))
    assert sending.finish(named("last")) == ""


def test_the_id_of_an_event_stays_in_its_directory(tmp_path: Path) -> None:
    """So what is sent after a crash takes the place of what was sent before."""
    first = submission_id(tmp_path)
    assert submission_id(tmp_path) == first
    assert len(first) == 32
