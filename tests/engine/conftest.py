"""What the engine's tests share."""

import random

import pytest

from tests.seeds import seed


@pytest.fixture
def rng() -> random.Random:
    return random.Random(seed())
