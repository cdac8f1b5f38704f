"""Every message of ``mancala.v1``: one struct each; the field ``type`` names it on the wire.

Messages have no behaviour. ``session.py`` states which one may be sent when, ``codec.py`` turns
them into bytes, and ``SPEC.md`` describes them. Optional fields at their default are not sent.
Unknown fields are ignored, so a later version may add some.
"""

from .base import *  # noqa: F403  # every name is for all who speak it
from .client import *  # noqa: F403  # every message of a client
from .parts import *  # noqa: F403  # every object inside a message
from .server import *  # noqa: F403  # every message of a server
