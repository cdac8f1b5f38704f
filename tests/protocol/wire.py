"""What is on the wire: every type with its fields, defaults and limits, without the words.

``python -m tests.protocol.wire`` writes it to ``tests/data/wire.json``.
"""

import json
from typing import Any, Final, get_args

from mancala.protocol import codec, schemas
from mancala.protocol.messages import ClientMessage, ServerMessage
from mancala.protocol.record import GameRecord
from mancala.protocol.results import PAYLOAD_KINDS
from tests.sources import ROOT

STORED: Final = ROOT / "tests" / "data" / "wire.json"


def wire() -> dict[str, Any]:
    kinds = (*get_args(ClientMessage), *get_args(ServerMessage), *PAYLOAD_KINDS, GameRecord)
    bare: dict[str, Any] = schemas.mapped(schemas.components(*dict.fromkeys(kinds)), _bare)
    return bare


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    words = {key for key in ("title", "description") if isinstance(schema.get(key), str)}
    return {key: value for key, value in schema.items() if key not in words}


if __name__ == "__main__":
    STORED.write_text(json.dumps(json.loads(codec.to_json(wire())), indent=1) + "\n")
