"""Requests in many pieces are read with rests between the reads."""

from __future__ import annotations

import asyncio

import pytest

from mancala.server.net.limits import pieces
from mancala.server.net.limits.pieces import PROMPT_READS, PieceRests


class HeardTransport(asyncio.Transport):
    """A connection that notes each pause of its reading."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def is_closing(self) -> bool:
        """It is open."""
        return False

    def pause_reading(self) -> None:
        """Note it."""
        self._heard.append("pause")

    def resume_reading(self) -> None:
        """Note it."""
        self._heard.append("resume")


@pytest.fixture
def heard() -> list[str]:
    """Return the calls that a connection gets."""
    return []


@pytest.fixture
async def rests(heard: list[str]) -> PieceRests:
    """Begin a request."""
    transport = HeardTransport(heard)
    return PieceRests(asyncio.get_running_loop(), transport, transport)


async def test_the_first_reads_of_each_request_are_prompt(
    rests: PieceRests, heard: list[str]
) -> None:
    """An honest head that comes in a few segments waits for nothing."""
    for _ in range(3):
        rests.begin()
        for _ in range(PROMPT_READS):
            rests.read_piece()
    assert heard == []


async def test_a_connection_rests_once_after_each_further_read(
    monkeypatch: pytest.MonkeyPatch, rests: PieceRests, heard: list[str]
) -> None:
    """What TLS had decrypted may be passed on during a rest, which it does not lengthen."""
    monkeypatch.setattr(pieces, "REST_S", 0.0)
    for _ in range(PROMPT_READS + 2):
        rests.read_piece()
    assert heard == ["pause"]
    resumed = asyncio.Event()
    asyncio.get_running_loop().call_later(0.0, resumed.set)
    await resumed.wait()
    assert heard == ["pause", "resume"]


async def test_a_lost_connection_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch, rests: PieceRests, heard: list[str]
) -> None:
    """A rest may outlast its connection."""
    monkeypatch.setattr(pieces, "REST_S", 0.0)
    for _ in range(PROMPT_READS + 1):
        rests.read_piece()
    rests.cancel()
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.0, later.set)
    await later.wait()
    assert heard == ["pause"]
