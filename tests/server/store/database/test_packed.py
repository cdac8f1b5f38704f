"""Packed moves are the moves, to the last bit of their times."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.protocol.rules import SWAP
from mancala.server.store.database.packed import (
    PackedError,
    StoredMove,
    pack,
    pack_infos,
    unpack,
    unpack_infos,
)

whole = st.integers(0, 2**40).map(lambda microseconds: microseconds / 1000)
doubles = st.floats(0, 1e9)
lags = st.sampled_from((0.0, 12.5))


def moves(times: st.SearchStrategy[float]) -> st.SearchStrategy[list[StoredMove]]:
    return st.lists(st.builds(StoredMove, st.integers(0, 15), times, lags, st.booleans()))


@given(moves(whole) | moves(doubles))
def test_packing_loses_nothing(played: list[StoredMove]) -> None:
    """Pits, times, lag and what the referee forced."""
    assert unpack(pack(played)) == played


def test_a_game_takes_three_bytes_a_move() -> None:
    """Where its times are whole microseconds, as those of our own clock are."""
    played = [StoredMove(ply % 6, 1 + ply, 0.0, forced=False) for ply in range(43)]
    assert len(pack(played)) <= 3 * 43
    late = [move._replace(elapsed_ms=2000.0) for move in played]
    assert len(pack(late)) <= 3.5 * 43


def test_one_long_thought_costs_its_own_bits_only() -> None:
    """The others are as short as without it."""
    played = [StoredMove(ply % 6, 0.2, 0.0, forced=False) for ply in range(43)]
    waited = [*played[:42], played[42]._replace(elapsed_ms=1e7)]
    assert len(pack(waited)) <= len(pack(played)) + 8


SHORT = [StoredMove(2, 0.3, 0.0, forced=False), StoredMove(5, 1.0, 0.001, forced=True)]


def test_the_format_is_as_documented() -> None:
    """Version 3, bit by bit, so that no later program writes it otherwise."""
    head, pits, times, lags = [3, 2, 1, 1, 9, 0], "010101", "1100101100010111101000", "1010"
    assert pack(SHORT) == bytes(head) + int(pits + times + lags, 2).to_bytes(4, "big")
    assert pack([]) == bytes([0x23, 0, 0, 0])
    wide = [SHORT[0]._replace(pit=8), SHORT[0]._replace(pit=SWAP)]
    assert pack(wide)[:5] == bytes([0x64, 2, 1, 0, 9])


def test_former_versions_are_read() -> None:
    """Version 1, byte by byte; with doubles it is still written."""
    assert unpack(bytes([1, 2, 0x52, 1, 1, 0xAC, 2, 0xE8, 7, 0, 1])) == SHORT
    assert unpack(bytes([0x21, 0, 0])) == []
    assert unpack(bytes([0x22, 1, 0, 0, 0, 1])) == [StoredMove(SWAP, 0.001, 0.0, forced=False)]
    odd = [SHORT[0]._replace(elapsed_ms=1 / 3)]
    assert pack(odd) == bytes([0x31, 1, 2, 0]) + struct.pack("<d", 1 / 3)


def test_another_version_is_refused() -> None:
    """What it means is not known here."""
    with pytest.raises(PackedError, match="version 5"):
        unpack(bytes([0x25, 0, 0]))


@given(st.lists(st.none() | st.text().map(lambda said: '{"comment":"' + said + '"}')))
def test_reports_are_kept_as_they_were(infos: list[str | None]) -> None:
    """A move without one has none; a game without any takes nothing."""
    infos = [info and info.replace("\n", "\\n") for info in infos]
    packed = pack_infos(infos)
    assert unpack_infos(packed, len(infos)) == infos
    assert (packed is None) == (not any(infos))
