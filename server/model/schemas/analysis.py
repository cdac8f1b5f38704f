"""Positions: analysed, explored, cut as puzzles, and those in which seeds were lost."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from mancala.protocol.review import Result

from .history import Counts, Day
from .views import View


class AnalysedMove(View, frozen=True):
    """A legal move of a position that was analysed.

    Attributes:
        value: final difference of stores for the mover.
        proven: whether ``value`` is exact.
        depth: plies searched for an estimate; none if it is proven.
    """

    pit: int
    value: float
    proven: bool
    depth: int | None


class AnalysisView(View, frozen=True):
    """What a position and its moves are worth.

    Attributes:
        rules: the rules as text.
        value: what it is worth: the final difference of stores for the mover.
        proven: whether ``value`` is proven, and that no other move is better.
        line: best play from here, ``best`` first.
        moves: every legal move, by pit.
    """

    board: str
    rules: str
    best: int
    value: float
    proven: bool
    line: tuple[int, ...]
    moves: tuple[AnalysedMove, ...]


class ExploredMove(View, frozen=True):
    """A move that was played in a position.

    Attributes:
        counts: what the games with it came to for the mover.
        game: the latest of them.
        ply: the number of sowings before the move in that game.
    """

    pit: int
    counts: Counts
    game: str
    ply: int


class ExplorerView(View, frozen=True):
    """What was played in a position.

    Attributes:
        rules: the rules as text.
        games: finished games that were looked at, the latest ones.
        moves: the moves played, the most played first.
    """

    board: str
    rules: str
    games: int
    moves: tuple[ExploredMove, ...]


class RiverStream(View, frozen=True):
    """The games that went one way from a position, the source.

    Attributes:
        pit: the last move on the way; none at the source.
        counts: what the games came to for the player to move at the source.
        value: what the position is worth to that player, as reviews know it: a final difference
            of stores; none while no game with it is reviewed. Where the game is over, it is known.
        proven: whether ``value`` is exact.
        streams: what the games parted into, by pit.
    """

    pit: int | None
    counts: Counts
    value: float | None
    proven: bool
    streams: tuple[RiverStream, ...]


class RiverView(View, frozen=True):
    """How the latest games went on from a position.

    Attributes:
        board: the position, the mover first.
        rules: the rules as text.
        games: finished games that were looked at, the latest ones.
        source: those that came to the position; of the moves after it, the 240 that most games
            made.
    """

    board: str
    rules: str
    games: int
    source: RiverStream


class Puzzle(View, frozen=True):
    """A position of a game in which exactly one move keeps the result, by proof.

    Attributes:
        ended_at: when the game ended, RFC 3339 in UTC.
        rules: the rules as text.
        best: the one right move.
        played: the move of the game.
        line: best play from the position.
        keeps: what the right move leads to: a win or a draw.
        level: 1 to 3: one more than the number of plain searches, of one, two and three sowings,
            that miss the move.
        moves: what each move is worth for the mover.
    """

    game: str
    ply: int
    ended_at: str
    board: str
    rules: str
    best: int
    played: int
    line: tuple[int, ...]
    keeps: Result
    level: int
    moves: tuple[AnalysedMove, ...]


class DailyPuzzle(Struct, frozen=True):
    """The puzzle of a day, the same for all who look, and kept.

    Attributes:
        day: the day, UTC.
        number: 1 for the server's first one, then one more each time.
        puzzle: the position.
    """

    day: Day
    number: int
    puzzle: Puzzle


class PuzzleDay(View, frozen=True):
    """A day that has a puzzle.

    Attributes:
        day: the day, UTC.
        number: the puzzle's number.
        keeps: what the right move leads to: a win or a draw.
        level: how hard it is, as :class:`Puzzle` has it.
    """

    day: Day
    number: int
    keeps: Result
    level: int


class PuzzleList(View, frozen=True):
    """The puzzles of the latest reviews, the easiest first, and those of days.

    Attributes:
        puzzles: at most 40, to practise with.
        latest: the puzzle of today, or of the last day that has one.
        days: the days that have a puzzle until today, the latest first; at most 400.
    """

    puzzles: tuple[Puzzle, ...]
    latest: DailyPuzzle | None
    days: tuple[PuzzleDay, ...]


class Kind(StrEnum):
    """What a mistake gave up or allowed, as far as its position shows it."""

    CAPTURE = "capture"
    """The best move captured more."""
    AGAIN = "again"
    """The best move was followed by another one, the move played was not."""
    END = "end"
    """The best move ended the game."""
    ALLOWED = "allowed"
    """The best answer captures three seeds or more, more than after the best move."""
    QUIET = "quiet"
    """None of these: it is seen some plies later."""


class Mistake(View, frozen=True):
    """A move that lost seeds, by proof.

    Attributes:
        opponent: the bot's opponent in that game.
        loss: seeds lost.
        kind: what it gave up or allowed.
    """

    game: str
    ply: int
    opponent: str
    pit: int
    best: int
    loss: float
    kind: Kind


class CommonMistake(View, frozen=True):
    """A kind of mistake that a version makes.

    Attributes:
        kind: the kind.
        count: how many of them it made.
        loss: seeds lost by them.
    """

    kind: Kind
    count: int
    loss: float


class VersionMistakes(View, frozen=True):
    """The mistakes of one version of a bot.

    Attributes:
        name: the version: ``bot@version``.
        games: its reviewed games that were looked at.
        dearest: its dearest mistakes, at most five, the dearest first.
        common: its three commonest kinds of mistakes, the commonest first.
    """

    name: str
    games: int
    dearest: tuple[Mistake, ...]
    common: tuple[CommonMistake, ...]


class BotMistakes(View, frozen=True):
    """The mistakes of a bot in the latest games that were reviewed.

    Attributes:
        versions: each version in these games, the latest first.
    """

    versions: tuple[VersionMistakes, ...]
