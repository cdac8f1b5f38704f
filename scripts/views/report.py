"""The report of an event: one HTML file with its tables and charts, readable offline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from pathlib import Path
from statistics import fmean
from typing import Final

from protocol.review import PlayerReview
from scripts.analysis.review import accuracies, reviewed
from scripts.views import charts
from server.headless import journal
from server.headless.event import Event, Format
from server.headless.event_standings import EventStandings
from server.headless.played_game import PlayedGame
from server.model.standings import Standing

TITLES: Final = {
    Format.ROUND_ROBIN: "Round robin",
    Format.GAUNTLET: "Gauntlet",
    Format.SWISS: "Swiss tournament",
    Format.KNOCKOUT: "Knockout",
}
LEAST_MS: Final = 0.001
COLUMNS: Final = (
    *("#", "Player", "Points", "Games", "Won", "Drawn", "Lost", "Seeds"),
    *("Elo", "±", "Ranks"),
)


def write_report(
    path: Path,
    event: Event,
    games: Mapping[int, PlayedGame],
    table: EventStandings,
    *,
    review_s: float = 0.0,
) -> None:
    """Write an event's report.

    Args:
        path: the file to write.
        event: the event's settings.
        games: its games, by number.
        table: its standings.
        review_s: seconds per game to judge its moves; with 0 the report shows no accuracy.

    Raises:
        OSError: when it cannot be written.
    """
    ordered = [games[number] for number in sorted(games)]
    judged = {}
    if review_s > 0:
        judged = accuracies(reviewed((game.record for game in ordered), time_s=review_s))
    journal.write_whole(path, page(event, ordered, table, judged).encode())


def page(
    event: Event,
    games: Sequence[PlayedGame],
    table: EventStandings,
    judged: Mapping[str, PlayerReview],
) -> str:
    """Return an event's report as HTML.

    Args:
        event: the event's settings.
        games: its games, in order.
        table: its standings.
        judged: accuracies by player, from `scripts.analysis.review.accuracies`; may be empty.
    """
    title = f"{TITLES[event.format]} of {len(event.contenders)}"
    sections = [
        section("Standings", _standings_about(table), _standings(table.standings)),
        section(
            "Ratings",
            "One joint fit to all games, on the logistic scale: a lead of 191 Elo means a score "
            "of 75 %. The mean of all players is 0, bars are 95 % intervals.",
            charts.ratings(_by_rating(table.standings)),
        ),
        section(
            "Who is stronger",
            "Likelihood that the row's player is stronger than the column's, in percent.",
            charts.heat_map([line.name for line in table.standings], _superiority(table)),
        ),
        section(
            "Each against each",
            "Points of the row's player in its games with the column's, in percent.",
            charts.heat_map([line.name for line in table.standings], _shares(table)),
        ),
        section(
            "Openings",
            "Score of the player who moves first, one bar per opening. The same two players play "
            "each opening twice with the seats swapped, so none has an advantage.",
            charts.opening_scores(
                [(found.opening, found.first_score, found.games) for found in table.openings]
            ),
        ),
    ]
    sections += _time_section(games) + _accuracy_section(judged)
    return document(title, _facts(event, table), sections)


def document(
    title: str, facts: str, sections: Iterable[str], *, reload_s: int | None = None
) -> str:
    """Return a page as HTML, with its style sheet.

    Args:
        title: its heading.
        facts: a line below the heading.
        sections: HTML, from :func:`section`.
        reload_s: seconds after which a browser reloads the page; None for never.
    """
    style = (resources.files("scripts.views") / "report.css").read_text(encoding="utf-8")
    reload = f'<meta http-equiv="refresh" content="{reload_s}">\n' if reload_s is not None else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{reload}'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<h1>{escape(title)}</h1>\n<p class="facts">{escape(facts)}</p>\n'
        f"{''.join(sections)}</body>\n</html>\n"
    )


def section(title: str, about: str, content: str) -> str:
    """Return a part of a page: a heading, a sentence about it, and its content."""
    return (
        f'<section>\n<h2>{escape(title)}</h2>\n<p class="about">{escape(about)}</p>\n'
        f"{content}\n</section>\n"
    )


def time_by_move(games: Iterable[PlayedGame]) -> dict[str, list[float | None]]:
    """Return each player's mean time in ms for its first moves, its second moves and so on."""
    spent: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for game in games:
        turns = [0, 0]
        for move in game.record.moves:
            if move.elapsed_ms is not None:
                name = game.record.players[move.player].name
                spent[name][turns[move.player]].append(max(LEAST_MS, move.elapsed_ms))
            turns[move.player] += 1
    return {
        name: [fmean(by_move[n]) if n in by_move else None for n in range(max(by_move) + 1)]
        for name, by_move in sorted(spent.items())
    }


