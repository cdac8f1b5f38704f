"""Where a server lies, for commands in another shell."""

from pathlib import Path

import pytest

from mancala.server.config.loading import load
from mancala.server.config.place import note_place, placed
from mancala.server.config.settings import ConfigError

URL = "postgresql://db/arena"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "arena.toml"


@pytest.mark.parametrize("text", ['name = "club"', f'name = "club"\nstore = "{URL}"'])
def test_commands_find_a_server_whose_environment_they_lack(
    settings: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its store and its control socket lie where the server's environment had them."""
    settings.write_text(text)
    monkeypatch.setenv("XDG_STATE_HOME", "/var/lib")
    serves = load(settings)
    note_place(settings, serves)
    places = serves.store_path, serves.ctl_path
    monkeypatch.setenv("XDG_STATE_HOME", "/home/ann")
    asks = load(settings)
    assert asks.ctl_path != places[1]
    found = placed(settings, asks)
    assert (found.store_path, found.ctl_path) == places
    assert settings.with_name("arena.toml.place").stat().st_mode & 0o077 == 0


def test_settings_that_say_it_themselves_hold(settings: Path) -> None:
    """What was noted before is neither read nor kept."""
    settings.write_text('name = "club"')
    note_place(settings, load(settings))
    settings.write_text('name = "club"\nstore = "club.sqlite3"')
    assert placed(settings, load(settings)) == load(settings)
    note_place(settings, load(settings))
    assert list(settings.parent.iterdir()) == [settings]


def test_a_note_that_cannot_be_read_is_one_sentence(settings: Path) -> None:
    """It names the file."""
    settings.write_text("")
    settings.with_name("arena.toml.place").write_text("{}")
    with pytest.raises(ConfigError, match=r"arena\.toml\.place: .*; the server writes it again"):
        placed(settings, load(settings))
