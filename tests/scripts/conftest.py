"""The browser that reads reports, and workers that start quickly."""

import pytest

from tests.server.web.conftest import browser

__all__ = ["browser"]


@pytest.fixture(autouse=True)
def _quick(quick_workers: None) -> None:
    """Let every command play and compute by them."""
