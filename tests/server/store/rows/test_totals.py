"""What the games of bots come to, compared with a recount."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import update

from mancala.protocol.messages import Reason
from mancala.server.store.database.database import connect
from mancala.server.store.database.schema import duels, endings, games, players
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.totals import count
from tests.server.store.databases import place_of
from tests.server.store.test_archive_recount import GAMES, entries
from tests.server.store.test_entries import rows

pytestmark = pytest.mark.usefixtures("database")


def test_totals_are_those_of_a_recount(tmp_path: Path) -> None:
    """By bot, ladder, version, seat and ending; aborted games count only among the endings."""
    with closing(connect(place_of(tmp_path))) as connection, connection.begin():
        transaction = Transaction(connection)
        write_all(entries(), transaction)
        by_ending = rows(transaction, endings, *endings.c.keys())
        by_pair = rows(transaction, duels, *duels.c.keys())
        by_bot = rows(transaction, players, "name", "games", "wins", "draws", "losses")
    over = [game for game in GAMES if game.reason is not None]
    assert by_ending == {
        (bot, game.ladder or "", bot, seat, str(game.reason), 1, *outcome(game.winner, seat, game))
        for game in over
        for seat, bot in enumerate(game.seats)
    }
    counted = [game for game in over if game.reason is not Reason.ABORTED]
    assert by_pair == {(*game.seats, 1, *outcome(game.winner, 0, game)) for game in counted}
    assert {(name, games) for name, games, *_ in by_bot} == {
        (name, sum(name in game.seats for game in counted)) for name in ("ann", "bob", "cid")
    }
    assert all(games == wins + draws + losses for _, games, wins, draws, losses in by_bot)


def outcome(winner: int | None, seat: int, game: object) -> tuple[int, int, int]:
    if getattr(game, "reason", None) is Reason.ABORTED:
        return (0, 0, 0)
    return (int(winner == seat), int(winner is None), int(winner == 1 - seat))


def test_the_last_game_of_a_bot_is_the_one_that_ended_last(tmp_path: Path) -> None:
    """Also when an earlier one is counted later, as one that counts again."""
    with closing(connect(place_of(tmp_path))) as connection, connection.begin():
        transaction = Transaction(connection)
        write_all(entries(), transaction)
        its = update(games).where(games.c.id == "d0")
        for ended_at in ("2030-01-01", "2020-01-01"):
            ended = its.values(ended_at=ended_at, reason="normal", winner=0, plies=3)
            transaction.execute(ended)
            count(transaction, "d0")
        found = rows(transaction, players, "name", "games", "last_game_at")
    assert {row for row in found if row[0] in {"abe", "zoe"}} == {
        ("abe", 2, "2030-01-01"),
        ("zoe", 2, "2030-01-01"),
    }
