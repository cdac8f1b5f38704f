"""Programs that the tests of whole programs need."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program; where there is none the test is skipped, but not in CI."""
    program = shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail("mosquitto is missing, and nothing may be skipped")
        pytest.skip("mosquitto is not installed")
    return program
