"""The seed of randomised tests: the same in each run, so that chance never fails the suite.

``MANCALA_SEED`` sets another one; hypothesis then draws new examples, too.
"""

import os
import sys
from typing import Final

USUAL: Final = 20_240_229
IS_USUAL: Final = not os.environ.get("MANCALA_SEED")


def seed() -> int:
    """Return the seed and print it, which pytest shows beside a failure."""
    number = USUAL if IS_USUAL else int(os.environ["MANCALA_SEED"])
    sys.stdout.write(f"MANCALA_SEED={number}\n")
    return number
