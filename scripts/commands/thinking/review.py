"""``mancala review``: what each move of a game cost, and which one lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from mancala.engine.game_reviews import (
    Reviewed,
    accuracies,
    loser_of,
    read_records,
    to_dict,
    value_of,
)
from mancala.protocol.reasons import reason_sentence
from mancala.protocol.record import GameRecord, RecordError, verify
from mancala.protocol.review import (
    GameReview,
    Lost,
    PlayerReview,
    ReviewedPly,
    costliest,
    how_lost,
    mistake_sentence,
    result,
    sentence,
    value_after,
)
from mancala.protocol.text import quantity

from ...console import output as console
from ...console.interrupt import until_interrupted
from ...console.options import JsonOption
from ...console.playing import ClusterOptions, failures
from ...console.seat import AuthorityOption

if TYPE_CHECKING:
    from ...analysis.server_reviews import GameSelection


def command(
    records: Annotated[
        list[Path] | None, typer.Argument(help="Files of game records, or an event's directory.")
    ] = None,
    *,
    time_s: Annotated[float, typer.Option("--time", min=0.0, help="Seconds per game.")] = 5.0,
    server: Annotated[
        str | None,
        typer.Option(help="Show the reviews that a server keeps: the http:// address of its page."),
    ] = None,
    bot: Annotated[str | None, typer.Option(help="With --server: the bot's name.")] = None,
    lost: Annotated[
        bool, typer.Option("--lost", help="With --server: only games that the bot lost.")
    ] = False,
    last: Annotated[
        int, typer.Option(min=1, help="With --server: at most N games, the latest.")
    ] = 50,
    hours: Annotated[
        float | None, typer.Option(min=0.0, help="With --server: only games of the last hours.")
    ] = None,
    _authority: AuthorityOption = None,
    place: ClusterOptions,
    json: JsonOption = False,
) -> None:
    """Report what each move of a game lost against perfect play, and which one lost the game.

    Values are proven from the end of the game backwards, as far as the time allows; the others are
    estimates and marked with ~. Accuracy is the share of moves that lost nothing among those with
    a choice, counted apart for proven and estimated losses.

    With --server, the reviews that the server keeps of a bot's games are shown, that with the
    bot's costliest move first.
    """
    if server is not None:
        from ...analysis.server_reviews import GameSelection

        if records or bot is None:
            console.fail("--server needs --bot, and takes no records")
        _show_kept(server, GameSelection(bot, lost, last, hours), json=json)
        return
    if not records:
        console.fail("name a file of game records, or a server with --server and --bot")
    from mancala.headless import review as reviewed

    games = []
    with until_interrupted() as interruption, failures():
        loaded = [record for path in records for record in _load(path)]
        for game in reviewed(loaded, time_s=time_s, cluster=place.cluster):
            games.append(game)
            if not json:
                console.say(_text(game))
    kept = f"reviewed {quantity(len(games), 'game')}"
    interruption.conclude(to_dict(games), _of_players(games), kept, json=json)


def _show_kept(server: str, wanted: GameSelection, *, json: bool) -> None:
    from ...analysis.server_reviews import ServerError, kept_by

    if urlsplit(server).scheme not in {"http", "https"}:
        console.fail(f"{server!r} is not the address of a page; it begins with http:// or https://")
    with console.failing_on(ServerError):
        games, waiting = kept_by(server, wanted)
    lines = (*map(_text, games), *_of_players(games))
    console.show({**to_dict(games), "waiting": waiting}, lines, json=json)
    if waiting and not json:
        console.say(f"{quantity(waiting, 'game has', 'games have')} no review yet", err=True)


def _of_players(games: Sequence[Reviewed]) -> Iterator[str]:
    for name, figures in accuracies(games).items():
        yield f"{name}: {_accuracy_text(figures)}"


def _load(path: Path) -> list[GameRecord]:
    try:
        records = read_records(path)
    except OSError as error:
        console.fail(error, at=path)
    except ValueError as error:
        console.fail(f"not a game record: {console.described(error)}", at=path)
    if not records:
        console.fail("no game records found", at=path)
    for record in records:
        with console.bad_input(RecordError, at=f"{path}: game {record.game}"):
            verify(record)
    return records


def _text(game: Reviewed) -> str:
    record, reviewed = game
    names = [player.name for player in record.players]
    lines = [f"game {record.game}: {names[0]} against {names[1]} (plies from 1, pits from 0)"]
    lines += [
        f"{ply.ply + 1:4} {names[ply.player]}: {ply.pit}  "
        f"{_marked(f'{value_of(ply):+g}', proven=ply.proven):>6}  {_loss(ply)}"
        for ply in reviewed.plies
    ]
    lines += [f"     {line}" for line in _story(game, names)]
    lines += [f"     {name}: {_accuracy_text(it)}" for name, it in accuracies([game]).items()]
    return "\n".join(lines)


def _story(game: Reviewed, names: Sequence[str]) -> Iterator[str]:
    """Yield how the game was lost, and each move that changed the result."""
    record, review = game
    loser = loser_of(record)
    if loser is not None:
        yield f"{names[loser]} lost: {_how(review, loser)}"
    for change in review.changes:
        yield f"{names[change.player]}, {sentence(change)}"
    for name, worst in zip(names, game.dearest, strict=True):
        if worst is not None:
            yield f"{name}, dearest: {mistake_sentence(worst)}"


def _how(review: GameReview, loser: int) -> str:
    match how_lost(review.plies, loser):
        case Lost.BY_MOVE:
            decisive = [each for each in review.changes if each.player == loser]
            probably = "" if decisive[-1].proven else "probably "
            return f"ply {decisive[-1].ply + 1} {probably}gave the {decisive[-1].before} away"
        case Lost.FROM_START:
            certain = "proven" if review.plies[0].proven else "estimated"
            worst = costliest(review.plies, loser)
            cost = "" if worst is None else f"; its costliest move was ply {worst.ply + 1}"
            return f"best play led to a loss from the start, {certain}{cost}"
        case Lost.OTHERWISE:
            ahead = result(value_after(review.plies[-1]), loser)
            return f"not by a move: best play led to a {ahead} when the game ended"
        case _:
            return "where the game turned is not known, the values are estimates"


def _loss(ply: ReviewedPly) -> str:
    if ply.forced:
        return "only move"
    if ply.loss == 0:
        return _marked("best", proven=ply.loss_proven)
    loss = _marked(f"{0.0 - ply.loss:+g}", proven=ply.loss_proven)
    why = f": {reason_sentence(ply.reason, ply.player)}" if ply.reason else ""
    return f"{loss}, {ply.best} was better{why}"


def _marked(figure: str, *, proven: bool) -> str:
    return figure if proven else f"~{figure}"


def _accuracy_text(figures: PlayerReview) -> str:
    parts = [
        f"{found.accuracy:.1%} of {found.moves} {kind} moves best, "
        f"{found.mean_loss:.2f} seeds lost a move"
        for kind, found in (("proven", figures.proven), ("estimated", figures.estimated))
        if found.accuracy is not None
    ]
    return f"accuracy {'; '.join(parts)}" if parts else "accuracy unknown"
