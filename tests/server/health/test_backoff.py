"""Waits between attempts."""

import random
from itertools import islice

from mancala.server.health.backoff import backoff


def test_waits_grow_to_a_bound_and_differ() -> None:
    """A broker that is away isn't hammered, nor by all servers at the same instant."""
    waits = list(islice(backoff(random.Random(1).uniform, first_s=1, factor=2, longest_s=8), 20))
    for wait, usual in zip(waits, [1, 2, 4, 8, 8], strict=False):
        assert 0.75 * usual <= wait <= 1.25 * usual
    assert max(waits) <= 10
    assert len(set(waits)) == 20
