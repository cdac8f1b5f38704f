"""Sends the newest state of an event to a server, from a thread of its own, while games go on.

What fails in passing is tried again with the newest state; a refusal ends it. At the end the last
state is sent, and waited for. The id of an event is kept beside its games, so what is sent after a
crash takes the place of what was sent before.
"""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from mancala.bot.client.errors import ClientError, RefusedError
from mancala.bot.client.requests import submit_event
from mancala.files import write_whole
from mancala.protocol.messages import ErrorCode
from mancala.protocol.submission import Submission, document_of

ID: Final = "submission"
"""The file of an event's directory that holds its id on servers."""
SHARE: Final = 20
"""A state is made at most once in this many times the time that it takes."""
WAITS_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)
LAST_WAIT_S: Final = 60.0
"""How long the last state is tried to be sent."""
PASSING: Final = {ErrorCode.INTERNAL, ErrorCode.SHUTTING_DOWN, ErrorCode.BAD_NAME}
"""Refusals that another attempt may not meet; a name is taken while its last connection ends."""


class SubmissionTarget(NamedTuple):
    """Where an event is sent, with a token that may submit; seconds lie between two states."""

    url: str
    name: str
    token: str | None
    every_s: float


@dataclass(slots=True)
class _State:
    """What both threads know: the next document, the event's name on the page once it is stored."""

    document: str | None = None
    key: str | None = None
    problem: str = ""
    is_refused: bool = False
    is_last: bool = False


class Sender:
    """Sends the states of one event to one server."""

    def __init__(
        self,
        target: SubmissionTarget,
        submission: str,
        tell: Callable[[str], None] = lambda _key: None,
    ) -> None:
        """Begin to wait for states of the event with an id."""
        self._target = target
        self._submission = submission
        self._tell = tell
        self._due = 0.0
        self._state = _State()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="submit", daemon=True)
        self._thread.start()

    def offer(self, make: Callable[[], Submission]) -> None:
        """Send a state soon, unless the last one was made a moment ago."""
        began = time.monotonic()
        if began >= self._due and not self._state.is_refused:
            self._put(make(), is_last=False)
            ended = time.monotonic()
            self._due = ended + max(self._target.every_s, SHARE * (ended - began))

    def finish(self, last: Submission) -> str:
        """Send the last state and wait for that; return why it failed, empty if it did not."""
        self._put(last, is_last=True)
        self._thread.join(LAST_WAIT_S)
        if self._thread.is_alive():
            return self._state.problem or f"no answer in {LAST_WAIT_S:g} s"
        return self._state.problem

    def _put(self, submission: Submission, *, is_last: bool) -> None:
        with self._changed:
            self._state.document, self._state.is_last = document_of(submission), is_last
            self._changed.notify()

    def _run(self) -> None:
        failures = 0
        while not (self._is_done() or self._state.is_refused):
            document = self._take()
            self._send(document)
            failures = failures + 1 if self._state.problem else 0
            if failures:
                self._retry(document, WAITS_S[min(failures, len(WAITS_S)) - 1])

    def _is_done(self) -> bool:
        with self._changed:
            return self._state.is_last and self._state.document is None

    def _take(self) -> str:
        with self._changed:
            self._changed.wait_for(lambda: self._state.document is not None)
            document, self._state.document = self._state.document or "", None
            return document

    def _send(self, document: str) -> None:
        to = self._target
        try:
            key = asyncio.run(
                submit_event(
                    to.url, document, submission=self._submission, name=to.name, token=to.token
                )
            )
        except ClientError as error:
            self._state.problem = str(error)
            is_refusal = isinstance(error, RefusedError) and error.code not in PASSING
            self._state.is_refused = is_refusal
        else:
            self._state.problem = ""
            if self._state.key is None:
                self._state.key = key
                self._tell(key)

    def _retry(self, document: str, wait_s: float) -> None:
        """Send a document again after a while, unless there is a newer one then."""
        if self._state.is_refused:
            return
        with self._changed:
            self._changed.wait_for(lambda: self._state.is_last, wait_s)
            if self._state.document is None:
                self._state.document = document
        if self._state.is_last:
            time.sleep(min(wait_s, WAITS_S[0]))


def submission_id(home: Path) -> str:
    """Return the id of the event in a directory; the first call makes it."""
    path = home / ID
    if not path.exists():
        write_whole(path, secrets.token_hex(16).encode())
    return path.read_text()