def _facts(event: Event, table: EventStandings) -> str:
    facts = [
        f"{table.games} games by the rules {table.rules}",
        f"{event.games} per encounter",
        f"seed {table.seed}",
    ]
    return ", ".join(facts if table.complete else [*facts, "not over yet"])


def _standings_about(table: EventStandings) -> str:
    first = table.first_move
    worth = f"Moving first was worth {first.elo:+.0f} ± {first.elo_error:.0f} Elo."
    forfeits = [f"{line.name} {line.forfeits}" for line in table.standings if line.forfeits]
    about = f"{worth} Forfeits: {', '.join(forfeits) or 'none'}."
    disabled = [f"{name} after game {number}" for name, number in table.disabled.items()]
    if not disabled:
        return about
    return f"{about} Disabled, with later games forfeited: {', '.join(disabled)}."


def _standings(lines: Iterable[Standing]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in COLUMNS)
    rows = "".join(f"<tr>{_cells(line)}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _cells(line: Standing) -> str:
    cells = (
        str(line.rank),
        line.name,
        f"{line.points:g}",
        str(line.games),
        str(line.wins),
        str(line.draws),
        str(line.losses),
        f"{line.margin:+d}",
        f"{line.elo:+.0f}",
        f"{line.elo_error:.0f}",
        "" if line.rank_range is None else "–".join(map(str, line.rank_range)),  # noqa: RUF001
    )
    return "".join(f"<td>{escape(cell)}</td>" for cell in cells)


def _by_rating(lines: Iterable[Standing]) -> list[charts.Interval]:
    found = [
        charts.Interval(line.name, line.elo, line.elo_error)
        for line in lines
        if line.elo is not None and line.elo_error is not None
    ]
    return sorted(found, key=lambda player: -player.value)


def _shares(table: EventStandings) -> list[list[float | None]]:
    cross = table.crosstable
    return [
        [None if points is None else points / games for points, games in zip(row, met, strict=True)]
        for row, met in zip(cross.points, cross.games, strict=True)
    ]


def _superiority(table: EventStandings) -> list[list[float | None]]:
    return [
        [None if place == other else los for other, los in enumerate(row)]
        for place, row in enumerate(table.los)
    ]


def _time_section(games: Sequence[PlayedGame]) -> list[str]:
    used = time_by_move(games)
    if not used:
        return []
    about = "Mean time of a player's first move of a game, its second, and so on."
    return [section("Time", about, charts.lines(used, "ms"))]


def _accuracy_section(judged: Mapping[str, PlayerReview]) -> list[str]:
    known = [
        (name, found.proven.accuracy, f"{found.proven.mean_loss:.2f} seeds lost a move")
        for name, found in judged.items()
        if found.proven.accuracy is not None
    ]
    if not known:
        return []
    moves = sum(found.proven.moves for found in judged.values())
    about = (
        "Share of moves without loss against perfect play, among the "
        f"{moves} that were not forced and could be proven; mostly moves late in the game."
    )
    return [section("Accuracy", about, charts.bars(sorted(known, key=lambda bar: -bar[1])))]
