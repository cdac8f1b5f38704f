"""What the benches' tests share."""

from __future__ import annotations

import os

import numpy as np
import pytest


@pytest.fixture
def chance() -> np.random.Generator:
    """Return a random generator; MANCALA_SEED repeats a run."""
    seed = int(os.environ.get("MANCALA_SEED") or 20_240_229)
    print(f"MANCALA_SEED={seed}")  # noqa: T201  # pytest shows it beside a failure
    return np.random.default_rng(seed)
