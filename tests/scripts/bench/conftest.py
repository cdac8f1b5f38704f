"""The random generator of the benches' tests."""

from tests.server.conftest import rng

__all__ = ["rng"]
