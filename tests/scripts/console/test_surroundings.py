"""What surrounds a command; `tests/drills/surroundings.py` walks all commands."""

import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest

from mancala.scripts.console.surroundings import surrounded


def test_a_user_whom_the_system_does_not_know_has_a_home_that_is_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in a container that runs under any number."""

    def unknown() -> NoReturn:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setenv("HOME", "")
    with surrounded():
        assert os.environ["HOME"] == "/nonexistent"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.EACCES, "Permission denied", "a.toml"),
            "mancala: a.toml: permission denied\n",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "mancala: cannot print: no space"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), ""),
    ],
)
def test_what_the_system_denies_is_one_sentence(
    error: OSError, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A reader that has seen enough needs none."""
    monkeypatch.setattr("mancala.scripts.console.surroundings._discard_output", lambda: None)
    with pytest.raises(SystemExit) as ended, surrounded():
        raise error
    printed = capsys.readouterr().err
    assert ended.value.code == 1
    assert printed.startswith(said)
    assert bool(printed) == bool(said)
