"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is slow, and slowness is no bug: the benchmarks measure speed, properties do not.
settings.register_profile(
    "arena", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("arena")
