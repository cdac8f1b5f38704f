"""Games read from files, and what each of their moves lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import cache, partial
from importlib.metadata import version
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.record import GameRecord, from_text, replay
from mancala.protocol.review import (
    GameReview,
    PlayerReview,
    ReviewedGame,
    ReviewedPly,
    ReviewWork,
    Tally,
    accuracy,
    compose,
    costliest,
    mistake_sentence,
    sentence,
)
from mancala.protocol.tabular import frame_of, html_of
from mancala.protocol.text import written_text

from .classics.deepening import PlainReviewer

if TYPE_CHECKING:
    from mancala.protocol.rules import Board, Rules

    from .review import Reviewer

VERSION: Final = 2
"""Of the way of reviewing; a review of a higher version replaces one of a lower."""
TABLE_BITS: Final = 20
"""The transposition table has 64 MiB."""
DIGITS: Final = 4
JOURNAL: Final = "games.jsonl"
"""The file of an event's directory to which its games are written as they end."""


class _JournalLine(Struct, frozen=True):
    """The part that is read of a line of an event's journal, or of ``match --out``."""

    record: GameRecord


class Reviewed(NamedTuple):
    record: GameRecord
    review: GameReview

    def to_dict(self) -> dict[str, Any]:
        """Return the game as JSON values; values are player 0's."""
        record, review = self
        return {
            "game": record.game,
            **figures_of(accuracy(review.plies)),
            "players": [
                {"name": player.name, **figures_of(figures)}
                for player, figures in zip(record.players, review.players, strict=True)
            ],
            "moves": self.rows,
            "losing": review.losing,
            "dearest": self.dearest,
            "review": review,
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each move; values are player 0's, losses the mover's."""
        return [
            {
                "ply": ply.ply,
                "player": ply.player,
                "pit": ply.pit,
                "loss": ply.loss,
                "value": value_of(ply),
                "forced": ply.forced,
                "proven": ply.loss_proven,
                "best": ply.best,
                "reason": ply.reason,
            }
            for ply in self.review.plies
        ]

    @property
    def dearest(self) -> list[ReviewedPly | None]:
        """The mistake of each player that costs most, with its reason; None where none is known."""
        return [costliest(self.review.plies, player) for player in (0, 1)]

    def to_frame(self) -> Any:  # noqa: ANN401  # of a package that may be missing
        """Return the moves as a frame of pandas or Polars."""
        return frame_of(self.rows)

    def _repr_html_(self) -> str:
        return html_of(self.rows, str(self))

    def __str__(self) -> str:
        """Return the players, and the move that lost the game."""
        names = " against ".join(player.name for player in self.record.players)
        losing = self.review.losing
        told = [sentence(losing)] if losing else []
        told += [f"dearest, {mistake_sentence(ply)}" for ply in self.dearest if ply]
        return "\n".join([names, *told])


def read_records(path: Path) -> list[GameRecord]:
    """Return the records of a file (one record, or one a line) or of a directory, in order.

    A line that the journal of an event lacks the end of is left out: its game is being written, or
    was when the event was killed.

    Raises:
        OSError: when it cannot be read.
        ValueError: when it holds anything but records.
    """
    if not path.is_dir():
        return _records_in(written_text(path.read_bytes()))
    journal, records = path / JOURNAL, list[GameRecord]()
    for file in [journal] if journal.exists() else sorted(path.glob("*.json*")):
        try:
            records += _journaled(file) if file == journal else read_records(file)
        except ValueError as error:
            raise ValueError(f"{file.name}: {error}") from None
    return records


def _journaled(journal: Path) -> list[GameRecord]:
    content = written_text(journal.read_bytes(), is_cut=True)
    try:
        return _records_in(content)
    except ValueError:
        whole, newline, rest = content.rpartition("\n")
        if newline and not rest:
            raise
        return _records_in(whole) if newline else []


def _records_in(content: str) -> list[GameRecord]:
    if not content.strip():
        raise ValueError("it is empty")
    if content.lstrip().startswith("["):
        return [from_text(content)]
    if not content.lstrip().startswith("{"):
        raise ValueError("it begins neither with '{' nor with '['")
    try:
        return [_record(content)]
    except codec.DecodeError:
        lines = {n: line for n, line in enumerate(content.split("\n"), 1) if line.strip()}
        if len(lines) < 2 or not next(iter(lines.values())).rstrip().endswith("}"):
            raise
        return [_record(line, f"line {number}: ") for number, line in lines.items()]


def _record(content: str, place: str = "") -> GameRecord:
    try:
        return codec.from_json(content, GameRecord)
    except codec.DecodeError as error:
        try:
            return codec.from_json(content, _JournalLine).record
        except codec.DecodeError:
            if place:
                raise ValueError(f"{place}{error}") from None
            raise error from None


def review(
    records: Iterable[GameRecord],
    *,
    time_s: float = 5.0,
    progress: Callable[[int, int], None] | None = None,
    executor: Executor | None = None,
) -> Iterator[Reviewed]:
    """Yield each game with its review, one game after the other; none depends on those before it.

    Args:
        records: the games.
        time_s: seconds for each.
        progress: called with positions done and in total while endgame tables are built.
        executor: reviews games in its processes, several at a time; None for here.

    Raises:
        ValueError: when the time is no number.
    """
    if isnan(time_s):
        raise ValueError("the time must be a number of seconds, not nan")
    if executor is not None:
        yield from executor.map(partial(_reviewed_there, time_s), records)
        return
    reviewers = ReviewerPool(progress)
    for record in records:
        yield _reviewed(reviewers, time_s, record)


def _reviewed(reviewers: ReviewerPool, time_s: float, record: GameRecord) -> Reviewed:
    boards, pits = list(replay(record)), [move.pit for move in record.moves]
    work = reviewers.work(boards, pits, time_s=time_s, afresh=True)
    game = ReviewedGame(record.game, boards, pits, loser_of(record))
    return Reviewed(record, compose(game, work))


@cache
def _kept_reviewers() -> ReviewerPool:
    return ReviewerPool()


def _reviewed_there(time_s: float, record: GameRecord) -> Reviewed:
    return _reviewed(_kept_reviewers(), time_s, record)


def to_dict(games: Sequence[Reviewed]) -> dict[str, Any]:
    """Return games and each player's accuracy, as ``mancala review --json`` prints them."""
    rows = [{"name": name, **figures_of(found)} for name, found in accuracies(games).items()]
    return {"games": [game.to_dict() for game in games], "players": rows}


def loser_of(record: GameRecord) -> int | None:
    """Return the player who lost; None for a draw, a void or an unfinished game."""
    winner = None if record.result is None else record.result.winner
    return None if winner is None else 1 - winner


def value_of(ply: ReviewedPly) -> float:
    """Return what the position before a move was worth to player 0."""
    return ply.value if ply.player == 0 else 0.0 - ply.value


def accuracies(games: Iterable[Reviewed]) -> dict[str, PlayerReview]:
    """Return each player's accuracy over all games, by name, in order of appearance."""
    plies: dict[str, list[ReviewedPly]] = {}
    for record, reviewed in games:
        for seat, player in enumerate(record.players):
            own = (ply for ply in reviewed.plies if ply.player == seat)
            plies.setdefault(player.name, []).extend(own)
    return {name: accuracy(own) for name, own in plies.items()}


def figures_of(found: PlayerReview) -> dict[str, Any]:
    """Return an accuracy for JSON: proven losses, and estimated ones apart."""
    return {**_tally(found.proven), "estimated": _tally(found.estimated)}


def _tally(found: Tally) -> dict[str, Any]:
    figures = {"accuracy": found.accuracy, "mean_loss": found.mean_loss}
    rounded = {key: None if it is None else round(it, DIGITS) for key, it in figures.items()}
    return {**rounded, "judged": found.moves}


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

    def work(
        self, boards: Sequence[Board], pits: Sequence[int], *, time_s: float, afresh: bool = False
    ) -> ReviewWork:
        """Review a game in some seconds; loading the tables of its rules does not count as time.

        Args:
            boards: the position before each move, then the last one.
            pits: the pits sown.
            time_s: seconds for the game.
            afresh: whether to use nothing that earlier games have taught.
        """
        reviewer = self._for(boards[0])
        if afresh:
            reviewer.forget()
        began = time.monotonic()
        assessments = reviewer.review(boards, pits, time_s=time_s)
        seconds = round(time.monotonic() - began, 3)
        return ReviewWork(assessments, VERSION, self.engine, seconds)

    def _for(self, board: Board) -> Reviewer | PlainReviewer:
        if board.rules.oware:
            return PlainReviewer(self._clock)
        from .review import Reviewer  # noqa: PLC0415  # loads the compiler
        from .search.engine import tables_for  # noqa: PLC0415  # loads the compiler
        from .search.solver import Solver  # noqa: PLC0415  # loads the compiler

        key = board.rules, board.total
        if self._key != key:
            tables = tables_for(board.rules, progress=self._progress)
            solver = Solver(board.rules, tables=tables, table_bits=TABLE_BITS)
            self._key, self._reviewer = key, Reviewer(solver, self._clock)
            self._reviewer.warm_up(board)
        return self._reviewer
