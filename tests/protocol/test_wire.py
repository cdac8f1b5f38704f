"""What is on the wire changes only on purpose."""

from __future__ import annotations

import json

from protocol import codec
from tests.protocol.wire import STORED, wire


def test_the_wire_stays_as_bots_know_it() -> None:
    """A type, a default or a limit changes only together with the stored file."""
    assert json.loads(codec.to_json(wire())) == json.loads(STORED.read_text())
