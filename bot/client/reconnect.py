"""When to connect again, and how long to wait first."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from functools import partial
from random import SystemRandom  # noqa: TID251  # for the default of the client's entry points
from typing import Final

from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from mancala.protocol.messages import ErrorCode

from .errors import RefusedError

BUSY_STATUS: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
PASSING_REFUSALS: Final = frozenset({ErrorCode.SHUTTING_DOWN, ErrorCode.TIMEOUT})
REFUSING_CLOSES: Final = frozenset({1002, 1003, 1007, 1008, 1009, 1010})


def backoff(
    uniform: Callable[[], float],
    *,
    first_s: float = 0.25,
    factor: float = 2.0,
    longest_s: float = 20.0,
) -> Iterator[float]:
    """Yield the seconds to wait before each attempt, without end.

    They double up to a bound; each is shortened at random by up to a half, so that the bots of a
    crashed server do not all come back at the same moment.

    Args:
        uniform: returns random numbers in [0, 1).
        first_s: the first wait.
        factor: how the waits grow.
        longest_s: their bound.
    """
    delay_s = first_s
    while True:
        yield delay_s * (1 - uniform() / 2)
        delay_s = min(delay_s * factor, longest_s)


DEFAULT_DELAYS: Final = partial(backoff, SystemRandom().random)


def is_passing(error: Exception) -> bool:
    """Return whether the same attempt may succeed a little later.

    True for lost and refused connections and for the HTTP statuses of a busy server. False for a
    bad certificate, an invalid address, and a close code that says that we broke the protocol.
    """
    match error:
        case ssl.SSLCertVerificationError():
            return False
        case RefusedError():
            return error.code in PASSING_REFUSALS
        case ConnectionClosed():
            return error.rcvd is None or error.rcvd.code not in REFUSING_CLOSES
        case InvalidStatus():
            return error.response.status_code in BUSY_STATUS
        case InvalidMessage():
            return isinstance(error.__cause__, EOFError)
        case _:
            return isinstance(error, OSError)
