"""Games read from files, and their reviews."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, from_text, replay
from mancala.protocol.review import (
    GameReview,
    PlayerReview,
    ReviewedGame,
    ReviewedPly,
    ReviewWork,
    accuracy,
    compose,
)

if TYPE_CHECKING:
    from mancala.engine.review import Reviewer
    from mancala.protocol.rules import Board, Rules

TABLE_BITS: Final = 20
"""The transposition table has 64 MiB."""


class _JournalLine(Struct, frozen=True):
    """The part that is read of a line of an event's journal, or of ``match --out``."""

    record: GameRecord


class Reviewed(NamedTuple):
    """A game and its review."""

    record: GameRecord
    review: GameReview


def read_records(path: Path) -> list[GameRecord]:
    """Return the records of a file (one record, or one a line) or of a directory, in order.

    Raises:
        OSError: when it cannot be read.
        ValueError: when it holds anything but records.
    """
    if path.is_dir():
        files = [path / "games.jsonl"] if (path / "games.jsonl").exists() else path.glob("*.json*")
        return [record for file in sorted(files) for record in read_records(file)]
    content = path.read_bytes()
    if not content.strip():
        raise ValueError("it is empty")
    if content.lstrip().startswith(b"["):
        return [from_text(content.decode())]
    if not content.lstrip().startswith(b"{"):
        raise ValueError("it begins neither with '{' nor with '['")
    try:
        return [_record(content)]
    except codec.DecodeError:
        lines = [line for line in content.splitlines() if line.strip()]
        if len(lines) < 2 or not lines[0].rstrip().endswith(b"}"):
            raise
        return [_record(line) for line in lines]


def reviewed(
    records: Iterable[GameRecord],
    *,
    time_s: float,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Reviewed]:
    """Yield each game with its review, one game after the other.

    Args:
        records: the games.
        time_s: seconds for each.
        progress: called with positions done and in total while endgame tables are built.
    """
    reviewers = ReviewerPool(progress)
    for record in records:
        boards, pits = list(replay(record)), [move.pit for move in record.moves]
        work = reviewers.work(boards, pits, time_s=time_s)
        game = ReviewedGame(record.game, boards, pits, loser_of(record))
        yield Reviewed(record, compose(game, work))


def loser_of(record: GameRecord) -> int | None:
    """Return the player who lost; None for a draw, a void or an unfinished game."""
    winner = None if record.result is None else record.result.winner
    return None if winner is None else 1 - winner


class ReviewerPool:
    """Reviews games of any rules; memory is kept for those of the last game.

    Args:
        progress: called with positions done and in total while endgame tables are built.
        clock: seconds, never going back.

    Attributes:
        engine: the program that reviews, with its version.
    """

    def __init__(
        self,
        progress: Callable[[int, int], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.engine = f"mancala-arena {version('mancala-arena')}"
        self._progress = progress
        self._clock = clock
        self._key: tuple[Rules, int] | None = None
        self._reviewer: Reviewer

    def work(self, boards: Sequence[Board], pits: Sequence[int], *, time_s: float) -> ReviewWork:
        """Review a game; loading the tables of its rules does not count as time.

        Args:
            boards: the position before each move, then the last one.
            pits: the pits sown.
            time_s: seconds for the game.
        """
        from mancala.engine.review import VERSION

        reviewer = self._for(boards[0])
        began = time.monotonic()
        assessments = reviewer.review(boards, pits, time_s=time_s)
        seconds = round(time.monotonic() - began, 3)
        return ReviewWork(assessments, VERSION, self.engine, seconds)

    def _for(self, board: Board) -> Reviewer:
        from mancala.engine.review import Reviewer
        from mancala.engine.search.engine import tables_for
        from mancala.engine.search.solver import Solver

        key = board.rules, board.total
        if self._key != key:
            tables = tables_for(board.rules, progress=self._progress)
            solver = Solver(board.rules, tables=tables, table_bits=TABLE_BITS)
            self._key, self._reviewer = key, Reviewer(solver, self._clock)
            self._reviewer.warm_up(board)
        return self._reviewer


def accuracies(games: Iterable[Reviewed]) -> dict[str, PlayerReview]:
    """Return each player's accuracy over all games, by name, in order of appearance."""
    plies: dict[str, list[ReviewedPly]] = {}
    for record, review in games:
        for seat, player in enumerate(record.players):
            own = (ply for ply in review.plies if ply.player == seat)
            plies.setdefault(player.name, []).extend(own)
    return {name: accuracy(own) for name, own in plies.items()}


def _record(content: bytes) -> GameRecord:
    try:
        return codec.from_json(content, GameRecord)
    except codec.DecodeError as error:
        try:
            return codec.from_json(content, _JournalLine).record
        except codec.DecodeError:
            raise error from None
