"""``mancala web``: what its settings must say."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mancala.scripts.mancala import build


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("http_port = 0", "web_feed"),
        ('web_feed = "feed"', "http_port"),
        ('web_feed = "feed"\nhttp_port = 0\nstore = ":memory:"', "store"),
        ("no TOML", "arena.toml"),
    ],
)
def test_settings_that_cannot_be_used_are_bad_input(
    tmp_path: Path, settings: str, named: str
) -> None:
    """The missing key is named."""
    path = tmp_path / "arena.toml"
    path.write_text(settings)
    result = CliRunner().invoke(build(), ["web", "--config", str(path)])
    assert result.exit_code == 2
    assert named in result.stderr


def test_a_store_that_does_not_exist_is_a_failure(tmp_path: Path) -> None:
    """It reads a store and never makes one."""
    path = tmp_path / "arena.toml"
    path.write_text(f'web_feed = "feed"\nhttp_port = 0\nstore = "{tmp_path}/none/x.sqlite3"')
    result = CliRunner().invoke(build(), ["web", "--config", str(path)])
    assert result.exit_code == 1
    assert f"there is no store at {tmp_path}" in result.stderr
    assert not (tmp_path / "none").exists()
