"""What the engine's tests share."""

import random

import pytest

from tests.seeds import seed


@pytest.fixture
def rng() -> random.Random:
    """Return a random generator."""
    return random.Random(seed())
