"""What is on the wire is added to, and otherwise changes only on purpose."""

import json
from typing import Any

from mancala.protocol import codec
from tests.protocol.wire import STORED, wire


def known(found: Any, stored: Any) -> Any:  # noqa: ANN401  # any JSON values
    """Return what is found without what was added to the stored."""
    if isinstance(found, dict) and isinstance(stored, dict):
        return {key: known(found[key], stored[key]) for key in stored if key in found}
    if isinstance(found, list) and isinstance(stored, list):
        if len(found) == len(stored):
            return [known(*pair) for pair in zip(found, stored, strict=True)]
        return [each for each in found if each in stored]
    return found


def test_the_wire_stays_as_bots_know_it() -> None:
    """A type, a default or a limit changes only together with the stored file."""
    stored = json.loads(STORED.read_text())
    assert known(json.loads(codec.to_json(wire())), stored) == stored
