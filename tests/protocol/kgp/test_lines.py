"""The Kalah Game Protocol's lines: what is read, what is written, and what is refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.protocol.kgp.lines import (
    LINE_LIMIT,
    Argument,
    Command,
    KgpError,
    LineBuffer,
    Word,
    parse,
    write,
)
from mancala.protocol.rules import Board

NUMBERS = st.integers(0, 10**18 - 1)
WORDS = st.from_regex(r"[a-z][a-z0-9:-]{0,20}", fullmatch=True).map(Word)
TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" ") | st.just("\n"))
BOARDS = st.lists(st.integers(0, 9), min_size=8, max_size=8).map(
    lambda n: Board.from_text(f"<3,{','.join(map(str, n))}>")
)
ARGUMENTS: st.SearchStrategy[Argument] = (
    st.integers(-(10**17), 10**17) | WORDS | TEXTS | BOARDS | st.sampled_from([0.5, -3.25])
)
COMMANDS = st.builds(
    Command,
    st.from_regex(r"[a-z]{1,12}", fullmatch=True),
    st.lists(ARGUMENTS, max_size=6).map(tuple),
    st.none() | NUMBERS,
    st.none() | NUMBERS,
)


@given(COMMANDS)
def test_what_is_written_is_read_back(command: Command) -> None:
    """Any command survives the way through a line."""
    assert parse(write(command)) == command


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("2 kgp 1 0 1\r\n", Command("kgp", (1, 0, 1), 2)),
        ("3@4 move 6", Command("move", (6,), 3, 4)),
        ("@4 yield\n", Command("yield", (), None, 4)),
        ('  7 set  info:name "a"  ', Command("set", ("info:name", "a"), 7)),
        ('set "info:name" bob', Command("set", ("info:name", "bob"))),
        (r'set info:comment "a \"b\" \\ c\n"', Command("set", ("info:comment", 'a "b" \\ c\n'))),
        ("mode freeplay", Command("mode", ("freeplay",))),
        ("set time:clock -.5", Command("set", ("time:clock", -0.5))),
        ("state <1,0,0,1,1>", Command("state", (Board.from_text("<1,0,0,1,1>"),))),
    ],
)
def test_stock_clients_lines_are_read(line: str, command: Command) -> None:
    """Ids, references, quotes, escapes and blanks stand where the stock clients put them."""
    assert parse(line) == command


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "\x00",
        "@ move 1",
        "-1 move 1",
        'set info:name "unfinished',
        "state <6,0,0,4>",
        "state <1,0,0,200,200>",
        "move 1234567890123456789",
        f"{'1' * 5000} move 1",
        f"move {'9' * 5000}",
        "x" + " 1" * 65,
        'a "b"c"',
        "\u0661 move 1",
    ],
)
def test_a_line_that_breaks_the_grammar_is_one_error(line: str) -> None:
    """Any line is a command or a KgpError, which quotes only its beginning."""
    with pytest.raises(KgpError) as caught:
        parse(line)
    assert len(caught.value.received) <= 200


def test_64_arguments_and_18_digits_are_allowed() -> None:
    """The limits themselves are within them, with a sign or without."""
    assert len(parse("x" + " 1" * 64).arguments) == 64
    digits = "123456789012345678"
    assert parse(f"{digits}@{digits} move -{digits}") == Command(
        "move", (-int(digits),), int(digits), int(digits)
    )


def test_what_is_read_has_the_type_that_it_is_written_with() -> None:
    """A word stays a word, an integer an integer; a backslash escapes only inside of quotes."""
    word, integer, real, text = parse(r'set a\nb 1 1.0 "a\nb"').arguments
    assert [type(each) for each in (word, integer, real, text)] == [Word, int, float, str]
    assert (word, text) == (r"a\nb", "a\nb")


def test_a_command_that_was_read_cannot_be_changed() -> None:
    """It is kept as the client's mode."""
    with pytest.raises(AttributeError):
        parse("mode freeplay").name = "move"  # type: ignore[misc]  # that is what is tried


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda raw: raw.decode("latin-1")))
def test_no_line_raises_anything_else(line: str) -> None:
    """Noise never gets past the parser as another exception."""
    with contextlib.suppress(KgpError):
        assert parse(line).name


def test_a_line_may_have_16384_characters_and_not_one_more() -> None:
    """The limit is the one that clients were promised."""
    comment = "x" * (LINE_LIMIT - len('set a ""'))
    assert parse(f'set a "{comment}"\r\n').arguments == ("a", comment)
    with pytest.raises(KgpError, match="more than 16384"):
        parse(f'set a "{comment}x"\r\n')


def test_writing_refuses_what_no_reader_has_to_take() -> None:
    """A line too long, or a word that needs quotes, is our own bug and raises a ValueError."""
    assert len(write(Command("x", ("y" * (LINE_LIMIT - 4),)))) == LINE_LIMIT + 2
    with pytest.raises(ValueError, match="limit is 16384"):
        write(Command("set", (Word("a"), "x" * LINE_LIMIT)))
    with pytest.raises(ValueError, match="needs quotes"):
        write(Command("set", (Word("two words"), 1)))


@given(st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))))
def test_lines_come_out_whole_however_the_bytes_are_cut(lines: list[str]) -> None:
    """One byte at a time gives what one big piece gives."""
    data = "".join(f"{line}\n" for line in lines).encode()
    whole = LineBuffer().feed(data)
    drop_by_drop = LineBuffer()
    assert [line for byte in data for line in drop_by_drop.feed(bytes([byte]))] == whole
    assert whole == [line for line in lines if line.strip()]


def test_an_endless_line_costs_no_more_than_one_line() -> None:
    """What is past the limit is dropped as it comes; the next line is read as ever."""
    buffer = LineBuffer()
    for _ in range(64):
        assert buffer.feed(b"x" * 65536) == []
    overlong, after = buffer.feed(b"\n1 ok\n")
    assert len(overlong) == 65_540
    with pytest.raises(KgpError):
        parse(overlong)
    assert parse(after) == Command("ok", (), 1)
