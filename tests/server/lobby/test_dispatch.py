"""Which messages of a welcomed client are answered."""

from __future__ import annotations

from typing import Final, get_args

from mancala.protocol.messages import (
    Accept,
    Challenge,
    ClientMessage,
    Decline,
    Enter,
    Goodbye,
    Hello,
    Join,
    Leave,
    List,
    Listable,
    Move,
    OfferReviews,
    Resign,
    Review,
    Schedule,
    Seek,
    Submit,
    Unseek,
    Unwatch,
    Watch,
    Withdraw,
)
from tests.server.fakes import Harness

MESSAGES: Final[tuple[ClientMessage, ...]] = (
    Move("none", 0, 0),
    Resign("none"),
    Challenge("none"),
    Accept("none"),
    Decline("none"),
    Watch("none"),
    Unwatch(),
    List(Listable.BOTS),
    Schedule(),
    Join("none"),
    Leave("none"),
    Enter("none"),
    Withdraw("none"),
    OfferReviews(1),
    Review("none"),
    Submit("none", "{}"),
    Seek(),
    Unseek(),
    Goodbye(),
)


def test_every_message_of_a_client_is_answered() -> None:
    """All but hello, which comes before the welcome; the last one closes the connection."""
    assert {type(message) for message in MESSAGES} == set(get_args(ClientMessage)) - {Hello}
    harness = Harness()
    ann = harness.greet("ann")
    for message in MESSAGES:
        harness.sessions.on_message(ann, message)
    assert ann.closed == ("goodbye", None, 1000)
