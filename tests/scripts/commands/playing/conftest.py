"""Workers that start quickly."""

import pytest


@pytest.fixture(autouse=True)
def _quick(quick_workers: None) -> None:
    """Let every command play by them."""
