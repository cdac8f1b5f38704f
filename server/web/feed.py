"""The feed between the game server and a web process: JSON lines over a private socket.

The web asks, the game server answers each question once, in order, and sends a pulse four times a
second. A question is one JSON object on a line. An answer repeats its number and holds a schema of
the API, or ``null`` where there is no such game or ladder. The socket is a pair inherited by the
process that the game server started, or a unix socket that only the server's user may open.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from msgspec import Struct

from protocol import codec
from server.config.settings import Config
from server.model.schemas.status import ServerView
from server.model.schemas.views import View

PULSE_S: Final = 0.25
LONGEST_QUESTION: Final = 4 * 1024
LONGEST_ANSWER: Final = 64 * 1024 * 1024
"""Ample for the standings of 100,000 bots."""


class Handover(Struct, frozen=True):
    """What the game server gives its web process, on stdin.

    Attributes:
        config: the settings.
        listening: file descriptor of the listening socket.
        feed: file descriptor of the feed.
    """

    config: Config
    listening: int
    feed: int


class Topic(StrEnum):
    """What can be asked."""

    LIVE = "live"
    PRESENCE = "presence"
    LADDERS = "ladders"
    OPPONENTS = "opponents"
    TERMS = "terms"
    STANDINGS = "standings"
    RESTS_ON = "rests_on"
    SUPERIORITY = "superiority"
    READINESS = "readiness"
    METRICS = "metrics"


class Question(Struct, frozen=True):
    """A question of the web.

    Attributes:
        number: repeated by the answer.
        topic: what is asked.
        name: the game, bot or ladder it is about; empty for other topics.
    """

    number: int
    topic: Topic
    name: str = ""


class Answer(Struct, frozen=True):
    """An answer, or a pulse.

    Attributes:
        number: the number of the question; 0 for a pulse, whose body is a :class:`ServerView`.
        body: the view as JSON.
        failed: whether the game server failed; its log says why.
    """

    number: int
    body: msgspec.Raw = msgspec.Raw(b"null")
    failed: bool = False


class MetricsText(View, frozen=True):
    """The game server's metrics.

    Attributes:
        text: in Prometheus's text format.
    """

    text: str


def question_line(question: Question) -> bytes:
    """Return a question as a line."""
    return codec.to_json(question) + b"\n"


def answer_line(number: int, view: View | None) -> bytes:
    """Return an answer as a line."""
    return b'{"number":%d,"body":%b}\n' % (number, codec.to_json(view))


def failure_line(number: int) -> bytes:
    """Return, as a line, that a question could not be answered."""
    return b'{"number":%d,"failed":true}\n' % number


def pulse_line(about: ServerView) -> bytes:
    """Return a pulse as a line."""
    return answer_line(0, about)
