"""Where the servers of drills listen."""

from __future__ import annotations

import socket
from typing import Final

HOST: Final = "127.0.0.1"


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
