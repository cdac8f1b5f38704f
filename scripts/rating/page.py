"""The page of a rating: one HTML file that can be shown, readable offline."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from engine.skill import LEVEL_ELO
from scripts.rating.answers import Loss
from scripts.rating.placement import Place
from scripts.rating.rating import Rating
from scripts.views import charts
from scripts.views.report import document, section


def page(rating: Rating) -> str:
    """Return a player's rating as HTML."""
    result = rating.summary()
    facts = f"{result['positions']} positions, {result['games']} games, seed {result['seed']}"
    return document(f"How strong is {rating.player}?", facts, _sections(rating, result))


def _sections(rating: Rating, result: dict[str, Any]) -> Iterable[str]:
    if rating.place is not None:
        yield _place(rating.player, rating.place)
        yield _levels(rating)
    if rating.loss is not None:
        yield _losses({**rating.phases, "all": rating.loss})
    yield _time(result["time"], faults_text(rating))


def _place(player: str, place: Place) -> str:
    scale = [charts.Interval(f"level {n}", elo, 0.0) for n, elo in enumerate(LEVEL_ELO, 1)]
    own = charts.Interval(player, place.elo, place.elo_error)
    return section(
        f"{place.elo:+.0f} ± {place.elo_error:.0f} Elo",
        "The place on the fixed scale of the levels, where level 1 is 0; the bar is a 95 % "
        "interval.",
        charts.ratings(sorted([*scale, own], key=lambda each: -each.value)),
    )


def _levels(rating: Rating) -> str:
    rows = (
        (it.level, f"{it.elo:+d}", it.games, it.wins, it.draws, it.losses, f"{it.score:.0%}")
        for it in rating.levels
    )
    return section(
        "Games with the levels",
        "Opponents were chosen by what was known so far; each random opening is played twice "
        "with the seats swapped.",
        _table(("Level", "Elo", "Games", "Won", "Drawn", "Lost", "Score"), rows),
    )


def _losses(losses: dict[str, Loss]) -> str:
    rows = (
        (name, it.positions, f"{it.loss:.2f}", f"{it.loss_error:.2f}", f"{it.best_share:.0%}")
        for name, it in losses.items()
    )
    return section(
        "Loss against perfect play",
        "Seeds lost a move in positions whose values are proven, with 95 % intervals, and the "
        "share of moves that lose nothing. Phases are by the seeds left in the pits.",
        _table(("Phase", "Positions", "Seeds lost a move", "±", "Best moves"), rows),
    )


def _time(time: dict[str, Any], faults: str) -> str:
    spent = (_ms(time[key]) for key in ("mean_ms", "p99_ms", "worst_ms"))
    return section(
        "Time and faults",
        "Time for a move in ms; late moves were excused by the margin. Faults are games and "
        "positions without a valid answer, by reason.",
        _table(
            ("Moves", "Mean", "99 %", "Longest", "Late", "Faults"),
            [(time["moves"], *spent, time["late"], faults)],
        ),
    )


def faults_text(rating: Rating) -> str:
    """Return the faults as text."""
    return ", ".join(f"{count} {reason}" for reason, count in rating.faults.items()) or "none"


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    top = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
