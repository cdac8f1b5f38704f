"""``mancala review``: what each move of a game cost, as far as that can be proven."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from msgspec import Struct

from protocol import codec
from protocol.record import GameRecord, RecordError, from_text, verify
from scripts.console import output as console
from scripts.console.options import JsonOption

if TYPE_CHECKING:
    from engine.review import Judged
    from protocol.rules import Rules

DIGITS: Final = 4


class _Kept(Struct, frozen=True):
    """A line of an event's journal, or of ``match --out``; the rest of it is not needed."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A game and its judgements."""

    record: GameRecord
    moves: tuple[Judged, ...]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("review")(_review)


def read_records(path: Path) -> list[GameRecord]:
    """Read a record, lines of records, or an event's games; a directory's are read in order.

    Raises:
        OSError: when it cannot be read.
        ValueError: when it holds something that is no record.
    """
    if path.is_dir():
        files = [path / "games.jsonl"] if (path / "games.jsonl").exists() else path.glob("*.json*")
        return [record for file in sorted(files) for record in read_records(file)]
    content = path.read_bytes()
    if not content.lstrip().startswith(b"{"):
        return [from_text(content.decode())]
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
    """Judge the moves of games, one game after the other.

    Args:
        records: the games.
        time_s: seconds for each.
        progress: told positions done and in all while endgame tables are built.
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
    """Sum up each player over all games, by name, in order of appearance."""
    moves: dict[str, list[Judged]] = {}
    for game in games:
        for seat, player in enumerate(game.record.players):
            own = [move for move in game.moves if move.player == seat]
            moves.setdefault(player.name, []).extend(own)
    return {name: _accuracy(judged) for name, judged in moves.items()}


def _review(
    records: Annotated[list[Path], typer.Argument(help="Records of games, or an event's folder.")],
    *,
    time_s: Annotated[float, typer.Option("--time", min=0.0, help="Seconds a game.")] = 5.0,
    json: JsonOption = False,
) -> None:
    """Tell what each move lost against perfect play, from the end as far back as time allows.

    Accuracy is the share of moves that lost nothing, among those that are known and had a choice.
    """
    loaded = [record for path in records for record in _load(path)]
    games = []
    for game in reviewed(loaded, time_s=time_s):
        games.append(game)
        if not json:
            typer.echo(_text(game))
    players = accuracies(games)
    if json:
        told = [{"name": name, **figures} for name, figures in players.items()]
        console.emit({"games": [_told(game) for game in games], "players": told})
    else:
        for name, figures in players.items():
            typer.echo(f"{name}: {_accuracy_text(figures)}")


def _load(path: Path) -> list[GameRecord]:
    try:
        records = read_records(path)
        for record in records:
            verify(record)
    except (OSError, RecordError, ValueError) as error:
        console.fail(f"{path}: {error}")
    if not records:
        console.fail(f"{path}: no records")
    return records


def _record(content: bytes) -> GameRecord:
    try:
        return codec.from_json(content, GameRecord)
    except codec.DecodeError as error:
        try:
            return codec.from_json(content, _Kept).record
        except codec.DecodeError:
            raise error from None


def _accuracy(moves: Iterable[Judged]) -> dict[str, Any]:
    from engine.review import accuracy

    found = accuracy(moves)
    return {
        "accuracy": _rounded(found.share),
        "mean_loss": _rounded(found.mean_loss),
        "judged": found.moves,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _told(game: Reviewed) -> dict[str, Any]:
    return {
        "game": game.record.game,
        **_accuracy(game.moves),
        "players": [
            {"name": player.name, **_accuracy(m for m in game.moves if m.player == seat)}
            for seat, player in enumerate(game.record.players)
        ],
        "moves": [
            {
                "ply": move.ply,
                "player": move.player,
                "pit": move.pit,
                "loss": move.loss,
                "value": move.value,
                "forced": move.forced,
            }
            for move in game.moves
        ],
    }


def _text(game: Reviewed) -> str:
    names = [player.name for player in game.record.players]
    lines = [f"game {game.record.game}: {names[0]} against {names[1]}"]
    for move in game.moves:
        value = "" if move.value is None else f"{move.value:+d}"
        lines.append(f"{move.ply:4} {names[move.player]}: {move.pit}  {value:>4}  {_loss(move)}")
    for name, figures in accuracies([game]).items():
        lines.append(f"     {name}: {_accuracy_text(figures)}")
    return "\n".join(lines)


def _loss(move: Judged) -> str:
    if move.loss is None:
        return "unknown"
    return "only move" if move.forced else f"{-move.loss:+d}"


def _accuracy_text(figures: dict[str, Any]) -> str:
    if figures["accuracy"] is None:
        return "accuracy unknown"
    share, loss = figures["accuracy"], figures["mean_loss"]
    return f"accuracy {share:.1%} of {figures['judged']} moves, {loss:.2f} seeds lost a move"
