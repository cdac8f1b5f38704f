"""Programs that the server's tests need."""

from __future__ import annotations

import os

import pytest

from server.broker import find_mosquitto


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program; where there is none the test is skipped, but not in CI."""
    program = find_mosquitto()
    if program is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail("mosquitto is missing, and nothing may be skipped")
        pytest.skip("mosquitto is not installed")
    return program
