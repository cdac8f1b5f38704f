"""When a bot tries again, and how long it waits: plain numbers."""

import itertools
import random
import ssl

import pytest
from websockets.datastructures import Headers
from websockets.exceptions import (
    ConnectionClosedError,
    ConnectionClosedOK,
    InvalidProxyMessage,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
)
from websockets.frames import Close
from websockets.http11 import Response

from mancala.bot.client.errors import RefusedError, ServerLeftError
from mancala.bot.client.reconnect import backoff, is_passing
from mancala.protocol.messages import ErrorCode


def response(code: int) -> Response:
    return Response(code, "", Headers())


def status(code: int) -> InvalidStatus:
    return InvalidStatus(response(code))


def test_waits_double_up_to_a_bound() -> None:
    """Without randomness the waits are powers of two."""
    waits = backoff(lambda: 0.0, first_s=0.25, longest_s=3.0)
    assert list(itertools.islice(waits, 6)) == [0.25, 0.5, 1.0, 2.0, 3.0, 3.0]


def test_waits_are_jittered_by_up_to_a_half() -> None:
    """Bots that lost one server at one moment do not come back together."""
    chances = [random.Random(bot) for bot in range(20)]
    thirds = [next(itertools.islice(backoff(rng.random), 2, None)) for rng in chances]
    assert all(0.5 <= wait <= 1.0 for wait in thirds)
    assert len(set(thirds)) == len(thirds)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        ConnectionClosedError(None, None),
        ConnectionClosedError(Close(1012, "restart"), None),
        ConnectionClosedOK(Close(1000, ""), None),
        status(503),
        status(429),
        InvalidProxyStatus(response(503)),  # the site behind it is restarted
        RefusedError(ErrorCode.SHUTTING_DOWN, "restart"),
    ],
    ids=repr,
)
def test_passing_troubles_are_tried_again(error: Exception) -> None:
    """A network failure or a restart of the server is worth another attempt."""
    assert is_passing(error)


@pytest.mark.parametrize(
    "error",
    [
        ConnectionClosedError(Close(1008, "expelled"), None),
        ConnectionClosedError(Close(1009, "too large"), None),
        status(404),
        status(401),
        InvalidProxyStatus(response(403)),
        InvalidProxyMessage(),
        InvalidURI("http://", "no websocket"),
        ssl.SSLCertVerificationError(),
        RefusedError(ErrorCode.BAD_TOKEN, "no"),
        ServerLeftError("for good"),
        ValueError(),
    ],
    ids=repr,
)
def test_lasting_troubles_are_not_tried_again(error: Exception) -> None:
    """A wrong address, a bad token or our own fault would only happen again."""
    assert not is_passing(error)
