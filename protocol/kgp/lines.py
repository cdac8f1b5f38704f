r"""The Kalah Game Protocol's lines, read and written: ``[id][@ref] name arguments``.

The grammar is that of the protocol's 1.0 document; where the stock clients differ from it, this
module follows the clients. A line ends with CRLF; LF alone is accepted. A line has at most 16,384
characters and 64 arguments, and a number at most 18 digits. A line that breaks the grammar or a
limit raises :class:`KgpError`.

An argument is an integer, a real number, a board literal, a quoted string or a bare word::

    12@8 state <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>
    set info:comment "a \"short\" line"

A word is a string without quotes. Reading returns a `str` for both, so ``mode freeplay`` equals
``mode "freeplay"``. Writing must choose: a string is written quoted, a :class:`Word` bare.

The client is always *South* in a literal, and pit 1 is the first one in South's direction of
sowing. :attr:`mancala.protocol.rules.Board.text` has the same order, so a literal is read as a
board with player 0 to move.
"""

import re
from dataclasses import dataclass
from typing import Final

from ..rules import Board, InvalidPositionError
from ..text import CONTROL, quantity, quote

LINE_LIMIT: Final = 16_384
MOST_BYTES: Final = 4 * LINE_LIMIT + 4
MOST_ARGUMENTS: Final = 64
MOST_DIGITS: Final = 18
LINE_END: Final = "\r\n"
VERSION: Final = (1, 0, 1)

_HEAD: Final = re.compile(
    r"(?:(?=[0-9@])([0-9]*)(?:@([0-9]+))?\s+)?([A-Za-z0-9]+)(?:\s+(.*))?", re.DOTALL
)
_ARGUMENT: Final = re.compile(
    r"""\s*(?:
        "(?P<string>(?:[^"\\]|\\.)*)"
      | (?P<board><[0-9,]*>)
      | (?P<real>[+-]?[0-9]*\.[0-9]+)
      | (?P<integer>[+-]?[0-9]+)
      | (?P<word>[^\s"<>]+)
    )(?=\s|$)""",
    re.VERBOSE | re.DOTALL,
)
_WORD: Final = re.compile(r"[A-Za-z0-9:-]+")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED: Final = {"n": "\n", "t": "\t"}


class KgpError(ValueError):
    """A line is not a command; ``received`` is its beginning, without secrets."""

    def __init__(self, detail: str, line: str = "") -> None:
        self.detail = detail
        self.received = quote(line)
        super().__init__(f"{detail}: {self.received!r}")


class Word(str):
    """A string to be written without quotes; it has letters, digits, ``-`` and ``:`` only."""

    __slots__ = ()


Argument = int | float | str | Board


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the protocol.

    Its number is odd from clients and even from servers; ``ref`` is that of the line it answers.
    None where it has none.
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    id: int | None = None
    ref: int | None = None


def parse(line: str) -> Command:
    """Return the command in a line, with or without its line end.

    KgpError when it is too long or breaks the grammar.
    """
    text = line.strip()
    if len(line.rstrip("\r\n")) > LINE_LIMIT:
        raise KgpError(f"a line of more than {LINE_LIMIT} characters", text)
    head = _HEAD.fullmatch(text)
    if head is None:
        raise KgpError("no command", text)
    number, ref, name, rest = head.groups()
    arguments = _parse_arguments(rest or "", text)
    return Command(name, arguments, _number(number, text), _number(ref, text))


def write(command: Command) -> str:
    """Return a command as a line with its line end.

    ValueError when the line is longer than the limit, or a word needs quotes.
    """
    ref = "" if command.ref is None else f"@{command.ref}"
    head = f"{'' if command.id is None else command.id}{ref}"
    parts = (head, command.name, *map(_write_argument, command.arguments))
    line = " ".join(part for part in parts if part)
    if len(line) > LINE_LIMIT:
        raise ValueError(f"a line of {quantity(len(line), 'character')}; the limit is {LINE_LIMIT}")
    return line + LINE_END


class LineBuffer:
    """Cuts arriving bytes into lines, and holds at most one unfinished line of bounded length.

    Of a longer line only the beginning is kept, long enough for :func:`parse` to refuse it. Bytes
    that are not UTF-8 become backslash escapes.
    """

    def __init__(self) -> None:
        self._kept = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Add bytes and return the lines that are now complete, without blank ones."""
        *ends, rest = data.split(b"\n")
        lines = [self._complete(end) for end in ends]
        self._keep(rest)
        return [line for line in lines if line.strip()]

    def _complete(self, end: bytes) -> str:
        self._keep(end)
        line = self._kept.decode(errors="backslashreplace")
        self._kept.clear()
        return line

    def _keep(self, piece: bytes) -> None:
        self._kept += piece[: MOST_BYTES - len(self._kept)]


def _parse_arguments(rest: str, line: str) -> tuple[Argument, ...]:
    arguments: list[Argument] = []
    position = 0
    while position < len(rest):
        match = _ARGUMENT.match(rest, position)
        if match is None:
            raise KgpError("an argument that can't be read", line)
        if len(arguments) == MOST_ARGUMENTS:
            raise KgpError(f"more than {MOST_ARGUMENTS} arguments", line)
        arguments.append(_parse_argument(match, line))
        position = match.end()
    return tuple(arguments)


def _parse_argument(match: re.Match[str], line: str) -> Argument:
    kind, text = match.lastgroup, match[match.lastgroup or 0]
    if kind == "string":
        return _ESCAPE.sub(lambda found: _UNESCAPED.get(found[1], found[1]), text)
    if kind == "word":
        return Word(text)
    if kind == "board":
        try:
            return Board.from_text(text)
        except InvalidPositionError as error:
            raise KgpError(str(error), line) from None
    if len(text.lstrip("+-")) > MOST_DIGITS:
        raise KgpError(f"a number of more than {MOST_DIGITS} digits", line)
    return float(text) if kind == "real" else int(text)


def _number(text: str | None, line: str) -> int | None:
    if not text:
        return None
    if len(text) > MOST_DIGITS:
        raise KgpError(f"a number of more than {MOST_DIGITS} digits", line)
    return int(text)


def _write_argument(argument: Argument) -> str:
    if isinstance(argument, Board):
        return argument.text
    if isinstance(argument, Word):
        if not _WORD.fullmatch(argument):
            raise ValueError(f"{argument!r} needs quotes")
        return str(argument)
    if isinstance(argument, str):
        escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{CONTROL.sub(" ", escaped)}"'
    return str(argument)
