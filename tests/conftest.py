"""What holds for every test."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is slow, and slowness is no bug: the benchmarks measure speed, properties do not.
settings.register_profile("arena", deadline=None, print_blob=True)
settings.load_profile("arena")
