"""What the engine's tests share."""

from __future__ import annotations

import os
import random
import sys

import pytest


@pytest.fixture
def rng() -> random.Random:
    """Return a source of chance whose seed a failure shows; MANCALA_SEED repeats it."""
    seed = int(os.environ.get("MANCALA_SEED", random.randrange(1 << 30)))
    sys.stdout.write(f"MANCALA_SEED={seed}\n")
    return random.Random(seed)
