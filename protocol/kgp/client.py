"""A client's end of the Kalah Game Protocol: lines in, events out; no input or output.

The protocol sends positions only. It does not say which game a position belongs to, when a game
begins, or how it ended. A server may say so in options: ``set game:id`` names the game, and our
server also sends ``arena:result``. Without these, a position that cannot follow from the last one
begins a new game: stores only grow, and the number of seeds never changes. The result of the old
game is then known only if the client's own move ended it, or an answer that it forces: that the
opponent gave this answer is assumed, since nothing more is said of the game, which is over once the
server has stopped that question. Of a server that states results, only what it
stated is known: a move that was sent may have been lost with the connection.

The reference server knows a question only a moment after sending it, and answers a move that comes
sooner by an ``error`` that refers to it, or, a moment later, drops it without a word. So what an
answer said is said again after an error, a few times; and the ``yield`` has to wait, and come with
the last move once more, or the server takes it without a move and picks one.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from ..rules import Board
from ..text import printable
from .lines import VERSION, Argument, Command, KgpError, Word, parse, write

RESULT: Final = re.compile(r"(won|lost|drawn|void) ([0-9]{1,3}) ([0-9]{1,3}) ([a-z]{1,20})")
LONGEST: Final = 256
MOST_REPEATS: Final = 6
"""Lines of the answers to one question that are sent again after an error about them."""


class GameVerdict(StrEnum):
    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    VOID = "void"
    """The game does not count."""
    UNKNOWN = "unknown"
    """The server did not say, and the positions do not show it."""


class KgpResult(NamedTuple):
    """A finished game, as far as the server told: a text that it did not give is empty.

    The client's store is first. ``moves`` counts the questions put to the client.
    """

    game: str
    opponent: str
    verdict: GameVerdict
    stores: tuple[int, int]
    reason: str
    moves: int


class StatedClock(NamedTuple):
    """The time that the server has stated, for the whole game or for a move."""

    is_bank: bool
    own_ms: int
    other_ms: int


class Greeted(NamedTuple):
    """The server speaks this protocol; `lines` are to be sent in answer."""

    lines: tuple[str, ...]


class PitQuestion(NamedTuple):
    """A question, which pit: the client is to move as player 0.

    Game and opponent are empty, the clock is None, where the server gave none.
    """

    number: int
    board: Board
    game: str
    opponent: str
    clock: StatedClock | None


class Stopped(NamedTuple):
    number: int


class GameFinished(NamedTuple):
    result: KgpResult


class Reply(NamedTuple):
    """A line to be sent immediately."""

    line: str


class ServerLeft(NamedTuple):
    """The server said goodbye; `reason` is its last error, or empty."""

    reason: str


Event = Greeted | PitQuestion | Stopped | GameFinished | Reply | ServerLeft


class UnsupportedError(Exception):
    """The server speaks a version of the protocol that this client does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """How a client introduces itself; the token is its credential, if it has one."""

    name: str
    authors: str = ""
    description: str = ""
    token: str | None = None


@dataclass(slots=True)
class _Running:
    """A game under way, and its questions by number."""

    game: str
    opponent: str
    board: Board
    moves: int = 0
    asked: dict[int, Board] = field(default_factory=dict)

    def may_go_on_at(self, board: Board) -> bool:
        """Return whether a position may follow in this game: stores never lose a seed."""
        same_size = (board.rules.pits, board.total) == (self.board.rules.pits, self.board.total)
        pairs = zip(board.stores, self.board.stores, strict=True)
        return same_size and all(now >= before for now, before in pairs)


