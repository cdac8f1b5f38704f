"""Where frames end, whatever their length and however it is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from mancala.server.net.framing import frame_bytes

LENGTHS = st.sampled_from([0, 1, 125, 126, 127, 65_535, 65_536])


@given(length=LENGTHS, is_masked=st.booleans(), rest=st.binary(max_size=20))
def test_a_frame_ends_where_its_serialisation_does(
    length: int,
    is_masked: bool,  # noqa: FBT001  # drawn
    rest: bytes,
) -> None:
    """With whatever follows it."""
    frame = Frame(Opcode.BINARY, bytes(length)).serialize(mask=is_masked)
    assert frame_bytes(frame + rest) == len(frame)


@given(length=LENGTHS, cut=st.integers(0, 9))
def test_an_incomplete_length_is_no_size(length: int, cut: int) -> None:
    """The rest of the header is yet to come."""
    frame = Frame(Opcode.BINARY, bytes(length)).serialize(mask=True)
    found = frame_bytes(frame[:cut])
    assert found in {0, len(frame)}
    assert found or cut < len(frame) - length - 4


def test_a_length_may_be_longer_than_it_needs_to_be() -> None:
    """Eight bytes for the number five are eight bytes all the same."""
    assert frame_bytes(b"\x81\xff" + (5).to_bytes(8, "big") + bytes(4) + b"hello") == 2 + 8 + 4 + 5
