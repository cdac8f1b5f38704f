"""A JSON Schema of each type that is sent or kept, as files.

A server hands them out under ``/schemas``, and ``mancala spec schemas`` prints them.
"""

from typing import Any, Final, get_args

from . import schemas
from .messages import ClientMessage, ServerMessage
from .record import GameRecord
from .results import PAYLOAD_KINDS
from .review import GameReview
from .submission import Submission

KINDS: Final[dict[str, type]] = {
    f"{kind.__struct_config__.tag}.json": kind
    for kind in (
        *get_args(ClientMessage),
        *get_args(ServerMessage),
        *PAYLOAD_KINDS,
        GameRecord,
        GameReview,
        Submission,
    )
}
"""What a file describes, by its name."""


def schema_files() -> dict[str, dict[str, Any]]:
    """Return a JSON Schema (2020-12) of each message, payload, record and review, by file name."""
    return {name: schemas.standalone(kind) for name, kind in KINDS.items()}
