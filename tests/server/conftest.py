"""What the tests of the server share: databases, a random generator and a registry."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.seeds import seed
from tests.server.fakes import Harness
from tests.server.store import databases


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "postgresql":
        databases.postgresql_url = request.getfixturevalue("postgresql")
    yield
    databases.postgresql_url = None


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(seed())


@pytest.fixture
def harness() -> Harness:
    return Harness()
