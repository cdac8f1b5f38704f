"""Half-open connections, the oldest first; requests in many pieces are read with rests between."""

import asyncio

import pytest

from mancala.server.net.limits import slow_requests
from mancala.server.net.limits.slow_requests import PROMPT_READS, HalfOpen, PieceRests


class HeardTransport(asyncio.Transport):
    """A connection that notes each pause of its reading."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self._heard.append("pause")

    def resume_reading(self) -> None:
        self._heard.append("resume")


@pytest.fixture
def heard() -> list[str]:
    return []


@pytest.fixture
async def rests(heard: list[str]) -> PieceRests:
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
    monkeypatch.setattr(slow_requests, "REST_S", 0.0)
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
    monkeypatch.setattr(slow_requests, "REST_S", 0.0)
    for _ in range(PROMPT_READS + 1):
        rests.read_piece()
    rests.cancel()
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.0, later.set)
    await later.wait()
    assert heard == ["pause"]


def test_the_oldest_is_closed_first() -> None:
    """One that has brought a request is no longer half-open."""
    closed: list[int] = []
    waiting = HalfOpen()
    for port in (1, 2, 3):
        waiting.add("a", port, lambda port=port: closed.append(port))  # type: ignore[misc]  # bound now
    waiting.discard("a", 1)
    assert waiting.close_oldest()
    assert closed == [2]
    assert len(waiting) == 1


def test_one_address_closes_none_of_another() -> None:
    """Its own limit is its own matter."""
    closed: list[str] = []
    waiting = HalfOpen()
    waiting.add("a", 1, lambda: closed.append("a"))
    waiting.add("b", 1, lambda: closed.append("b"))
    assert waiting.close_oldest("b")
    assert not waiting.close_oldest("b")
    assert closed == ["b"]


def test_another_way_to_close_does_not_make_a_connection_younger() -> None:
    """A handshake that has ended has waited for as long as it took."""
    closed: list[str] = []
    waiting = HalfOpen()
    waiting.add("a", 1, lambda: closed.append("handshake"))
    waiting.add("a", 2, lambda: closed.append("other"))
    waiting.add("a", 1, lambda: closed.append("request"))
    assert waiting.close_oldest()
    assert closed == ["request"]
