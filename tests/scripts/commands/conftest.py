"""Fixtures of the commands' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def engine_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache directory that all tests of the engine's commands share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def _tables_of_tests(monkeypatch: pytest.MonkeyPatch, engine_cache: Path) -> None:
    """Keep the endgame tables that commands build in a directory of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(engine_cache))


@pytest.fixture(autouse=True)
def _state_of_tests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the matches and events of commands in a directory of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