class KgpClient:
    def __init__(self, introduction: Introduction) -> None:
        """Begin a conversation; the introduction is sent once the server has greeted."""
        self._introduction = introduction
        self._last_id = -1
        self._options: dict[str, Argument] = {}
        self._running: _Running | None = None
        self._last_error = ""
        self._answers: dict[int, Command] = {}
        self._repeats = 0

    @property
    def is_playing(self) -> bool:
        """Whether a game is running, as far as the positions show."""
        return self._running is not None

    def receive(self, line: str) -> list[Event]:
        """Process a line from the server; ignore one that cannot be read.

        UnsupportedError when the server greets with another major version.
        """
        try:
            command = parse(line)
        except KgpError:
            return []
        return self._take(command)

    def comment(self, text: str) -> str:
        return self._say("set", Word("info:comment"), text)

    def move(self, number: int, pit: int) -> str:
        """Return the line that names the best move so far, a pit counted from 0."""
        running = self._running
        if running is not None and number in running.asked:
            running.board = running.asked[number].sow(pit).board
        return self._say_of_question(number, "move", pit + 1)

    def end_answer(self, number: int) -> str:
        """Return the ``yield`` line, which makes the last move final."""
        return self._say_of_question(number, "yield")

    def goodbye(self) -> str:
        return self._say("goodbye")

    def lost(self) -> list[Event]:
        return self._finish()

    def _take(self, command: Command) -> list[Event]:
        events: list[Event] = []
        match command:
            case Command("kgp", (int(major), int(), int())):
                events = [self._greet(major)]
            case Command("state", (Board() as board,), int(number)) if not board.is_over:
                events = self._ask(number, board)
            case Command("stop", _, _, int(ref)):
                self._answers = {id_: it for id_, it in self._answers.items() if it.ref != ref}
                events = [Stopped(ref), *self._finish_if_over(ref)]
            case Command("set", (str(option), value)):
                events = self._set(option, value)
            case Command("ping", arguments, number):
                events = [Reply(self._say("pong", *arguments, ref=number))]
            case Command("error", _, _, int(ref)) if ref in self._answers and self._repeats:
                events = self._say_again(ref)
            case Command("error", (str(reason), *_)):
                self._last_error = printable(reason, LONGEST)
            case Command("goodbye"):
                events = [*self._finish(), ServerLeft(self._last_error)]
        return events

    def _say_again(self, ref: int) -> list[Event]:
        """Repeat a refused answer, unless a later one of the same kind has taken its place."""
        said = self._answers.pop(ref)
        same = (said.name, said.ref)
        if any(id_ > ref and (it.name, it.ref) == same for id_, it in self._answers.items()):
            return []
        self._repeats -= 1
        return [Reply(self._say_of_question(said.ref, said.name, *said.arguments))]

    def _greet(self, major: int) -> Greeted:
        if major != VERSION[0]:
            raise UnsupportedError(
                f"the server speaks version {major} of the protocol, this client {VERSION[0]}"
            )
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
            running = self._running = _Running(game, opponent, board)
        running.board = board
        running.moves += 1
        running.asked = {number: board}
        self._answers, self._repeats = {}, MOST_REPEATS
        return [*ended, PitQuestion(number, board, game, opponent, self._clock())]

    def _finish_if_over(self, number: int) -> list[Event]:
        """End a game that asks the client nothing more, where the server won't say so."""
        running = self._running
        if running is None or number not in running.asked or self.states_results:
            return []
        board = running.board
        while board.player == 1 and len(forced := board.legal()) == 1:
            board = board.sow(*forced).board
        if not board.is_over:
            return []
        running.board = board
        return self._finish()

    def _finish(self, told: re.Match[str] | None = None) -> list[Event]:
        running, self._running = self._running, None
        if running is None:
            return []
        if told is not None:
            stores = (int(told[2]), int(told[3]))
            verdict, reason = GameVerdict(told[1]), told[4]
        else:
            stores, reason = running.board.stores, ""
            verdict = GameVerdict.UNKNOWN if self.states_results else _verdict(running.board)
        ended = KgpResult(running.game, running.opponent, verdict, stores, reason, running.moves)
        return [GameFinished(ended)]

    @property
    def states_results(self) -> bool:
        """Whether the server is one of ours: what it did not state may not have happened."""
        return any(option.startswith("arena:") for option in self._options)

    def _clock(self) -> StatedClock | None:
        precise = self._options.get("arena:deadline")
        own, other = self._options.get("time:clock"), self._options.get("time:opclock", 0)
        is_bank = self._options.get("time:mode") == "absolute"
        if isinstance(precise, int) and precise > 0:
            own_ms = precise
        elif isinstance(own, int) and own > 0:
            own_ms = 1000 * own
        else:
            return None
        return StatedClock(is_bank, own_ms, 1000 * other if isinstance(other, int) else 0)

    def _text(self, option: str) -> str:
        return printable(str(self._options.get(option, "")), LONGEST)

    def _say_of_question(self, number: int | None, name: str, *arguments: Argument) -> str:
        line = self._say(name, *arguments, ref=number)
        self._answers[self._last_id] = Command(name, arguments, self._last_id, number)
        return line

    def _say(self, name: str, *arguments: Argument, ref: int | None = None) -> str:
        self._last_id += 2
        return write(Command(name, arguments, self._last_id, ref))


def _verdict(board: Board) -> GameVerdict:
    """Return the result, if it is certain: at the end, or once a store holds more than half."""
    seeds = sum(board.stores) + sum(map(sum, board.pits))
    if not board.is_over and 2 * max(board.stores) <= seeds:
        return GameVerdict.UNKNOWN
    score = board.score()
    return GameVerdict.DRAWN if score == 0 else GameVerdict.WON if score > 0 else GameVerdict.LOST
