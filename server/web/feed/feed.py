"""The feed between the game server and a web process: JSON lines over a private socket.

The web asks, the game server answers each question once, in order, and sends a pulse four times a
second. A question is one JSON object on a line. An answer repeats its number and holds a schema of
the API, or ``null`` where there is no such game or ladder. The socket is a pair inherited by the
process that the game server started, or a unix socket that only the server's user may open.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from mancala.protocol import codec

from ...config.settings import Config
from ...model.schemas.status import ServerView
from ...model.schemas.views import View
from .viewers import GameEvent

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


FOLLOW: Final = "follow"
"""In place of a topic: send the events of a game."""
UNFOLLOW: Final = "unfollow"


class Question(Struct, frozen=True):
    """A question of the web.

    Attributes:
        number: repeated by the answer; 0 where none is wanted.
        topic: the name of a topic, `FOLLOW` or `UNFOLLOW`.
        subject: the game, bot or ladder it is about; empty for other topics.
    """

    number: int
    topic: str
    subject: str = ""


class Answer(Struct, frozen=True):
    """An answer, a pulse, or an event of a game that is followed.

    Attributes:
        number: the number of the question; 0 for the others. The body of a pulse is a
            :class:`ServerView`.
        body: the view, or the message about the event, as JSON.
        game: the game that the event is of.
        ply: the event's ply.
        failed: whether the game server failed; its log says why.
    """

    number: int
    body: msgspec.Raw = msgspec.Raw(b"null")
    failed: bool = False
    game: str = ""
    ply: int = 0


def question_line(question: Question) -> bytes:
    """Encode a question as the feed carries it: one JSON line with its newline."""
    return codec.to_json(question) + b"\n"


def question_of(line: bytes) -> Question:
    """Return the question in a line.

    Raises:
        DecodeError: when it is none.
    """
    return codec.from_json(line, Question)


def answer_line(number: int, view: View | None) -> bytes:
    """Encode an answer as the feed carries it: one JSON line with its newline."""
    return b'{"number":%d,"body":%b}\n' % (number, codec.to_json(view))


def event_line(game: str, event: GameEvent) -> bytes:
    """Encode an event of a running game, sent without a question."""
    return b'{"number":0,"game":%b,"ply":%d,"body":%b}\n' % (
        codec.to_json(game),
        event.ply,
        event.message,
    )


def answer_of(line: bytes) -> Answer | ServerView:
    """Return the answer or event in a line, or what a pulse says of the server.

    Raises:
        DecodeError: when it is none of them.
    """
    answer = codec.from_json(line, Answer)
    if answer.number == 0 and not answer.game:
        return codec.from_json(bytes(answer.body), ServerView)
    return answer


def failure_line(number: int) -> bytes:
    """Return, as a line, that a question could not be answered."""
    return b'{"number":%d,"failed":true}\n' % number


def pulse_line(about: ServerView) -> bytes:
    """Encode how the server stands, sent at intervals without a question."""
    return answer_line(0, about)
