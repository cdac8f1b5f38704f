"""Games read from files, and what each of their moves cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from protocol import codec
from protocol.record import GameRecord, from_text

if TYPE_CHECKING:
    from engine.review import Judged
    from protocol.rules import Rules

DIGITS: Final = 4


class _Kept(Struct, frozen=True):
    """The part that is read of a line of an event's journal, or of ``match --out``."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A game and the judgement of each of its moves."""

    record: GameRecord
    moves: tuple[Judged, ...]


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
    """Yield each game with its moves judged, one game after the other.

    Args:
        records: the games.
        time_s: seconds for each.
        progress: called with positions done and in total while endgame tables are built.
    """
    from engine.review import review
    from engine.search import tables_for
    from engine.solver import Solver

    solvers: dict[Rules, Solver] = {}
    for record in records:
        if record.rules not in solvers:
            tables = tables_for(record.rules, progress=progress)
            solvers[record.rules] = Solver(record.rules, tables=tables, table_bits=20)
        solver = solvers[record.rules]
        yield Reviewed(record, review(record, solver, time_s=time_s, clock=time.monotonic))


def accuracies(games: Iterable[Reviewed]) -> dict[str, dict[str, Any]]:
    """Return each player's accuracy over all games, by name, in order of appearance."""
    moves: dict[str, list[Judged]] = {}
    for game in games:
        for seat, player in enumerate(game.record.players):
            own = [move for move in game.moves if move.player == seat]
            moves.setdefault(player.name, []).extend(own)
    return {name: accuracy_of(judged) for name, judged in moves.items()}


def accuracy_of(moves: Iterable[Judged]) -> dict[str, Any]:
    """Return the accuracy, the mean loss in seeds and the number of judged moves, for JSON."""
    from engine.review import accuracy

    found = accuracy(moves)
    return {
        "accuracy": _rounded(found.share),
        "mean_loss": _rounded(found.mean_loss),
        "judged": found.moves,
    }


def _record(content: bytes) -> GameRecord:
    try:
        return codec.from_json(content, GameRecord)
    except codec.DecodeError as error:
        try:
            return codec.from_json(content, _Kept).record
        except codec.DecodeError:
            raise error from None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
