"""The games of a ladder move house as a file, and count there what they counted."""

import gzip
import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Info, Outcome, Reason
from mancala.protocol.referee import LedgerEntry, outcome
from mancala.protocol.rules import Board, Rules
from mancala.server.model.journal import (
    Entry,
    GameClosed,
    GameOpened,
    MatchClosed,
    MatchOpened,
    MovePlayed,
)
from mancala.server.model.match import LadderContext, Terms, opening_of
from mancala.server.store.carrying.archive_file import ArchiveFileError
from mancala.server.store.carrying.ladder_archive import export_ladder, import_ladder
from mancala.server.store.database.database import connect
from mancala.server.store.database.faults import StoreError
from mancala.server.store.database.schema import games
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows.records import record_of
from mancala.server.store.upkeep.retention import forget_matches
from tests.server.store.builders import at, do, ignore
from tests.server.store.databases import place_of, rows
from tests.server.store.test_store import announcement

pytestmark = pytest.mark.usefixtures("database")

SEED = 3
TERMS = Terms(Rules(), TimeControl(move_ms=1000), rated=True, games=2)
GAMES = select(games.c.id).order_by(games.c.id)
TALLIES = """
SELECT first, second, wins, draws, losses FROM pairs
UNION ALL SELECT second, first, back_wins, back_draws, back_losses FROM pairs
"""
OPENINGS = (Board.start(Rules()).sow(2).board,)


def game(
    rng: random.Random, match: MatchOpened, number: int, *, aborted: bool = False
) -> tuple[list[Entry], Outcome]:
    """Return what a server wrote for a game, and how it ended."""
    name, second = f"{match.match}g{number}", 10 * int(match.match[1:]) + 3 * number
    assert match.ladder_context is not None
    board = opening_of(match.ladder_context.openings, TERMS.rules, number)
    written: list[Entry] = [GameOpened(name, match.match, number, at(second))]
    while board.ending is None and not aborted:
        pit = rng.choice(board.legal())
        ledger = LedgerEntry(pit, round(rng.random() * 900, 3), 0.0)
        info = rng.choice((None, Info(depth=3, comment="é")))
        written.append(MovePlayed(name, len(written) - 1, ledger, info, forced=False))
        board = board.sow(pit).board
    found = outcome(board)
    ended = (
        Outcome(None, board.settled().stores, Reason.ABORTED, None)
        if found is None
        else Outcome(found.winner, found.stores, found.reason, None)
    )
    return [*written, GameClosed(name, ended, at(second + 2), announcement(name))], ended


def ladder_match(
    rng: random.Random, number: int, *, finished: bool = True, aborted: int | None = None
) -> tuple[list[Entry], list[tuple[str, str, int | None]]]:
    """Return what a server wrote for a match, and its games: who sat where, and who won."""
    names = tuple(rng.sample(("ann", "bob", "cid"), 2))
    both = f"{names[0]}@1", names[1]
    context = LadderContext("main", both, OPENINGS if number % 2 else ())
    opened = MatchOpened(f"m{number}", (names[0], names[1]), TERMS, at(10 * number), context)
    written: list[Entry] = [opened]
    counted = []
    for place in range(TERMS.games if finished else 1):
        entries, ended = game(rng, opened, place, aborted=place == aborted)
        written += entries
        seats = both if place == 0 else both[::-1]
        if ended.reason is not Reason.ABORTED:
            counted.append((*seats, ended.winner))
    if finished:
        closed = MatchClosed(
            f"m{number}", (1.0, 1.0), at(10 * number + 9), announcement(f"x{number}")
        )
        written.append(closed)
    return written, counted


def write(place: str, entries: list[Entry]) -> None:
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(entries, transaction))


def export(place: str, file: Path) -> tuple[int, int]:
    contents, new = export_ladder(place, "main", file, server="club", progress=ignore)
    return contents.games, new


def records(place: str) -> list[object]:
    with closing(connect(place)) as connection:

        def read(transaction: Transaction) -> list[object]:
            found = transaction.execute(GAMES).scalars().all()
            return [record_of(transaction, each, "club") for each in found]

        return list(do(connection, read))


