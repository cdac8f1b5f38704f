"""Settings: their defaults, and what follows from them."""

from pathlib import Path

import pytest

from mancala.server.config.settings import Config


def test_the_store_lies_under_the_state_directory_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """XDG_STATE_HOME is honoured; one file a server's name."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Config(name="club").store_path == f"{tmp_path}/mancala-arena/club.sqlite3"


def test_topics_begin_with_the_servers_name_by_default() -> None:
    """Two servers on one broker don't mix."""
    assert Config(name="club").topics.status == "mancala/club/status"
