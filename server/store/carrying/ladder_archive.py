"""Write the games of a ladder to a file, and read them into another store.

A file grows by what was played since it was written last. Only whole matches are written, and none
after one that is still under way, so each match is in one part.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path  # noqa: TID251  # the file that the caller names
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord, RecordError, verify
from mancala.protocol.rules import InvalidPositionError

from ...model.entrant import Entrant
from ...model.journal import EntrantRated, GameOpened
from ...model.match import Match, Terms
from ...model.pair_counts import PairCounts, by_name
from ..database.database import Access, connect
from ..database.faults import StoreError
from ..database.packed import StoredMove
from ..database.schema import entrants, games, matches, names
from ..database.shapes import as_text, row_of
from ..database.statements import changed, unless_there
from ..database.writer import Transaction
from ..rows import totals
from ..rows.game_lists import FIRST
from ..rows.ladders import ADD, points_row, tally_row
from ..rows.matches import OPEN_MATCH, end_game, end_match, match_row, open_game
from ..rows.played import PlayedMoves
from ..rows.records import record_of
from ..upkeep.annulled import MARK
from .archive_file import (
    VERSION,
    ArchivedMatch,
    ArchiveFileError,
    Contents,
    Head,
    Tail,
    append_part,
    contents_of,
    read_parts,
)

MATCHES_A_PART: Final = 500
ROWS_A_READ: Final = 1000

LISTED: Final = (
    select(
        *(games.c[name] for name in ("seq", "id", "number", "match", "began_at")),
        matches.c.ended_at,
    )
    .join_from(games, matches)
    .where(games.c.ladder == bindparam("ladder"), games.c.seq > bindparam("after"))
    .order_by(games.c.seq)
    .limit(ROWS_A_READ)
)
MATCH: Final = select(matches).where(matches.c.id == bindparam("key"))
GAMES_OF: Final = (
    select(games.c.id, games.c.annulled_at)
    .where(games.c.match == bindparam("key"))
    .order_by(games.c.number)
)
PLACE: Final = select(games.c.seq).where(games.c.id == bindparam("key"))
OLDEST: Final = (
    select(games.c.began_at).where(games.c.seq.is_not(None)).order_by(games.c.seq).limit(1)
)
MEET: Final = unless_there(entrants)

Progress = Callable[[int, int], None]


def export_ladder(
    place: str, ladder: str, file: Path, *, server: str, progress: Progress
) -> tuple[Contents, int]:
    """Write the games of a ladder to a file, after those that it has.

    Args:
        place: the path or URL of the store; a server may run on it.
        ladder: the ladder.
        file: the file; it is made if there is none.
        server: the server's name, for the records.
        progress: called with the number of games in the file, and how many there will be.

    Returns:
        What the file holds now, and how many games of it are new.

    Raises:
        StoreError: when the store can't be opened, or has nothing of this ladder.
        ArchiveFileError: when the file is not an archive of this ladder.
    """
    with closing(connect(place, Access.READ)) as connection, connection.begin():
        transaction = Transaction(connection)
        key = _key_of(transaction, ladder)
        contents = contents_of(file) if file.exists() else Contents()
        before = contents.games
        if contents.head is not None and contents.head.ladder != ladder:
            raise ArchiveFileError(f"{file} is an archive of the ladder {contents.head.ladder}")
        head = Head(VERSION, server, ladder)
        rows = _finished(transaction, key, _after(transaction, contents, head, file))
        total = _count(transaction, key)
        while part := list(islice(rows, MATCHES_A_PART)):
            found = [_archived(transaction, row.match, server) for row in part]
            tail = Tail(part[-1].id, part[-1].began_at)
            end = append_part(file, contents.size, head, found, tail)
            for match in found:
                contents = contents.with_match(match)
            contents = contents._replace(head=head, size=end, tail=tail)
            progress(contents.games, total)
        return contents, contents.games - before


def _key_of(transaction: Transaction, ladder: str) -> int:
    query = select(names.c.key).where(names.c.name == ladder)
    key = transaction.execute(query).scalar_one_or_none()
    if key is None or not _count(transaction, key):
        raise StoreError(f"no game of a ladder {ladder} is in the store")
    return int(key)


def _count(transaction: Transaction, ladder: int) -> int:
    query = select(func.count()).where(games.c.ladder == ladder, games.c.seq.is_not(None))
    return int(transaction.execute(query).scalar_one())


def _after(transaction: Transaction, contents: Contents, head: Head, file: Path) -> int:
    """Return the place of the last game that the file goes through."""
    tail = contents.tail
    if tail is None:
        return FIRST
    place = transaction.execute(PLACE, {"key": tail.through}).scalar_one_or_none()
    if place is not None:
        return int(place)
    oldest = transaction.execute(OLDEST).scalar_one_or_none()
    if contents.head == head and oldest is not None and oldest > tail.at:
        return FIRST
    raise ArchiveFileError(
        f"{file} goes on after the game {tail.through}, which is not in the store"
    )


def _finished(transaction: Transaction, ladder: int, after: int) -> Iterator[Any]:
    """Yield the first game of each match, up to the first match that is under way."""
    while rows := transaction.execute(LISTED, {"ladder": ladder, "after": after}).all():
        for row in rows:
            if row.ended_at is None:
                return
            if row.number == 0:
                yield row
        after = rows[-1].seq


def _archived(transaction: Transaction, match: str, server: str) -> ArchivedMatch:
    row = transaction.execute(MATCH, {"key": match}).mappings().one()
    found = transaction.execute(GAMES_OF, {"key": match}).all()
    records = tuple(
        record for game in found if (record := record_of(transaction, game.id, server)) is not None
    )
    openings = () if row["openings"] is None else codec.from_json(row["openings"], tuple[str, ...])
    return ArchivedMatch(
        match=match,
        names=(row["first"], row["second"]),
        entrants=(row["first_entrant"], row["second_entrant"]),
        openings=openings,
        rated=row["rated"],
        planned=row["games"],
        points=(row["first_points"], row["second_points"]),
        began_at=row["began_at"],
        ended_at=row["ended_at"],
        games=records,
        annulled={game.id: game.annulled_at for game in found if game.annulled_at is not None},
    )


# Reading


def import_ladder(place: str, file: Path, progress: Progress) -> tuple[Contents, int]:
    """Read the games of a file into a store that lacks them, each with what it counts for.

    Ratings follow from the games: the next fit of the ladder makes them.

    Args:
        place: the path or URL of the store; no server may run on it.
        file: the file.
        progress: called with the number of games read, and how many there are.

    Returns:
        What the file holds, and how many games of it were new.

    Raises:
        ArchiveFileError: when the file is not an archive, or states what can't be.
    """
    contents, read, added = contents_of(file), 0, 0
    if contents.head is None:
        raise ArchiveFileError(f"{file} has no game")
    with closing(connect(place, Access.OWN)) as connection:
        for part in read_parts(file):
            added += _add_part(connection, part.head.ladder, part.matches, file)
            read += sum(len(match.games) for match in part.matches)
            progress(read, contents.games)
    return contents, added


def _add_part(
    connection: Connection, ladder: str, found: Sequence[ArchivedMatch], file: Path
) -> int:
    added = 0
    with connection.begin():
        transaction = Transaction(connection)
        for match in found:
            if transaction.execute(MATCH, {"key": match.match}).first() is None and match.games:
                _check(match, file)
                _add(transaction, ladder, match)
                added += len(match.games)
        transaction.flush()
    return added


def _check(match: ArchivedMatch, file: Path) -> None:
    for record in match.games:
        try:
            if record.result is None or record.clock is None or record.ended_at is None:
                raise ArchiveFileError(f"{file}: game {record.game} has no result, clock or end")
            verify(record)
        except (RecordError, InvalidPositionError) as error:
            raise ArchiveFileError(f"{file}: game {record.game}: {error}") from None


def _add(transaction: Transaction, ladder: str, found: ArchivedMatch) -> None:
    begun = {
        **match_row(found.match, found.names, _terms(found), found.began_at),
        "ladder": ladder,
        "first_entrant": found.entrants[0],
        "second_entrant": found.entrants[1],
        "openings": as_text(found.openings or None),
    }
    transaction.put(OPEN_MATCH, begun)
    for number, record in enumerate(found.games):
        _add_game(transaction, found, number, record)
    end_match(transaction, found.match, found.points, found.ended_at)
    if found.rated:
        _rate(transaction, ladder, found)


def _terms(found: ArchivedMatch) -> Terms:
    first = found.games[0]
    return Terms(first.rules, first.clock or TimeControl(), found.rated, found.planned)


def _add_game(
    transaction: Transaction, match: ArchivedMatch, number: int, record: GameRecord
) -> None:
    open_game(GameOpened(record.game, match.match, number, str(record.started_at)), transaction)
    if record.result is None:
        raise ArchiveFileError(f"game {record.game} has no result")
    end_game(transaction, record.game, record.result, str(record.ended_at), _played(record))
    if annulled_at := match.annulled.get(record.game):
        transaction.put(MARK, changed(record.game, {"annulled_at": annulled_at}))
    else:
        totals.count(transaction, record.game)


def _played(record: GameRecord) -> PlayedMoves:
    made = [
        StoredMove(move.pit, move.elapsed_ms or 0.0, move.lag_ms, move.forced)
        for move in record.moves
    ]
    return PlayedMoves(made, [as_text(move.info) for move in record.moves])


def _rate(transaction: Transaction, ladder: str, found: ArchivedMatch) -> None:
    """Count a match as its ladder did, for the fit to begin with."""
    match = Match(found.match, found.names, _terms(found), found.began_at)
    for name in found.entrants:
        transaction.put(MEET, row_of(MEET, EntrantRated(ladder, Entrant(name))))
    for record in found.games:
        match.games.append(record.game)
        if record.result is None:
            continue
        match.count(record.result.winner, record.result.reason)
        if record.result.reason is not Reason.ABORTED and record.game not in found.annulled:
            _tally(transaction, ladder, match, found.entrants, record.result.winner)
            if not found.annulled:
                _pair(transaction, ladder, match, found.entrants)


def _tally(
    transaction: Transaction,
    ladder: str,
    match: Match,
    both: tuple[str, str],
    winner: int | None,
) -> None:
    seats = both[match.side(0)], both[match.side(1)]
    outcome = map(int, (winner == 0, winner is None, winner == 1))
    transaction.put(ADD, tally_row(ladder, seats, outcome))


def _pair(transaction: Transaction, ladder: str, match: Match, both: tuple[str, str]) -> None:
    points = match.counted_pair
    if points is None:
        return
    seats, seen = by_name(both, points)
    transaction.put(ADD, points_row(ladder, seats, PairCounts.of([seen]).counts))
