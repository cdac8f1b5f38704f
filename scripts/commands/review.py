"""``mancala review``: what each move of a game cost, as far as that can be proven."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protocol.record import GameRecord, RecordError, verify
from scripts.analysis.review import Reviewed, accuracies, accuracy_of, read_records, reviewed
from scripts.console import output as console
from scripts.console.options import JsonOption

if TYPE_CHECKING:
    from engine.review import Judged


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("review")(_review)


def _review(
    records: Annotated[
        list[Path], typer.Argument(help="Files of game records, or an event's directory.")
    ],
    *,
    time_s: Annotated[float, typer.Option("--time", min=0.0, help="Seconds per game.")] = 5.0,
    json: JsonOption = False,
) -> None:
    """Report what each move of a game lost against perfect play.

    Moves are judged from the end of the game backwards, as far as the time allows. Accuracy is the
    share of moves without loss among the judged moves that were not forced.
    """
    loaded = [record for path in records for record in _load(path)]
    games = []
    for game in reviewed(loaded, time_s=time_s):
        games.append(game)
        if not json:
            typer.echo(_text(game))
    players = accuracies(games)
    if json:
        rows = [{"name": name, **figures} for name, figures in players.items()]
        console.emit({"games": [_game_json(game) for game in games], "players": rows})
    else:
        for name, figures in players.items():
            typer.echo(f"{name}: {_accuracy_text(figures)}")


def _load(path: Path) -> list[GameRecord]:
    try:
        records = read_records(path)
        for record in records:
            verify(record)
    except (OSError, RecordError) as error:
        console.fail(error, at=path)
    except ValueError as error:
        console.fail(f"not a game record: {console.described(error)}", at=path)
    if not records:
        console.fail("no game records found", at=path)
    return records


def _game_json(game: Reviewed) -> dict[str, Any]:
    return {
        "game": game.record.game,
        **accuracy_of(game.moves),
        "players": [
            {"name": player.name, **accuracy_of(m for m in game.moves if m.player == seat)}
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
