"""Where frames end, whatever their length and however it is written, and whole messages."""

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from mancala.server.net.framing import frame_bytes, message_in, ping_frame, pong_in, text_frame

TEXT = Frame(Opcode.TEXT, b"hello").serialize(mask=True)
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


@given(length=LENGTHS, opcode=st.sampled_from([Opcode.TEXT, Opcode.BINARY]))
def test_a_message_that_is_one_frame_is_read_as_the_library_reads_it(
    length: int, opcode: Opcode
) -> None:
    """As far as its length takes no more than two bytes."""
    message = bytes(range(256)) * (length // 256) + bytes(length % 256)
    frame = Frame(opcode, message).serialize(mask=True)
    assert message_in(frame) == (message if length < 65_536 else None)


def test_anything_else_is_left_to_the_library() -> None:
    """Parts and rows of frames, controls, and what is not as a client sends it."""
    frames = [
        b"",
        TEXT[:5],
        TEXT[:-1],
        TEXT + b"!",
        TEXT + TEXT,
        Frame(Opcode.TEXT, b"hello, arena").serialize(mask=False),
        Frame(Opcode.TEXT, b"hel", fin=False).serialize(mask=True),
        Frame(Opcode.CONT, b"lo").serialize(mask=True),
        Frame(Opcode.PING, b"hello").serialize(mask=True),
        Frame(Opcode.PONG, b"hello").serialize(mask=False),
        Frame(Opcode.PONG, b"hello").serialize(mask=True) + b"!",
        bytes((TEXT[0] | 0x40,)) + TEXT[1:],
        b"\x81\xff" + (119).to_bytes(8, "big") + bytes(4 + 119),
    ]
    assert [frame for frame in frames if message_in(frame) is not None] == []
    assert [frame for frame in frames if pong_in(frame) is not None] == []


@given(length=LENGTHS)
def test_a_message_is_sent_as_the_library_sends_it(length: int) -> None:
    """In one frame of text, without a mask."""
    message = bytes(length)
    assert text_frame(message) == Frame(Opcode.TEXT, message).serialize(mask=False)


@given(payload=st.binary(max_size=125))
def test_pings_and_pongs_are_those_of_the_library(payload: bytes) -> None:
    """Whatever they carry."""
    assert ping_frame(payload) == Frame(Opcode.PING, payload).serialize(mask=False)
    assert pong_in(Frame(Opcode.PONG, payload).serialize(mask=True)) == payload
