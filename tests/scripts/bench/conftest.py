"""What the benches' tests share."""

from __future__ import annotations

import numpy as np
import pytest

from tests.seeds import seed


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a random generator."""
    return np.random.default_rng(seed())
