"""A client's end of the Kalah Game Protocol: lines in, events out; no input or output.

The protocol tells a client positions, and nothing of games: not that one begins, how it ended, or
even whose it is. Servers may hint at it with ``set game:id``; ours says with ``arena:result`` how
a game ended. Without hints a new game is one that can't follow from the last position: stores only
grow, and seeds are never lost. Then a result is known only if an own move ended the game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from protocol.kgp.lines import VERSION, Argument, Command, KgpError, Word, parse, printable, write
from protocol.rules import Board

RESULT: Final = re.compile(r"(won|lost|drawn|void) (\d{1,3}) (\d{1,3}) ([a-z]{1,20})")
LONGEST: Final = 256


class Verdict(StrEnum):
    """How a game went, for the client."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    VOID = "void"
    """It doesn't count."""
    UNKNOWN = "unknown"
    """The server didn't tell, and nothing shows it."""


class KgpResult(NamedTuple):
    """A game that is over.

    Attributes:
        game: the server's name for it; empty when it has none.
        opponent: who sat on the other side; empty when the server didn't tell.
        verdict: how it went.
        stores: the client's store and the other one, as far as they are known.
        reason: why it ended, in the server's word; empty when it didn't tell.
        moves: how many questions the client was asked.
    """

    game: str
    opponent: str
    verdict: Verdict
    stores: tuple[int, int]
    reason: str
    moves: int


class Clock(NamedTuple):
    """What the server told of time.

    Attributes:
        is_bank: whether the time is for the whole game.
        own_ms: what the client has left.
        other_ms: what the opponent has left.
    """

    is_bank: bool
    own_ms: int
    other_ms: int


class Greeted(NamedTuple):
    """The server speaks this protocol; what the client has to say goes with it."""

    lines: tuple[str, ...]


class Asked(NamedTuple):
    """A question: which pit?

    Attributes:
        number: what the answer refers to.
        board: the position, the client to move as player 0.
        game: the game, if the server told.
        opponent: who sits on the other side, if the server told.
        clock: the time there is, if the server told.
    """

    number: int
    board: Board
    game: str
    opponent: str
    clock: Clock | None


class Stopped(NamedTuple):
    """A question is closed."""

    number: int


class Finished(NamedTuple):
    """A game is over."""

    result: KgpResult


class Reply(NamedTuple):
    """A line that has to be said at once."""

    line: str


class Left(NamedTuple):
    """The server said goodbye; its last error may tell why."""

    reason: str


Event = Greeted | Asked | Stopped | Finished | Reply | Left


