"""A store of the version before becomes one of this, and the other way round."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from mancala.protocol.messages import Info, Reason
from mancala.protocol.referee import Ended, LedgerEntry
from mancala.server.model.journal import Entry, GameClosed, GameOpened, MatchOpened, MovePlayed
from mancala.server.model.match import LadderContext
from mancala.server.store import StoreError
from mancala.server.store.carrying import moving
from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import duels, endings, games, meetings, moves, players
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.reading.archive import GameFilter
from mancala.server.store.reading.bot_lists import bots_page
from mancala.server.store.rows.game_lists import games_page
from mancala.server.store.upkeep import upgrade
from tests.server.store.databases import execute, place_of, rows
from tests.server.store.test_store import TERMS, announcement

pytestmark = pytest.mark.usefixtures("database")

SEED = 7
GAMES = 24
DERIVED = (players, endings, duels, meetings)


def at(second: int) -> str:
    """Return an instant of one day."""
    return f"2026-11-21T12:{second // 60:02}:{second % 60:02}.000+00:00"


def played(count: int) -> list[Entry]:
    """Return what a server wrote for some games, the first of which is still under way."""
    rng = random.Random(SEED)
    written: list[Entry] = []
    for number in range(count):
        names = tuple(rng.sample(("ann", "bob", "cid"), 2))
        context = LadderContext("main", (f"{names[0]}@1", names[1])) if number % 3 else None
        match, game = f"m{number}", f"g{rng.getrandbits(32):08x}"
        opened = MatchOpened(match, (names[0], names[1]), TERMS, at(number), context)
        written += [opened, GameOpened(game, match, 0, at(number))]
        for ply in range(rng.randrange(9)):
            ledger = LedgerEntry(rng.randrange(6), rng.random() * 1000, rng.choice((0.0, 2.5)))
            info = rng.choice((None, Info(depth=ply, comment="é\n")))
            written.append(MovePlayed(game, ply, ledger, info, forced=rng.random() < 0.1))
        if number > 0:
            reason = rng.choice((Reason.NORMAL, Reason.TIMEOUT, Reason.ABORTED))
            winner = None if reason is Reason.ABORTED else rng.choice((0, 1, None))
            ended = Ended(winner, (25, 23), reason, None)
            written.append(GameClosed(game, ended, at(100 + number), announcement(game)))
    return written


def do(connection: Connection, act: Any, *arguments: Any) -> Any:  # noqa: ANN401  # any question
    """Run work in a transaction of its own."""
    with connection.begin():
        transaction = Transaction(connection)
        found = act(transaction, *arguments)
        transaction.flush()
        return found


def shown(transaction: Transaction) -> list[Any]:
    """Return all that lists and totals show."""
    filters = [GameFilter(), GameFilter(bot="ann"), GameFilter(ladder="main")]
    lists = [games_page(transaction, wanted, None, 100).games for wanted in filters]
    tables = [sorted(map(tuple, transaction.execute(select(table)))) for table in DERIVED]
    return [lists, tables, bots_page(transaction, None, None, 100)]


def ignore(_done: int, _total: int) -> None:
    """Show no progress."""


def test_nothing_differs_after_a_store_went_back_and_forth(tmp_path: Path) -> None:
    """Every record has the same digest; lists and totals are as if this version had played."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(played(GAMES), transaction))
        before = do(connection, shown)
    digest = moving.digest_of(place, ignore)
    assert digest.games == GAMES
    moving.downgrade_store(place, ignore)
    with pytest.raises(StoreError, match="another version: 0008"):
        moving.digest_of(place, ignore)
    with closing(connect(place)) as connection:
        assert do(connection, upgrade.left) == GAMES
        total = rows(place, "SELECT count(*) FROM moves")
        assert total > [(GAMES,)]
        assert moving.digest_of(place, ignore) == digest
    progress: list[tuple[int, int]] = []
    moving.upgrade_store(place, lambda done, total: progress.append((done, total)))
    assert progress == [(GAMES, GAMES)]
    assert moving.digest_of(place, ignore) == digest
    with closing(connect(place)) as connection:
        assert do(connection, upgrade.left) == 0
        assert do(connection, shown) == before
        unfinished = do(connection, lambda found: found.execute(select(moves.c.game)).all())
        assert len({row.game for row in unfinished}) <= 1


def test_a_kill_between_two_pieces_loses_nothing(tmp_path: Path) -> None:
    """Whatever the pieces, each game is listed and counted once, also one that ends meanwhile."""
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(played(GAMES), transaction))
    moving.downgrade_store(place, ignore)
    for size in (1, 2, 5):
        with closing(connect(place)) as connection:
            assert do(connection, upgrade.upgrade_some, size) == size
    with closing(connect(place)) as connection:
        do(connection, play_on)
        assert do(connection, upgrade.upgrade_some, 100) == GAMES - 8
        assert do(connection, upgrade.upgrade_some, 100) == 0
        listed = do(connection, lambda found: games_page(found, GameFilter(), None, 100).games)
        counted = do(connection, lambda found: found.execute(select(endings)).mappings().all())
    began = [game.started_at for game in listed]
    assert began == sorted(began, reverse=True)
    assert len(listed) == GAMES + 1
    assert sum(row["games"] for row in counted) == 2 * GAMES


def play_on(transaction: Transaction) -> None:
    """Begin a game, and end the one that a former version began."""
    query = select(games.c.id).where(games.c.ended_at.is_(None))
    former = transaction.execute(query).scalar_one()
    ended = Ended(0, (25, 23), Reason.NORMAL, None)
    entries: list[Entry] = [
        MatchOpened("new", ("ann", "bob"), TERMS, at(1000)),
        GameOpened("new0", "new", 0, at(1000)),
        GameClosed(former, ended, at(1001), announcement(former)),
    ]
    write_all(entries, transaction)


def test_a_store_of_a_later_version_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """It says what to do."""
    place = place_of(tmp_path)
    connect(place).close()
    execute(place, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match=r"later version \(9999, not 0019\).*downgrade"):
        connect(place)
