"""The record of a game: a JSON document with every move, its time and the bot's remarks on it.

A record can be checked: :func:`replay` replays the moves, and :func:`verify` compares all that the
record states with the rules. So a record need not be trusted, wherever it comes from.

The text form is for people and mail. It begins with headers as in chess's PGN, each ``[key value]``
with the value in JSON. Then come the pits, one word for each turn; a chain of sowings is joined by
``-``, and a swap under the pie rule is the word ``swap``::

    [game "8c1f"]
    [rules "kalah"]
    [players [{"name":"ada"},{"name":"bob"}]]
    [result {"winner":0,"stores":[25,23],"reason":"normal"}]

    2-5 0 1 …

It holds the whole record except what was measured for each move: times, clocks and ``info``.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from textwrap import fill
from typing import Any, Final

from msgspec import Struct, structs

from . import codec
from .board_text import from_article_index
from .clock import Clock, ClockState, Ledger, TimeControl
from .messages import Info, Outcome, Player, Reason
from .referee import outcome
from .results import Contestant, Timestamp
from .rules import KALAH, PRESETS, SWAP, Board, IllegalMoveError, InvalidPositionError, Rules, State

SCHEMA: Final = "mancala.game_record.v1"
LINE_WIDTH: Final = 78
_HEADER: Final = re.compile(r"\[([a-z_]+) (.+)\]")
_SWAP: Final = "swap"
_TURN: Final = re.compile(rf"{_SWAP}|[0-9]{{1,3}}(-[0-9]{{1,3}})*")


class RecordError(ValueError):
    """A record contradicts the rules or itself.

    ``ply`` is the move at fault, counted from 0; the number of moves if it is the result; None if
    it is something before the first move.
    """

    def __init__(self, ply: int | None, fact: str, stated: object, found: object) -> None:
        self.ply = ply
        self.fact = fact
        self.stated = stated
        self.found = found
        place = "at the head" if ply is None else f"at ply {ply}"
        super().__init__(f"{place}, {fact}: the record says {stated}, but {found}")


class RecordedMove(Struct, frozen=True, omit_defaults=True):
    """One sowing, or the swap of the pie rule.

    Attributes:
        player: the mover.
        pit: the pit sown; 16 for the swap.
        elapsed_ms: the time from question to answer; None if unknown.
        lag_ms: the part of it that was credited as lag.
        clock: both clocks after it; None if unknown.
        info: what the bot reported about its search.
        forced: whether the referee played it because the time was up.
    """

    player: Player
    pit: int
    elapsed_ms: float | None = None
    lag_ms: float = 0.0
    clock: ClockState | None = None
    info: Info | None = None
    forced: bool = False


class GameRecord(Struct, frozen=True, omit_defaults=True, tag_field="schema", tag=SCHEMA):
    """A whole game.

    Attributes:
        game: the game's id.
        rules: the rules in force.
        players: both players, in seat order.
        opening: the position at the start.
        moves: every sowing, in order.
        result: how it ended; None if it did not end, or if that is unknown.
        match: the id of its match.
        server: the name of the server that refereed it.
        rated: whether it counted for ratings.
        clock: the time limits; None if the time was not measured.
        started_at: when the first question was put.
        ended_at: when the game ended.
        annulled: whether the organiser annulled it afterwards; its result then counts for nothing.
    """

    game: str
    rules: Rules
    players: tuple[Contestant, Contestant]
    opening: State
    moves: tuple[RecordedMove, ...]
    result: Outcome | None = None
    match: str | None = None
    server: str | None = None
    rated: bool = False
    clock: TimeControl | None = None
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    annulled: bool = False


def replay(record: GameRecord) -> Iterator[Board]:
    """Yield the opening of a record, then the position after each move.

    RecordError when the opening is not a position, or a move is out of turn or illegal.
    """
    try:
        board = Board.from_state(record.opening, record.rules)
    except InvalidPositionError as error:
        raise RecordError(None, "the opening", record.opening, error) from None
    yield board
    for ply, move in enumerate(record.moves):
        if move.player != board.player and not board.is_over:
            raise RecordError(ply, "the mover", move.player, f"it is player {board.player}'s turn")
        board = _sown(board, ply, move.pit)
        yield board


def verify(record: GameRecord) -> Board:
    """Check everything that a record states, moves, clocks and result; return the last position.

    Times may be stated in whole milliseconds, so a clock may be off by one for each move.
    RecordError names the ply and the fact of the first wrong statement.
    """
    board = deque(replay(record), maxlen=1)[0]
    _verify_clocks(record)
    ply, result = len(record.moves), record.result
    if result is None:
        if board.ending is not None:
            raise RecordError(ply, "the result", "nothing", f"the game is over: {board.ending}")
        return board
    _expect(ply, "the stores", result.stores, board.settled().stores)
    natural = outcome(board)
    if natural is not None:
        _expect(ply, "the reason", result.reason, natural.reason)
        _expect(ply, "the winner", result.winner, natural.winner)
    else:
        _verify_forced_end(board, ply, result)
    return board


def to_text(record: GameRecord) -> str:
    """Return a record in its text form.

    RecordError when the first move is out of turn, which the text form cannot express.
    """
    first = record.opening.current_player
    if record.moves and record.moves[0].player != first:
        raise RecordError(0, "the mover", record.moves[0].player, f"it is player {first}'s turn")
    headers: dict[str, Any] = codec.from_json(codec.to_json(record), dict)
    del headers["schema"], headers["moves"]
    headers["rules"] = str(record.rules)
    if record.opening == Board.start(record.rules).state:
        del headers["opening"]
    lines = [f"[{key} {codec.to_json(value).decode()}]" for key, value in headers.items()]
    turns = groupby(record.moves, key=lambda move: move.player)
    words = " ".join("-".join(_word(move.pit) for move in turn) for _, turn in turns)
    return "\n".join([*lines, "", fill(words, LINE_WIDTH, break_on_hyphens=False), ""])


def from_text(text: str) -> GameRecord:
    """Return the record in a text.

    DecodeError when a header's value is not JSON, or of the wrong shape; InvalidPositionError when
    the rules or the opening are not valid; ValueError when a line is neither a header nor pits.
    """
    lines = [line.strip() for line in text.split("\n")]
    headers = dict(_read_header(line) for line in lines if line.startswith("["))
    words = " ".join(line for line in lines if not line.startswith("[")).split()
    rules = Rules.parse(str(headers.get("rules", "")))
    standard = {"schema": SCHEMA, "opening": Board.start(rules).state}
    document = {**standard, **headers, "rules": rules, "moves": ()}
    record = codec.from_json(codec.to_json(document), GameRecord)
    return structs.replace(record, moves=_read_turns(words, record.opening.current_player))


def from_article(
    moves: Iterable[int],
    rules: Rules = PRESETS["article"],
    *,
    game: str = "article",
    names: tuple[str, str] = ("Player 1", "Player 2"),
) -> GameRecord:
    """Return the record of a list of moves in the numbering of the article's simulator.

    The numbers are those of :func:`mancala.protocol.board_text.article_index`.
    InvalidPositionError when one is not a pit's, RecordError when a move is out of turn or illegal.
    """
    placed = (from_article_index(number, rules.pits) for number in moves)
    return _record_of(placed, rules, game, names)


def from_pits(
    moves: Iterable[int],
    rules: Rules = KALAH,
    *,
    game: str = "pits",
    names: tuple[str, str] = ("Player 1", "Player 2"),
) -> GameRecord:
    """Return the record of a list of pits, each counted from 0 in its mover's direction.

    Who moves follows from the rules. RecordError when a move is illegal.
    """
    placed, board = [], Board.start(rules)
    for ply, pit in enumerate(moves):
        placed.append((board.player, pit))
        board = _sown(board, ply, pit)
    return _record_of(placed, rules, game, names)


def from_sides(
    sides: tuple[Sequence[int], Sequence[int]],
    rules: Rules = KALAH,
    *,
    game: str = "pits",
    names: tuple[str, str] = ("Player 1", "Player 2"),
) -> GameRecord:
    """Return the record of two lists of pits, one for each player's moves.

    Whose turn it is follows from the rules, so the lists are one game. RecordError when a move is
    illegal, the player to move has none left, or moves are left once the game is over.
    """
    placed: list[tuple[Player, int]] = []
    board, left = Board.start(rules), tuple(map(iter, sides))
    for ply in range(sum(map(len, sides))):
        if board.is_over:
            raise RecordError(ply, "the moves", "more", "the game is over")
        player = board.player
        pit = next(left[player], None)
        if pit is None:
            raise RecordError(ply, "the moves", "the end", f"{names[player]} has to move")
        placed.append((player, pit))
        board = _sown(board, ply, pit)
    return _record_of(placed, rules, game, names)


def _sown(board: Board, ply: int, pit: int) -> Board:
    try:
        return board.sow(pit).board
    except IllegalMoveError as error:
        raise RecordError(ply, "the pit sown", pit, error) from None


def _record_of(
    moves: Iterable[tuple[Player, int]], rules: Rules, game: str, names: tuple[str, str]
) -> GameRecord:
    record = GameRecord(
        game,
        rules,
        (Contestant(names[0]), Contestant(names[1])),
        Board.start(rules).state,
        tuple(RecordedMove(player, pit) for player, pit in moves),
    )
    *_, board = replay(record)
    return structs.replace(record, result=outcome(board))


def _verify_clocks(record: GameRecord) -> None:
    if record.clock is None:
        return
    clock = Clock.set_up(record.clock)
    for ply, move in enumerate(record.moves):
        if move.elapsed_ms is None:
            return
        clock = clock.charge(move.player, Ledger(move.elapsed_ms, move.lag_ms))
        if move.clock is not None and not _is_close(move.clock, clock.state, 1 + ply):
            found = f"the times so far leave {clock.state}"
            raise RecordError(ply, "the clock", move.clock, found)


def _is_close(stated: ClockState, found: ClockState, tolerance_ms: int) -> bool:
    if (stated.banks_ms is None) != (found.banks_ms is None):
        return False
    pairs = zip(
        (*(stated.banks_ms or ()), *stated.quotas_ms),
        (*(found.banks_ms or ()), *found.quotas_ms),
        strict=True,
    )
    return all(abs(one - other) <= tolerance_ms for one, other in pairs)


def _verify_forced_end(board: Board, ply: int, result: Outcome) -> None:
    if result.reason in (Reason.NORMAL, Reason.MAJORITY):
        raise RecordError(ply, "the reason", result.reason, "the game is not over by the rules")
    if (result.winner is None) != (result.reason is Reason.ABORTED):
        raise RecordError(ply, "the winner", result.winner, f"the game was {result.reason}")
    evidence = result.evidence
    if evidence is None:
        return
    if evidence.ply is not None:
        _expect(ply, "the evidence's ply", evidence.ply, ply)
    if result.winner is not None and evidence.player is not None:
        _expect(ply, "the winner", result.winner, 1 - evidence.player)
    if result.reason is Reason.ILLEGAL and evidence.pit in board.legal():
        raise RecordError(ply, "the illegal pit", evidence.pit, "it was legal")
    if result.reason in (Reason.ILLEGAL, Reason.TIMEOUT) and evidence.player is not None:
        _expect(ply, "the player at fault", evidence.player, board.player)


def _expect(ply: int, fact: str, stated: object, found: object) -> None:
    if stated != found:
        raise RecordError(ply, fact, stated, f"the rules give {found}")


def _read_header(line: str) -> tuple[str, Any]:
    match = _HEADER.fullmatch(line.strip())
    if match is None:
        raise ValueError(f"a header is written [key value]; {line!r} is not")
    return match[1], codec.from_json(match[2], object)


def _read_turns(words: Iterable[str], player: int) -> tuple[RecordedMove, ...]:
    moves: list[RecordedMove] = []
    for number, word in enumerate(words):
        if not _TURN.fullmatch(word):
            raise ValueError(f"a turn is written as pits joined by '-'; {word!r} is not")
        mover = (player + number) % 2
        moves += [
            RecordedMove(mover, SWAP if pit == _SWAP else int(pit)) for pit in word.split("-")
        ]
    return tuple(moves)


def _word(pit: int) -> str:
    return _SWAP if pit == SWAP else str(pit)
