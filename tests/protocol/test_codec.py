"""Any input decodes to a message or to exactly one clear error."""

import json
import re
from dataclasses import replace

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mancala.protocol import codec
from mancala.protocol.codec import FRAME_LIMIT, DecodeError
from mancala.protocol.messages import (
    Agent,
    Challenge,
    ErrorCode,
    Goodbye,
    Hello,
    Info,
    Message,
    Move,
    Seek,
    Unseek,
)
from mancala.protocol.rules import Rules
from mancala.protocol.text import UNSEEN, quote

MOVE = '{"type":"move","game":"g","ply":0,"pit":1'
BAD: dict[str, tuple[bytes | str, ErrorCode, str]] = {
    "empty": (b"", ErrorCode.NOT_JSON, "truncated"),
    "cut short": (MOVE, ErrorCode.NOT_JSON, "truncated"),
    "two objects": (MOVE + "}{}", ErrorCode.NOT_JSON, "trailing"),
    "no JSON": (b"move 3", ErrorCode.NOT_JSON, "malformed"),
    "a byte order mark": (b'\xef\xbb\xbf{"type":"unseek"}', ErrorCode.NOT_JSON, "malformed"),
    "NaN": (MOVE + ',"info":{"value":NaN}}', ErrorCode.NOT_JSON, "malformed"),
    "bad UTF-8": (b'{"type":"goodbye","reason":"\xff"}', ErrorCode.NOT_JSON, "utf-8"),
    "bad UTF-8 in a name": (b'{"\xff":1,"type":"unseek"}', ErrorCode.NOT_JSON, "utf-8"),
    "half a surrogate": ("\ud800", ErrorCode.NOT_JSON, "utf-8"),
    "half an escaped one": (
        b'{"type":"goodbye","reason":"\\ud83d"}',
        ErrorCode.NOT_JSON,
        "truncated",
    ),
    "deep nesting": (b'{"a":' * 3000, ErrorCode.NOT_JSON, "recursion"),
    "an array": (b"[]", ErrorCode.INVALID, "Expected `object`, got `array`"),
    "null": (b"null", ErrorCode.INVALID, "Expected `object`, got `null`"),
    "no type": (b"{}", ErrorCode.INVALID, "missing required field `type`"),
    "a number as type": (b'{"type":5}', ErrorCode.INVALID, r"Expected `str` - at `\$.type`"),
    "an unknown type": (b'{"type":"mvoe"}', ErrorCode.UNKNOWN_TYPE, "Invalid value 'mvoe'"),
    "the server's word": (b'{"type":"turn"}', ErrorCode.UNKNOWN_TYPE, "Invalid value 'turn'"),
    "a missing field": (b'{"type":"move","game":"g","ply":0}', ErrorCode.INVALID, "field `pit`"),
    "true as a pit": (
        b'{"type":"move","game":"g","ply":0,"pit":true}',
        ErrorCode.INVALID,
        "Expected `int`, got `bool`",
    ),
    "0.0 as a pit": (
        b'{"type":"move","game":"g","ply":0,"pit":0.0}',
        ErrorCode.INVALID,
        "Expected `int`, got `float`",
    ),
    "a pit in quotes": (
        b'{"type":"move","game":"g","ply":0,"pit":"0"}',
        ErrorCode.INVALID,
        "Expected `int`, got `str`",
    ),
    "a negative pit": (
        b'{"type":"move","game":"g","ply":0,"pit":-1}',
        ErrorCode.INVALID,
        "Expected `int` >= 0",
    ),
    "a huge ply": (
        b'{"type":"move","game":"g","ply":9999999999999999999999,"pit":0}',
        ErrorCode.INVALID,
        r"\$.ply",
    ),
    "a huge count": (
        MOVE + ',"info":{"nodes":' + "9" * 30 + "}}",
        ErrorCode.INVALID,
        r"\$.info.nodes",
    ),
    "a number of many digits": (
        MOVE + ',"info":{"depth":' + "9" * 5000 + "}}",
        ErrorCode.INVALID,
        "out of range",
    ),
    "an infinite value": (
        MOVE + ',"info":{"value":1e400}}',
        ErrorCode.INVALID,
        r"out of range - at `\$.info.value`",
    ),
    "a line break in a name": (
        b'{"type":"hello","protocol":"mancala.v1","name":"ada\\n"}',
        ErrorCode.INVALID,
        r"\$.name",
    ),
    "impossible rules": (
        b'{"type":"seek","rules":{"pits":99}}',
        ErrorCode.INVALID,
        r"pits must be 1\.\.16, not 99 - at `\$.rules`",
    ),
    "a clock without limits": (
        b'{"type":"seek","clock":{"move_ms":null}}',
        ErrorCode.INVALID,
        r"a clock needs move_ms, bank_ms or both - at `\$.clock`",
    ),
    "a value that looks like a complaint about the type": (
        b'{"type":"seek","clock":{"timeout":"x\' - at `$.type`"}}',
        ErrorCode.INVALID,
        "Invalid enum value",
    ),
    "a wrong field named type further in": (
        b'{"type":"hello","protocol":"p","name":"a","agent":{"type":5}}',
        ErrorCode.INVALID,
        "missing required field `name`",
    ),
    "a frame too large": (
        b'{"type":"goodbye","x":"' + b" " * FRAME_LIMIT + b'"}',
        ErrorCode.TOO_LARGE,
        "a frame of 16409 bytes; the limit is 16384",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_frame_gives_one_error_that_says_what_was_wrong(case: str) -> None:
    """Each kind of fault has its code, a message, and the beginning of the input."""
    frame, code, complaint = BAD[case]
    with pytest.raises(DecodeError, match=complaint) as caught:
        codec.decode_client(frame)
    assert caught.value.code is code
    raw = frame if isinstance(frame, bytes) else frame.encode(errors="surrogatepass")
    assert caught.value.received == quote(raw)


@given(st.binary() | st.text() | st.text().map(lambda text: MOVE + text))
@example("{" * 16000)
@example("[" * 16000)
@example("9" * 16000)
def test_no_frame_does_worse_than_an_error(frame: bytes | str) -> None:
    """Any input is a message or a DecodeError, and every message can be encoded again."""
    try:
        message: Message = codec.decode_client(frame)
    except DecodeError:
        return
    codec.encode(message)


def test_an_error_fits_an_answer_whatever_it_quotes() -> None:
    """A long unknown type is not sent back whole."""
    with pytest.raises(DecodeError) as caught:
        codec.decode_client(b'{"type":"' + b"x" * 10_000 + b'"}')
    assert len(str(caught.value)) < 1000


def test_an_error_is_cut_after_200_characters() -> None:
    """What is no longer stands whole; a cut is shown."""
    words = "word " * 40
    for whole in ("word", words):
        assert str(DecodeError(ErrorCode.INVALID, whole, b"")) == whole
    assert str(DecodeError(ErrorCode.INVALID, words + "more", b"")) == words + "…"


def test_a_document_is_one_line_unless_asked_otherwise() -> None:
    """Keys are texts, as JSON demands."""
    assert codec.to_json({1: 2, "a": [3]}) == b'{"1":2,"a":[3]}'


def test_a_frame_of_just_the_limit_is_read() -> None:
    """The limit itself is allowed."""
    frame = b'{"type":"unseek"}'
    assert codec.decode_client(frame + b" " * (FRAME_LIMIT - len(frame))) == Unseek()


def test_the_limit_counts_bytes_not_characters() -> None:
    """A text frame is measured as it travels, in UTF-8."""
    with pytest.raises(DecodeError) as caught:
        codec.decode_client('{"type":"goodbye","x":"' + "ä" * (FRAME_LIMIT // 2) + '"}')
    assert caught.value.code is ErrorCode.TOO_LARGE


def test_unknown_fields_are_ignored() -> None:
    """A later version may add fields."""
    assert codec.decode_client(b'{"type":"unseek","mood":"good"}') == Unseek()


def test_type_may_stand_anywhere_in_the_object() -> None:
    """The order of fields is free."""
    frame = b'{"pit":1,"ply":2,"game":"g","type":"move"}'
    assert codec.decode_client(frame) == Move("g", 2, 1)


def test_fields_at_their_default_are_not_sent() -> None:
    """Optional fields take no bytes on the wire unless they are set."""
    assert codec.encode(Goodbye()) == b'{"type":"goodbye"}'
    assert codec.encode(Move("g", 2, 1, info=Info(depth=3))) == (
        b'{"type":"move","game":"g","ply":2,"pit":1,"info":{"depth":3}}'
    )


def test_rules_may_be_named_or_spelt_out() -> None:
    """A seek takes a preset's text as well as all the fields."""
    named = codec.decode_client(b'{"type":"seek","rules":"kalah:pits=5"}')
    spelt = codec.decode_client(b'{"type":"challenge","opponent":"bob","rules":{"pits":5}}')
    assert named == Seek(rules="kalah:pits=5")
    assert spelt == Challenge("bob", rules=replace(Rules(), pits=5))


def test_a_document_is_read_without_the_limit_of_a_frame() -> None:
    """Records are longer than frames."""
    assert codec.from_json(b'"' + b"x" * FRAME_LIMIT + b'"', str) == "x" * FRAME_LIMIT
    assert codec.to_json({"a": Agent("x")}, indent=True) == b'{\n  "a": {\n    "name": "x"\n  }\n}'


def test_a_hello_can_say_who_is_behind_it() -> None:
    """The example of the document: name, token, agent."""
    hello = Hello("mancala.v1", "ada", "s3cret", Agent("alpha", "1.2"))
    assert codec.decode_client(codec.encode(hello)) == hello


FREE_TEXTS = {
    "token": '{"type":"hello","protocol":"p","name":"a","token":%s}',
    "protocol": '{"type":"hello","name":"a","protocol":%s}',
    "agent": '{"type":"hello","protocol":"p","name":"a","agent":{"name":%s}}',
    "version": '{"type":"hello","protocol":"p","name":"a","agent":{"name":"b","version":%s}}',
    "resume": '{"type":"hello","protocol":"p","name":"a","resume":%s}',
    "rules": '{"type":"seek","rules":%s}',
    "challenge": '{"type":"accept","challenge":%s}',
    "reason": '{"type":"decline","challenge":"c","reason":%s}',
    "game": '{"type":"resign","game":%s}',
    "comment": MOVE + ',"info":{"comment":%s}}',
    "goodbye": '{"type":"goodbye","reason":%s}',
}
NAMES = {
    "name": '{"type":"hello","protocol":"p","name":%s}',
    "opponent": '{"type":"challenge","opponent":%s}',
    "ladder": '{"type":"join","ladder":%s}',
}
characters = st.characters(
    exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufffe\uffff"
)


@pytest.mark.parametrize("field", FREE_TEXTS)
@given(character=characters)
@example("\u202e")
def test_a_free_text_may_hold_any_character_but_controls(field: str, character: str) -> None:
    """A token, id, reason or comment is any Unicode text, and is read back unchanged.

    So is an agent's, but for characters that are not seen.
    """
    assume(field not in {"agent", "version"} or not UNSEEN.search(character))
    message = codec.decode_client(FREE_TEXTS[field] % json.dumps(character))
    assert codec.decode_client(codec.encode(message)) == message
    assert character in _texts(msgspec.to_builtins(message))


def _texts(value: object) -> list[object]:
    if isinstance(value, dict):
        return [text for member in value.values() for text in _texts(member)]
    return [value]


@pytest.mark.parametrize("field", FREE_TEXTS)
def test_half_a_surrogate_pair_is_not_text(field: str) -> None:
    """A character that UTF-8 cannot carry is refused, so what was read can be sent on."""
    with pytest.raises(DecodeError) as caught:
        codec.decode_client(FREE_TEXTS[field] % r'"\ud800"')
    assert caught.value.code is ErrorCode.NOT_JSON


@pytest.mark.parametrize("field", NAMES)
@given(character=characters)
def test_a_name_holds_only_letters_digits_and_five_signs(field: str, character: str) -> None:
    """The name of a bot or a ladder is printable ASCII that needs no quoting."""
    frame = NAMES[field] % json.dumps("a" + character)
    if re.fullmatch(r"[A-Za-z0-9_.@+-]", character):
        codec.decode_client(frame)
        return
    with pytest.raises(DecodeError) as caught:
        codec.decode_client(frame)
    assert caught.value.code is ErrorCode.INVALID
