"""Fixtures of the commands' tests."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _state_of_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