def test_games_come_back_with_all_that_they_count_for(tmp_path: Path) -> None:
    """Records, lists and totals are those of the store that they came from; so are the tallies."""
    rng = random.Random(SEED)
    source, target, file = place_of(tmp_path / "a"), place_of(tmp_path / "b"), tmp_path / "main.gz"
    entries, tally, pairs = [], Counter[tuple[str, str, int | None]](), 0
    for number in range(6):
        written, counted = ladder_match(rng, number, aborted=0 if number == 3 else None)
        entries += written
        tally.update(counted)
        pairs += len(counted) == 2
    write(source, entries)
    assert export(source, file) == (12, 12)
    contents, new = import_ladder(target, file, ignore)
    assert (contents.games, new) == (12, 12)
    assert import_ladder(target, file, ignore) == (contents, 0)
    assert records(target) == records(source)
    for query in ("SELECT * FROM players", "SELECT * FROM endings", "SELECT * FROM duels"):
        assert sorted(rows(target, query)) == sorted(rows(source, query))
    found = Counter[tuple[str, str, int | None]]()
    for first, second, *counts in rows(target, TALLIES):
        found.update(dict(zip([(first, second, who) for who in (0, None, 1)], counts, strict=True)))
    assert +found == tally
    counts = rows(target, "SELECT points_0, points_1, points_2, points_3, points_4 FROM pairs")
    assert sum(map(sum, counts)) == pairs
    assert export(target, file) == (12, 0)


def test_a_file_grows_by_what_was_played_since(tmp_path: Path) -> None:
    """A match under way is left for later, with all after it; an interrupted part is cut off."""
    rng = random.Random(SEED)
    place, file = place_of(tmp_path), tmp_path / "main.gz"
    running, _ = ladder_match(rng, 1, finished=False)
    write(place, [*ladder_match(rng, 0)[0], *running, *ladder_match(rng, 2)[0]])
    assert export(place, file) == (2, 2)
    assert export(place, file) == (2, 0)
    whole = file.read_bytes()
    file.write_bytes(whole + gzip.compress(b"half of a part" * 100)[:20])
    rest, _ = game(rng, running[0], 1)  # type: ignore[arg-type]  # the match opened
    write(place, [*rest, MatchClosed("m1", (1.0, 1.0), at(500), announcement("x1"))])
    assert export(place, file) == (6, 4)
    assert file.read_bytes().startswith(whole)
    plain = gzip.decompress(file.read_bytes())
    lines = [codec.from_json(line, dict[str, object]) for line in plain.splitlines()]
    assert [next(iter(line)) for line in lines] == [
        *("archive", "match", "through"),
        *("archive", "match", "match", "through"),
    ]


def test_a_file_goes_on_when_the_store_has_forgotten_what_is_in_it(tmp_path: Path) -> None:
    """Whatever is there then is newer."""
    rng = random.Random(SEED)
    place, file = place_of(tmp_path), tmp_path / "main.gz"
    write(place, ladder_match(rng, 0)[0])
    assert export(place, file) == (2, 2)
    write(place, ladder_match(rng, 1)[0])
    with closing(connect(place)) as connection:
        assert do(connection, forget_matches, at(10)) == 1
    assert export(place, file) == (4, 2)


def test_only_an_archive_of_the_same_ladder_and_store_is_continued(tmp_path: Path) -> None:
    """What is wrong is said in one sentence, and the file stays as it is."""
    rng = random.Random(SEED)
    place, other, file = place_of(tmp_path / "a"), place_of(tmp_path / "b"), tmp_path / "main.gz"
    write(place, ladder_match(rng, 5)[0])
    write(other, ladder_match(rng, 0)[0])
    with pytest.raises(StoreError, match="no game of a ladder blitz"):
        export_ladder(place, "blitz", file, server="club", progress=ignore)
    export(place, file)
    before = file.read_bytes()
    with pytest.raises(ArchiveFileError, match="goes on after the game m5g0, which is not in"):
        export(other, file)
    assert file.read_bytes() == before
    for text in (b"no gzip", gzip.compress(b"{}\n{}\n"), gzip.compress(b"")):
        file.write_bytes(text)
        with pytest.raises(ArchiveFileError, match="is not an archive of a ladder"):
            export(place, file)


def test_a_game_that_breaks_the_rules_is_not_taken(tmp_path: Path) -> None:
    """The file may come from any stranger; nothing of its part is stored."""
    rng = random.Random(SEED)
    source, target, file = place_of(tmp_path / "a"), place_of(tmp_path / "b"), tmp_path / "main.gz"
    write(source, ladder_match(rng, 0)[0])
    export(source, file)
    lines = gzip.decompress(file.read_bytes()).replace(b'"normal"', b'"majority"')
    file.write_bytes(gzip.compress(lines))
    with pytest.raises(ArchiveFileError, match="game m0g0: at ply"):
        import_ladder(target, file, ignore)
    assert rows(target, "SELECT count(*) FROM games") == [(0,)]
