"""What a bot leaves on disk: enough to resume, private, and never two writers."""

from pathlib import Path

import pytest

from mancala.bot import GameResult
from mancala.bot.client.session_file import SavedSession, SessionFile, default_path
from mancala.protocol.messages import Evidence, Reason

GAME = GameResult(
    "g1", "m1", "rival", 1, 0, (30, 18), Reason.TIMEOUT, Evidence(1, "the time was up", 7)
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """The next process reads the secret and the games of the last one, and only the latest."""
    file = SessionFile(tmp_path / "me")
    assert file.read() is None
    file.write(SavedSession("a long first secret", (GAME, GAME)))
    file.write(SavedSession("second", (GAME,)))
    file.close()
    again = SessionFile(tmp_path / "me")
    assert again.read() == SavedSession("second", (GAME,))
    again.close()


def test_a_damaged_file_is_nothing(tmp_path: Path) -> None:
    """A bot with a damaged file starts anew."""
    (tmp_path / "me").write_bytes(b'{"session": 3')
    file = SessionFile(tmp_path / "me")
    assert file.read() is None
    file.close()


def test_only_one_process_holds_it(tmp_path: Path) -> None:
    """A second opening is refused while the first lasts."""
    file = SessionFile(tmp_path / "me")
    with pytest.raises(OSError, match="another running bot"):
        SessionFile(tmp_path / "me")
    file.close()
    SessionFile(tmp_path / "me").close()


def test_file_and_folder_are_private(tmp_path: Path) -> None:
    """The secret is for its owner's eyes."""
    file = SessionFile(tmp_path / "sessions" / "me")
    assert (tmp_path / "sessions").stat().st_mode & 0o077 == 0
    assert (tmp_path / "sessions" / "me").stat().st_mode & 0o077 == 0
    file.close()


def test_the_place_depends_on_server_and_name() -> None:
    """Two names, or two servers, never share a session."""
    state = {"XDG_STATE_HOME": "/state"}
    places = {default_path(url, name, state) for url in ("ws://a", "ws://b") for name in "xy"}
    assert len(places) == 4
    assert all(place.is_relative_to("/state/mancala-arena/sessions") for place in places)
