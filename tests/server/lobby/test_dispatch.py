"""Which messages of a welcomed client are answered."""

from typing import get_args

import msgspec

from mancala.protocol.messages import ClientMessage, Hello
from tests.protocol.samples import smallest
from tests.server.fakes import Harness


def test_every_message_of_a_client_is_answered() -> None:
    """All but hello, which comes before the welcome; the last one closes the connection."""
    harness = Harness()
    ann = harness.greet("ann")
    for kind in get_args(ClientMessage):
        if kind is not Hello:
            harness.sessions.on_message(ann, msgspec.convert(smallest(kind), kind))
    assert ann.closed == ("goodbye", None, 1000)
