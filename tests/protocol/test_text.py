"""Texts of peers: no control characters, and no secrets in what is quoted."""

import json
import sys
from collections.abc import Iterator
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from mancala.protocol import codec
from mancala.protocol.codec import DecodeError
from mancala.protocol.messages import ClientMessage, ErrorCode, Goodbye, Hello, Info, Move
from mancala.protocol.text import (
    LOOKED_AT,
    QUOTED,
    WITHHELD,
    Finding,
    decimal_number,
    find_control,
    for_terminal,
    json_for_terminal,
    may_hold_control,
    printable,
    quantity,
    quote,
    shown,
    whole_number,
    written_text,
)
from tests.protocol.samples import smallest

ODD: Final = ("\x00", "\x07", "\x08", "\x1b", "\x1f", "\x7f", "\x80", "\x9b", "\u2028", "\uffff")
LINES: Final = "\t\n\r"
SECRET: Final = "3fQ9tPz0sKq7LwXb2VnM8yRd"  # noqa: S105  # made up


def text_fields(kind: inspect.Type, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    match kind:
        case inspect.StrType():
            yield path
        case inspect.UnionType(types):
            for each in types:
                yield from text_fields(each, path)
        case inspect.StructType(fields=fields) | inspect.DataclassType(fields=fields):
            for field in fields:
                yield from text_fields(field.type, (*path, field.encode_name))
        case inspect.CollectionType(item_type=item):
            yield from text_fields(item, path)


CASES: Final = [
    (kind, path)
    for kind in get_args(ClientMessage)
    for path in text_fields(inspect.type_info(kind))
]


def document(kind: type, path: tuple[str, ...], text: str) -> dict[str, Any]:
    message = smallest(kind)
    place = message
    for name in path[:-1]:
        place[name] = {"name": "agent"} if name == "agent" else {}
        place = place[name]
    place[path[-1]] = text
    return message


def test_the_walk_finds_the_texts_of_nested_objects() -> None:
    """The fields that once ended a server are among those that are tried."""
    paths = {(kind, path) for kind, path in CASES}
    assert {
        (Hello, ("agent", "version")),
        (Hello, ("resume",)),
        (Move, ("info", "comment")),
        (Goodbye, ("reason",)),
    } <= paths


@pytest.mark.parametrize("is_escaped", [True, False])
@pytest.mark.parametrize(("kind", "path"), CASES)
def test_no_text_of_a_client_may_hold_a_control_character(
    kind: type, path: tuple[str, ...], *, is_escaped: bool
) -> None:
    """In every field of every message it is one clear error, escaped or raw."""
    for odd in ODD:
        frame = json.dumps(document(kind, path, f"a{odd}b"), ensure_ascii=is_escaped)
        with pytest.raises(DecodeError) as caught:
            codec.decode_client(frame)
        assert caught.value.code is ErrorCode.INVALID
        assert f"`$.{'.'.join(path)}`" in str(caught.value)


def test_half_a_surrogate_is_not_json() -> None:
    """No reader of UTF-8 takes it; msgspec refuses it before we look."""
    with pytest.raises(DecodeError) as caught:
        codec.decode_client(b'{"type":"goodbye","reason":"\\udc00"}')
    assert caught.value.code is ErrorCode.NOT_JSON


def test_a_comment_may_have_lines_and_nothing_else_may() -> None:
    """Tabs and line ends are allowed there, and only there."""
    told = codec.decode_client(json.dumps(document(Move, ("info", "comment"), f"a{LINES}b")))
    assert isinstance(told, Move)
    assert told.info == Info(comment=f"a{LINES}b")
    for odd in LINES:
        with pytest.raises(DecodeError):
            codec.decode_client(json.dumps(document(Goodbye, ("reason",), odd)))


def test_texts_in_any_language_pass() -> None:
    """What is no control character is left as it is: accents, emoji, right to left."""
    text = "Kalaḥ — מנקלה 🕳️ ÂÃ \\n \\u0000"
    told = codec.decode_client(json.dumps(document(Goodbye, ("reason",), text)))
    assert told == Goodbye(text)


@given(
    value=st.dictionaries(st.sampled_from(["a", "comment"]), st.text(max_size=8)),
    is_escaped=st.booleans(),
)
def test_the_quick_look_misses_nothing(*, value: dict[str, str], is_escaped: bool) -> None:
    """Whatever the careful look finds, the quick one has seen in the bytes."""
    frame = json.dumps(value, ensure_ascii=is_escaped).encode(errors="surrogatepass")
    if find_control(value) is not None:
        assert may_hold_control(frame) or b"\xed" in frame


def test_printable_text_is_one_bounded_line() -> None:
    """A peer's text cannot bring line ends or control characters into a page or a log."""
    assert printable("a\r\nb\x1b[31m\u2028c\x9b", 100) == "a  b [31m c"
    assert printable("abcdef", 3) == "abc"


SPOILT_HELLOS: Final[dict[str, bytes | str]] = {
    "a second one": f'{{"type":"hello","name":"ann","token":"{SECRET}"}}',
    "cut short": f'{{"type":"hello","name":"ann","token":"{SECRET}',
    "an escaped key": f'{{"type":"h\\u0065llo","t\\u006fken":"{SECRET}',
    "a key in capitals": f'{{"TOKEN":"{SECRET}"}}',
    "no JSON": f"token: {SECRET}",
    "another protocol": f"12 set auth:token {SECRET}",
    "UTF-16": f'{{"token":"{SECRET}"}}'.encode("utf-16"),
    "a NUL before": f'\x00{{"token":"{SECRET}"}}'.encode(),
    "bytes that are not text": b"\xff\xfe" + f'"resume":"{SECRET}"'.encode(),
    "a misspelt key": f'{{"type":"helo","tokn":"{SECRET}"}}',
    "no key at all": f'["{SECRET}"]',
    "an unknown type": f'{{"type":"{SECRET}"}}',
    "too large": f'{{"token":"{SECRET}"' + " " * 20_000,
    "far behind": '{"x":"' + " " * 15_000 + f'","tokn":"{SECRET}',
    "at the end of what is looked at": " " * (LOOKED_AT - 12) + SECRET,
    "shown after long runs": ("x" * 40 + " ") * 12 + " " * 10 + SECRET,
    "its key far behind": f'{{"a":"{SECRET[:12]}"' + " " * 9000 + f',"TO KEN":"{SECRET}"',
    "an enum's value": f'{{"type":"seek","clock":{{"timeout":"{SECRET}"}}}}',
}


@pytest.mark.parametrize("shape", SPOILT_HELLOS)
def test_evidence_never_quotes_a_secret(shape: str) -> None:
    """However a frame is spoilt, neither the quotation nor the error's text has its token."""
    frame = SPOILT_HELLOS[shape]
    with pytest.raises(DecodeError) as caught:
        codec.decode_client(frame)
    for told in (caught.value.received, str(caught.value), quote(frame)):
        assert SECRET[:8] not in told
        assert "\x00" not in told


def test_ordinary_nonsense_is_quoted() -> None:
    """A bot's author sees what was received, in one short line."""
    assert quote(b"move 3, please") == "move 3, please"
    assert quote(b"\x1b[2J\x00\xff ") == "\\x1b[2J\\x00\\xff "
    assert quote(b'{"type":"move","resume":1}') == WITHHELD
    assert len(quote("word " * 1000)) == QUOTED == 200
    assert quote("\x7f\x80") == "\\x7f\\x80"
    assert quote("t\\x6fken") == WITHHELD


@pytest.mark.parametrize("unit", [b"\xff", rb"\u0041", b"\0", b"a", b"a ", b"\xc3\xa9", b"token"])
def test_a_large_frame_is_quoted_for_the_price_of_reading_it(unit: bytes) -> None:
    """Its work is counted in calls, of which each character once cost some."""
    calls = 0

    def count(_frame: object, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    frame = b'{"type":"' + unit * (16_000 // len(unit)) + b'"}'
    sys.setprofile(count)
    try:
        quote(frame)
    finally:
        sys.setprofile(None)
    assert calls < 4 * LOOKED_AT + 200


def test_bytes_in_a_list_are_no_text() -> None:
    """A finding names the place in a list; numbers and bytes hold no characters."""
    assert find_control({"pv": [1, b"\x00", "a\x00"]}) == Finding("$.pv[2]", "\x00")


def test_an_error_names_its_field_though_its_value_is_cut() -> None:
    """The path of a field is no secret; a long value in the text may be one."""
    assert shown(f"Invalid value '{SECRET}' - at `$.token`") == "Invalid value '[…]' - at `$.token`"


@pytest.mark.parametrize("text", ["٣", "\uff13", "1_0", " 3", "+3", "", "1234567890"])
def test_a_whole_number_has_plain_digits_only(text: str) -> None:
    """Python's own ``int`` reads most of these."""
    with pytest.raises(ValueError, match="not a whole number"):
        whole_number(text)


@pytest.mark.parametrize("text", ["٣.5", "1_0.0", "nan", "inf", " 3", "", ".", "1e"])
def test_a_decimal_number_has_plain_digits_only(text: str) -> None:
    """Python's own ``float`` reads most of these."""
    with pytest.raises(ValueError, match="not a number"):
        decimal_number(text)


def test_plain_numbers_are_read() -> None:
    """With and without a fraction or an exponent."""
    assert whole_number("042") == 42
    assert [decimal_number(text) for text in ("-1.5", "3", ".5", "2e-3")] == [-1.5, 3, 0.5, 0.002]


def test_a_terminal_obeys_nothing_of_what_it_is_shown() -> None:
    """Escapes, carriage returns, turned writing and what is not seen; lines and tabs stay."""
    told = "\x1b]0;owned\x07a\tb\nc\rd\x9b2J\u202eevil\u200b\ufeff é 数"
    assert for_terminal(told) == (
        r"\x1b]0;owned\x07a" + "\tb\n" + r"c\x0dd\x9b2J\u202eevil\u200b\ufeff é 数"
    )
    assert for_terminal("plain text, 数") == "plain text, 数"


def test_json_for_a_terminal_means_the_same() -> None:
    """Only its spelling differs."""
    told = {"name": "a\x9b\u202e\U000e0041"}
    text = json_for_terminal(json.dumps(told, ensure_ascii=False))
    assert text.isascii()
    assert json.loads(text) == told


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\ufeff", "\u00ad", "\U000e0041"])
@pytest.mark.parametrize("is_escaped", [False, True])
def test_an_agent_has_no_hidden_characters(hidden: str, is_escaped: bool) -> None:  # noqa: FBT001  # a parameter
    """Neither its name nor its version, written as they are or as escapes; a comment may."""
    for key in ("name", "version"):
        agent = {"name": "bot", key: f"a{hidden}b"}
        hello = {"type": "hello", "protocol": "mancala.v1", "name": "ann", "agent": agent}
        with pytest.raises(DecodeError, match=rf"\$\.agent\.{key}"):
            codec.decode_client(json.dumps(hello, ensure_ascii=is_escaped))
    move = {"type": "move", "game": "g", "ply": 0, "pit": 0, "info": {"comment": f"a{hidden}b"}}
    assert isinstance(codec.decode_client(json.dumps(move, ensure_ascii=is_escaped)), Move)


def test_a_server_may_not_write_to_a_terminal_either() -> None:
    """The rule for control characters holds in both directions."""
    said = {"type": "error", "code": "internal", "message": "\x1b[2Jhello", "fatal": True}
    with pytest.raises(DecodeError, match=r"U\+001B"):
        codec.decode_server(json.dumps(said))


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "game", "0 games"),
        (1, "match", "1 match"),
        (2, "match", "2 matches"),
        (3, "late ply", "3 late plies"),
        (2, "day", "2 days"),
        (-1, "byte", "-1 bytes"),
    ],
)
def test_a_noun_agrees_with_its_number(number: int, noun: str, text: str) -> None:
    """One is one; the last word bends."""
    assert quantity(number, noun) == text


def test_a_noun_that_bends_otherwise_is_given_with_its_plural() -> None:
    """So is one with its verb; thousands are written as wanted."""
    assert quantity(1, "leaf is", "leaves are") == "1 leaf is"
    assert quantity(2000, "leaf is", "leaves are", form=",") == "2,000 leaves are"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_that_people_write_is_read_whatever_wrote_it(encoding: str, end: str) -> None:
    """Neither a byte-order mark nor the ends of lines are part of the text."""
    assert written_text(f"name = 'é'{end}x = 1{end}".encode(encoding)) == "name = 'é'\nx = 1\n"


@pytest.mark.parametrize("content", [b"caf\xe9", b"\xff\xfea"])
def test_a_file_in_another_encoding_is_no_text(content: bytes) -> None:
    """Latin-1, and half a character of UTF-16."""
    with pytest.raises(ValueError, match=r"^not text in UTF-8$"):
        written_text(content)
