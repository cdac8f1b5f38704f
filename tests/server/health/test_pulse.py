"""A child's pulse, as its parent takes it."""

from __future__ import annotations

import asyncio

import pytest

from mancala.server.health import pulse
from mancala.server.health.pulse import silence
from tests.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count in milliseconds."""
    monkeypatch.setattr(pulse, "BEAT_S", 0.001)


async def test_a_child_that_never_beats_hangs_after_its_time_to_start() -> None:
    """It may take longer for the first beat than for others."""
    assert await silence(asyncio.StreamReader(), first_s=0.005, silent_s=PATIENCE_S)


async def test_a_child_that_stops_beating_hangs() -> None:
    """One beat, then none."""
    beats = asyncio.StreamReader()
    beats.feed_data(b".")
    assert await silence(beats, first_s=PATIENCE_S, silent_s=0.005)


async def test_a_child_that_ends_does_not_hang() -> None:
    """Its output is closed."""
    beats = asyncio.StreamReader()
    beats.feed_data(b".")
    beats.feed_eof()
    assert not await silence(beats, first_s=PATIENCE_S, silent_s=PATIENCE_S)