class UnsupportedError(Exception):
    """The server speaks a version of the protocol that this client doesn't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """What a client says of itself.

    Attributes:
        name: its name.
        authors: who wrote it.
        description: how it thinks.
        token: its credential.
    """

    name: str
    authors: str = ""
    description: str = ""
    token: str | None = None


@dataclass(slots=True)
class _Running:
    game: str
    opponent: str
    board: Board
    moves: int = 1
    asked: dict[int, Board] = field(default_factory=dict)

    def may_go_on_at(self, board: Board) -> bool:
        same_size = (board.rules.pits, board.total) == (self.board.rules.pits, self.board.total)
        pairs = zip(board.stores, self.board.stores, strict=True)
        return same_size and all(now >= before for now, before in pairs)


class KgpClient:
    """A client's view of its conversation."""

    def __init__(self, introduction: Introduction) -> None:
        """Begin a conversation.

        Args:
            introduction: what is said of the client once the server has greeted.
        """
        self._introduction = introduction
        self._last_id = -1
        self._options: dict[str, Argument] = {}
        self._running: _Running | None = None
        self._last_error = ""

    @property
    def is_playing(self) -> bool:
        """Whether a game is under way, as far as anyone can tell."""
        return self._running is not None

    def hear(self, line: str) -> list[Event]:
        """Take a line of the server's; what makes no sense is ignored.

        Raises:
            UnsupportedError: when the server greets with another major version.
        """
        try:
            command = parse(line)
        except KgpError:
            return []
        return self._take(command)

    def comment(self, text: str) -> str:
        """Write a line that tells what the client thinks."""
        return self._say("set", Word("info:comment"), text)

    def move(self, number: int, pit: int) -> str:
        """Write a line that names the best move so far.

        Args:
            number: the question.
            pit: the pit, counted from 0.
        """
        running = self._running
        if running is not None and number in running.asked:
            running.board = running.asked[number].sow(pit).board
        return self._say("move", pit + 1, ref=number)

    def give_way(self, number: int) -> str:
        """Write the line that ends the client's thinking."""
        return self._say("yield", ref=number)

    def goodbye(self) -> str:
        """Write the client's last line."""
        return self._say("goodbye")

    def lost(self) -> list[Event]:
        """Note that the connection is gone."""
        return self._finish()

    def _take(self, command: Command) -> list[Event]:
        events: list[Event] = []
        match command:
            case Command("kgp", (int(major), int(), int())):
                events = [self._greet(major)]
            case Command("state", (Board() as board,), int(number)) if not board.is_over:
                events = self._ask(number, board)
            case Command("stop", _, _, int(ref)):
                events = [Stopped(ref)]
            case Command("set", (str(option), value)):
                events = self._set(option, value)
            case Command("ping", arguments, number):
                events = [Reply(self._say("pong", *arguments, ref=number))]
            case Command("error", (str(reason), *_)):
                self._last_error = printable(reason, LONGEST)
            case Command("goodbye"):
                events = [*self._finish(), Left(self._last_error)]
        return events

    def _greet(self, major: int) -> Greeted:
        if major != VERSION[0]:
            raise UnsupportedError(f"the server speaks version {major} of the protocol")
        me = self._introduction
        options = {
            "info:name": me.name,
            "info:authors": me.authors,
            "info:description": me.description,
            "auth:token": me.token,
        }
        said = [self._say("set", Word(key), value) for key, value in options.items() if value]
        return Greeted((*said, self._say("mode", Word("freeplay"))))

    def _set(self, option: str, value: Argument) -> list[Event]:
        if option == "arena:result":
            found = RESULT.fullmatch(str(value))
            return self._finish(found) if found else []
        self._options[option] = value
        return []

    def _ask(self, number: int, board: Board) -> list[Event]:
        game, opponent = self._text("game:id"), self._text("game:opponent")
        ended: list[Event] = []
        running = self._running
        if running is None or running.game != game or not running.may_go_on_at(board):
            ended = self._finish()
            running = self._running = _Running(game, opponent, board, moves=0)
        running.board = board
        running.moves += 1
        running.asked = {number: board}
        return [*ended, Asked(number, board, game, opponent, self._clock())]

    def _finish(self, told: re.Match[str] | None = None) -> list[Event]:
        running, self._running = self._running, None
        if running is None:
            return []
        if told is not None:
            stores = (int(told[2]), int(told[3]))
            verdict, reason = Verdict(told[1]), told[4]
        else:
            stores, reason = running.board.stores, ""
            verdict = _verdict(running.board)
        ended = KgpResult(running.game, running.opponent, verdict, stores, reason, running.moves)
        return [Finished(ended)]

    def _clock(self) -> Clock | None:
        precise = self._options.get("arena:deadline")
        own, other = self._options.get("time:clock"), self._options.get("time:opclock", 0)
        is_bank = self._options.get("time:mode") == "absolute"
        if isinstance(precise, int) and precise > 0:
            own_ms = precise
        elif isinstance(own, int) and own > 0:
            own_ms = 1000 * own
        else:
            return None
        return Clock(is_bank, own_ms, 1000 * other if isinstance(other, int) else 0)

    def _text(self, option: str) -> str:
        return printable(str(self._options.get(option, "")), LONGEST)

    def _say(self, name: str, *arguments: Argument, ref: int | None = None) -> str:
        self._last_id += 2
        return write(Command(name, arguments, self._last_id, ref))


def _verdict(board: Board) -> Verdict:
    if not board.is_over:
        return Verdict.UNKNOWN
    score = board.score()
    return Verdict.DRAWN if score == 0 else Verdict.WON if score > 0 else Verdict.LOST
