"""Programs that the server's tests need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from mancala.server.publish.broker import find_mosquitto
from tests.seeds import seed
from tests.server.fakes import Harness
from tests.server.store import databases


@pytest.fixture(scope="session")
def mosquitto() -> str:
    """The broker's program; where there is none the test is skipped, but not in CI."""
    program = find_mosquitto()
    if program is None:
        if os.environ.get("MANCALA_SKIP_NOTHING"):
            pytest.fail("mosquitto is missing, and nothing may be skipped")
        pytest.skip("mosquitto is not installed")
    return program


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the tests of a module on one database and then on the other."""
    if request.param == "postgresql":
        databases.postgresql_url = request.getfixturevalue("postgresql")
    yield
    databases.postgresql_url = None


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a random generator."""
    return np.random.default_rng(seed())


@pytest.fixture
def harness() -> Harness:
    """Return a session registry without participants."""
    return Harness()
