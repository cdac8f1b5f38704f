"""The report of an event: one HTML file with its tables, charts and games, readable offline."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from msgspec import structs

from mancala.engine.game_reviews import Reviewed, accuracies, review
from mancala.files import write_whole
from mancala.protocol.record import GameRecord
from mancala.protocol.results import StandingCounts
from mancala.protocol.text import quantity
from mancala.server.config.events import TieBreak
from mancala.server.contest.events.standings import EventStanding
from mancala.server.contest.headless.event import Event
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.runs import TournamentRun
from mancala.server.contest.headless.standings import EventStandings
from mancala.server.model.game import Standing

from ..console.views.document import document
from .documents import event_submission

LEAST_MS: Final = 0.001
MOST_GAMES: Final = 200
"""Games that can be replayed in the report, the last ones; each takes 10 kB, with a review 30."""
DIGITS: Final = 3


def write_report(
    path: Path, run: TournamentRun, table: EventStandings, *, review_s: float = 0.0
) -> None:
    """Write an event's report; with 0 seconds a game no moves are judged."""
    games = [game for _, game in sorted(run.journal.games.items())]
    judged = []
    if review_s > 0:
        judged = list(review((game.record for game in games), time_s=review_s))
    write_whole(path, _page(run, games, table, judged).encode())


def _page(
    run: TournamentRun,
    games: Sequence[PlayedGame],
    table: EventStandings,
    judged: Sequence[Reviewed],
) -> str:
    shown = event_submission(run, table)
    title = shown.title
    latest = [game.record for game in games[-MOST_GAMES:]]
    ids = {record.game for record in latest}
    data = {
        "title": title,
        "facts": _facts(run.event, table),
        "event": shown,
        "about": _about(table),
        "standings": [_row(line) for line in table.standings],
        "tie_breaks": table.tie_breaks,
        "broken": [
            [str(line.rank), line.name, f"{line.points:g}", *_tie_breaks(line, table.tie_breaks)]
            for line in table.standings
        ],
        "ties": table.ties,
        "names": [line.name for line in table.standings],
        "los": table.los,
        "misfit": table.misfit,
        "points": table.crosstable.points,
        "games_met": table.crosstable.games,
        "openings": [
            {
                "name": each.opening or "the standard start",
                "share": each.first_score,
                "note": quantity(each.games, "game"),
            }
            for each in sorted(table.openings, key=lambda it: (-it.first_score, it.opening))
        ],
        "times": time_by_move(games),
        "judged": _judged(judged),
        "played": len(games),
        "games": [_brief(record) for record in latest],
        "reviews": {each.record.game: each.review for each in judged if each.record.game in ids},
    }
    return document("event", title, data)


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
        name: [
            round(fmean(by_move[n]), DIGITS) if n in by_move else None
            for n in range(max(by_move) + 1)
        ]
        for name, by_move in sorted(spent.items())
    }


def _facts(event: Event, table: EventStandings) -> str:
    facts = [
        f"{quantity(table.games, 'game')} by the rules {table.rules}",
        f"{event.games} per encounter",
        f"seed {table.seed}",
    ]
    return ", ".join(facts if table.complete else [*facts, "not over yet"])


def _about(table: EventStandings) -> str:
    first = table.first_move
    worth = f"Moving first was worth {first.elo:+.0f} ± {first.elo_error:.0f} Elo."
    forfeits = [f"{line.name} {line.forfeits}" for line in table.standings if line.forfeits]
    about = f"{worth} Forfeits: {', '.join(forfeits) or 'none'}."
    disabled = [f"{name} after game {number}" for name, number in table.disabled.items()]
    if not disabled:
        return about
    return f"{about} Disabled, with later games forfeited or void: {', '.join(disabled)}."


SHOWN: Final = (*StandingCounts.__struct_fields__, "rank_range", "margin")


def _row(line: Standing) -> dict[str, Any]:
    ends = None
    if line.elo is not None and line.elo_error is not None:
        ends = (line.elo - line.elo_error, line.elo + line.elo_error)
    return {
        **{name: getattr(line, name) for name in SHOWN},
        "bot": line.name,
        "rating": line.elo,
        "interval": ends,
    }


def _tie_breaks(line: EventStanding, tie_breaks: Iterable[TieBreak]) -> list[str]:
    """Return the values of tie-breaks as text; empty where one was not needed."""
    values = [getattr(line, each.column) for each in tie_breaks]
    return ["" if value is None else f"{value:g}" for value in values]


def _judged(games: Sequence[Reviewed]) -> list[dict[str, Any]]:
    found = [(name, each.proven) for name, each in accuracies(games).items() if each.proven.moves]
    return [
        {"name": name, **structs.asdict(proven)}
        for name, proven in sorted(found, key=lambda each: -(each[1].accuracy or 0.0))
    ]


def _brief(record: GameRecord) -> GameRecord:
    """Return a record without what a replay does not show, which may be long."""
    moves = (
        structs.replace(
            move, clock=None, info=move.info and structs.replace(move.info, dialogue=None)
        )
        for move in record.moves
    )
    return structs.replace(record, moves=tuple(moves))
