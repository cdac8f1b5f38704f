"""``python -m mancala.server.publish``: the publisher of a game server that started it."""

from __future__ import annotations

from .process import run_as_child

if __name__ == "__main__":
    run_as_child()
