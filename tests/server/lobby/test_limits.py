"""What ``welcome`` says of a connection's limits."""

from __future__ import annotations

import msgspec

from mancala.protocol.messages import Limits as Announced
from mancala.server.config.settings import Config, Limits
from mancala.server.lobby.limits import announced


def test_every_limit_is_stated_as_it_is_set() -> None:
    """None is left out, and each has the value of its setting."""
    found = msgspec.structs.asdict(announced(Config(limits=Limits(tables=7, flood_s=3.0))))
    assert set(found) == set(Announced.__struct_fields__)
    assert None not in found.values()
    assert (found["tables"], found["flood_s"]) == (7, 3.0)
