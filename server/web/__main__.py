"""``python -m mancala.server.web``: the web process of a game server that started it."""

from __future__ import annotations

from .standalone import run_as_child

if __name__ == "__main__":
    run_as_child()
