"""A store after years: how soon a server starts on it, and what a page and a game cost.

`python -m mancala.scripts.bench.serving.store make PLACE --games 1000000` fills an empty store with
games between 5,000 entrants in a few minutes; `measure PLACE` prints the figures as one JSON
object. A place is a SQLite file or a PostgreSQL URL.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from mancala.protocol.messages import Reason
from mancala.server.model.contests import EventGameRow, KeptEvent
from mancala.server.model.schemas.games import BotResult
from mancala.server.store import Store
from mancala.server.store.database.database import Access, connect, is_postgresql
from mancala.server.store.database.reader import Reader
from mancala.server.store.reading.archive import Archive, GameFilter, GameKey
from mancala.server.store.rows.ladders import kept_ladders
from mancala.server.store.rows.matches import unfinished
from mancala.server.store.rows.tokens import former_sessions

from ...console import output as console
from .store_archive import GAMES, LINES, MEMBERS, REVIEWED, Size, make, version_of

PAGE: Final = 51
TRIES: Final = 100
app = typer.Typer(help=__doc__, add_completion=False, pretty_exceptions_enable=False)
TODAY: Final = date(2016, 2, 1)
"""A day within the time of the games that are made."""
ENDED: Final = KeptEvent(
    *("finished", 1, None, None), games=(EventGameRow(0, "a", "b", 0, 2, "normal", "none", 0),)
)
"""An event of one game, whose record is looked for."""


@app.command("make")
def make_command(
    place: str,
    *,
    games: Annotated[int, typer.Option(help="Games in the archive.")] = GAMES,
    members: Annotated[int, typer.Option(help="Bots in the ladder.")] = MEMBERS,
    reviewed: Annotated[
        int, typer.Option(help=f"Of {LINES} different games, how many are reviewed.")
    ] = REVIEWED,
) -> None:
    """Fill an empty store."""
    make(place, Size(games=games, members=members, reviewed_lines=reviewed))


@app.command("measure")
def measure_command(place: str) -> None:
    """Print what a start, a page and a game cost."""
    console.emit(asyncio.run(measure(place)))


async def measure(place: str) -> dict[str, Any]:
    began = time.perf_counter()
    async with Store(place, failed=_fail) as store:
        await store.run(former_sessions)
        await store.run(unfinished)
        await store.run(kept_ladders)
        start_s = time.perf_counter() - began
        async with Reader(place) as reader:
            pages = {
                name: await _p99_ms(ask)
                for name, ask in (await questions(Archive(reader, server="bench"))).items()
            }
    return {"start_s": round(start_s, 3), **sizes(place), "p99_ms": pages}


def sizes(place: str) -> dict[str, int]:
    games = _asked(place, "SELECT count(*) FROM games")
    reviewed = _asked(place, "SELECT count(*) FROM reviews")
    of_reviews = _bytes_of_reviews(place) if reviewed else 0
    return {
        "games": games,
        "bytes_a_game": round((_bytes(place) - of_reviews) / max(1, games)),
        "bytes_a_review": round(of_reviews / max(1, reviewed)),
    }


async def questions(archive: Archive) -> dict[str, Callable[[], Awaitable[object]]]:
    """Return what the page and the API ask an archive, by name; each call asks it once."""
    first = (await archive.games(GameFilter(), after=None, limit=PAGE)).games
    (bot, other), game, match = first[0].players, first[0].game, first[0].match
    leading = tuple(version_of(each.players[0]) for each in first[:8])
    last = GameKey(first[-1].started_at, first[-1].game)
    return {
        "games": lambda: archive.games(GameFilter(), after=None, limit=PAGE),
        "games, next page": lambda: archive.games(GameFilter(), after=last, limit=PAGE),
        "running games": lambda: archive.games(_running(), after=None, limit=PAGE),
        "games of a large ladder": lambda: archive.games(_of("main"), after=None, limit=PAGE),
        "games of a small ladder": lambda: archive.games(_of("blitz"), after=last, limit=PAGE),
        "games of no ladder": lambda: archive.games(_of("none"), after=None, limit=PAGE),
        "games of a bot": lambda: archive.games(GameFilter(bot), after=last, limit=PAGE),
        "games of a bot in a ladder": lambda: archive.games(
            GameFilter(bot, ladder="blitz"), after=last, limit=PAGE
        ),
        "games of a match": lambda: archive.games(GameFilter(match=match), after=None, limit=PAGE),
        "games of two bots": lambda: archive.games(
            GameFilter(bot, opponent=other), after=None, limit=PAGE
        ),
        "games lost in a month": lambda: archive.games(
            GameFilter(bot, result=BotResult.LOSS, since="2016-02", until="2016-03"),
            after=None,
            limit=PAGE,
        ),
        "games of a version": lambda: archive.games(
            GameFilter(bot, version=version_of(bot)), after=None, limit=PAGE
        ),
        "games that ended in a rare way": lambda: archive.games(
            GameFilter(reason=Reason.WEDGED), after=None, limit=PAGE
        ),
        "ratings of a bot": lambda: archive.ratings_of(bot),
        "ratings in a ladder": lambda: archive.ratings_in("main", leading),
        "ratings of yesterday": lambda: archive.ratings_before("main", leading, TODAY),
        "statistics of a bot": lambda: archive.statistics_of(bot),
        "head to head": lambda: archive.duel(bot, other),
        "bots": lambda: archive.bots(limit=PAGE),
        "bots, next page": lambda: archive.bots(after=bot, limit=PAGE),
        "bot": lambda: archive.bots(name=bot, limit=1),
        "record": lambda: archive.record(game),
        "neighbours": lambda: archive.neighbours(game),
        "match": lambda: archive.match(match),
        "latest reviews": lambda: archive.latest_reviews(PAGE),
        "puzzles of days": lambda: archive.puzzles_until(TODAY.isoformat(), PAGE),
        "accuracy of a bot": lambda: archive.accuracy_of(bot),
        "accuracy of a ladder's best": lambda: archive.accuracies("main", leading),
        "review": lambda: archive.review_if_any(game),
        "which games have reviews": lambda: archive.reviewed(tuple(each.game for each in first)),
        "games to review": archive.reviews_waiting,
        "events": archive.event_states,
        "event": lambda: archive.event("cup"),
        "running games of an event": lambda: archive.event_boards("cup"),
        "archive of an event": lambda: archive.event_archive("cup", ENDED, "{}"),
        "events played elsewhere": lambda: archive.submissions(tests=False),
        "tests played elsewhere": lambda: archive.submissions(tests=True),
        "event played elsewhere": lambda: archive.submission("0"),
        "outbox": archive.outbox_depth,
        "size of the outbox": archive.outbox_bytes,
    }


def _running() -> GameFilter:
    from mancala.server.model.schemas.games import GameStatus

    return GameFilter(status=GameStatus.RUNNING)


def _of(ladder: str) -> GameFilter:
    return GameFilter(ladder=ladder)


async def _p99_ms(ask: Callable[[], Awaitable[object]]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        await ask()
        times.append(1000 * (time.perf_counter() - began))
    return round(sorted(times)[TRIES * 99 // 100 - 1], 2)


def _bytes(place: str) -> int:
    if not is_postgresql(place):
        return sum(path.stat().st_size for path in Path(place).parent.glob(f"{Path(place).name}*"))
    return _asked(
        place,
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
        "WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
    )


def _bytes_of_reviews(place: str) -> int:
    if is_postgresql(place):
        return _asked(place, "SELECT pg_total_relation_size('reviews')")
    return _asked(
        place,
        "SELECT sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) WHERE tbl_name = 'reviews'",
    )


def _asked(place: str, query: str) -> int:
    with closing(connect(place, Access.READ)) as connection:
        return int(connection.exec_driver_sql(query).scalar_one() or 0)


def _fail(error: Exception) -> None:
    raise error


if __name__ == "__main__":
    app()
