"""Reviews in the store: what waits for one, what a game's review is, and what they add up to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar, cast

from msgspec.structs import replace
from sqlalchemy import RowMapping, bindparam, delete, func, insert, or_, select

from mancala.protocol import codec
from mancala.protocol.accuracy import Phase, Sums, figures
from mancala.protocol.results import LadderStandings, VersionAccuracy
from mancala.protocol.review import GameReview, ReviewedGame
from mancala.protocol.rules import Rules

from ...model.entrant import entrant_name
from ...model.journal import (
    Announcement,
    ReviewDropped,
    ReviewQueued,
    ReviewStored,
    StandingsAnnounced,
)
from ...model.match import opening_of
from ...model.review.packed_reviews import review_in, unpack_sums
from ...model.review.puzzles import free_day
from ...model.review.reviews import (
    MOST_PLIES,
    QueuedReview,
    ReviewableGame,
    ReviewKey,
    UnreviewedGame,
    Urgency,
)
from ...model.schemas.analysis import DailyPuzzle, Puzzle
from ...model.schemas.bots import LadderAccuracy
from ...model.timestamps import instant_of, milliseconds_of
from ..database.schema import accuracies, games, matches, puzzles, reviews
from ..database.shapes import row_of, things
from ..database.statements import accumulate, change, changed
from ..database.writer import Transaction
from .matches import openings_of
from .outbox import announce
from .played import moves_of
from .tokens import may_review

T = TypeVar("T")

FORGOTTEN_PER_CALL: Final = 200
NO_LADDER: Final = ""

QUEUE: Final = insert(reviews)
DROP: Final = delete(reviews).where(reviews.c.game == bindparam("key"), reviews.c.version.is_(None))
KNOWN: Final = select(
    *(reviews.c[name] for name in ("version", "proven", "sums", "body")),
    *(reviews.c[name] for name in ("ladder", "first", "second", "ended_ms")),
).where(reviews.c.game == bindparam("key"))
ANNULLED: Final = select(games.c.annulled_at).where(games.c.id == bindparam("key"))
FILL: Final = change(reviews, "version", "proven", "reviewer", "sums", "body")
BODY: Final = select(reviews.c.body, reviews.c.sums).where(reviews.c.game == bindparam("key"))
WAITING: Final = (
    select(reviews.c.game, reviews.c.urgency, reviews.c.ended_ms)
    .where(reviews.c.version.is_(None))
    .order_by(reviews.c.urgency, reviews.c.ended_ms.desc())
)
VERSION_BELOW: Final = select(func.max(reviews.c.version)).where(
    reviews.c.version < bindparam("version")
)
OF_VERSION: Final = (
    select(reviews.c.game, reviews.c.ended_ms)
    .where(reviews.c.version == bindparam("version"))
    .order_by(reviews.c.ended_ms.desc())
)
UNREVIEWED: Final = (
    select(
        *(games.c[name] for name in ("id", "number", "ended_at")),
        *(matches.c[name] for name in ("first", "second", "first_entrant", "second_entrant")),
        *(matches.c[name] for name in ("ladder", "rules")),
    )
    .join_from(games, matches)
    .outerjoin(reviews, reviews.c.game == games.c.id)
    .where(reviews.c.game.is_(None))
)
IDS_PER_QUERY: Final = 500
LATEST: Final = (
    select(*(reviews.c[name] for name in ReviewKey._fields))
    .where(reviews.c.version == select(func.max(reviews.c.version)).scalar_subquery())
    .order_by(reviews.c.ended_ms.desc())
)
REVIEWED: Final = select(reviews.c.game).where(
    reviews.c.game.in_(bindparam("keys", expanding=True)), reviews.c.version.is_not(None)
)
ADD_SUMS: Final = accumulate(accuracies)
ACCURACIES: Final = select(accuracies).where(
    accuracies.c.ladder == bindparam("key_ladder"),
    accuracies.c.name.in_(bindparam("key_names", expanding=True)),
)


# Writing


def queue(entry: ReviewQueued, transaction: Transaction) -> None:
    first, second = entry.entrants
    transaction.put(
        QUEUE,
        {
            "game": entry.waiting.game,
            "ladder": entry.ladder,
            "first": first,
            "second": second,
            "urgency": int(entry.waiting.urgency),
            "ended_ms": milliseconds_of(entry.waiting.ended_at),
        },
    )


def drop(entry: ReviewDropped, transaction: Transaction) -> None:
    transaction.put(DROP, {"key": entry.game})


def keep(entry: ReviewStored, transaction: Transaction) -> None:
    """Store a review and announce it, unless there is one that is as good."""
    found = transaction.execute(KNOWN, {"key": entry.game}).mappings().one_or_none()
    review = entry.finished.review
    rank = review.version, review.proven
    if found is None or (found["version"] or 0, found["proven"] or 0.0) >= rank:
        return
    if transaction.execute(ANNULLED, {"key": entry.game}).scalar_one() is not None:
        return
    ladder, names = found["ladder"] or NO_LADDER, (found["first"], found["second"])
    if found["version"] is not None:
        _add(transaction, ladder, names, unpack_sums(found["body"], found["sums"]), sign=-1)
    elif entry.finished.puzzle is not None:
        ended_at = instant_of(found["ended_ms"])
        offer_puzzle(transaction, entry.finished.puzzle, entry.at, ended_at)
    _add(transaction, ladder, names, entry.finished.sums, sign=1)
    body = {"sums": None, "body": entry.finished.body}
    facts = {"version": review.version, "proven": review.proven, "reviewer": entry.reviewer}
    transaction.put(FILL, changed(entry.game, facts | body))
    known = tuple(accuracies_of(transaction, ladder, names).values())
    announce(_with(entry.result, accuracy=known), transaction)


def announce_standings(entry: StandingsAnnounced, transaction: Transaction) -> None:
    payload = cast("LadderStandings", entry.result.payload)
    known = accuracies_of(transaction, entry.ladder, [row.name for row in payload.standings])
    rows = tuple(
        replace(row, accuracy=known[row.name].phases) if row.name in known else row
        for row in payload.standings
    )
    announce(_with(entry.result, standings=rows), transaction)


def _with(announcement: Announcement, **members: object) -> Announcement:
    return announcement._replace(payload=replace(announcement.payload, **members))


def forget_excess(transaction: Transaction, most: int) -> bool:
    """Forget some games that wait beyond a bound, the last in line; return whether any did."""
    query = WAITING.offset(most).limit(FORGOTTEN_PER_CALL)
    excess = [row.game for row in transaction.execute(query)]
    for game in excess:
        transaction.put(DROP, {"key": game})
    return bool(excess)


def _add(
    transaction: Transaction,
    ladder: str,
    names: tuple[str, str],
    added: Iterable[Mapping[Phase, Sums]],
    *,
    sign: int,
) -> None:
    for name, by_phase in zip(names, added, strict=True):
        for phase, sums in by_phase.items():
            key = {"ladder": ladder, "name": name, "phase": str(phase)}
            transaction.put(ADD_SUMS, {**key, **Sums().plus(sums, sign)._asdict()})


def recount(transaction: Transaction, game: str, *, sign: int) -> None:
    """Take a game's review out of the accuracies with ``sign`` -1, or add it again with 1.

    A game that does not count waits for no review; one that counts again is queued by an entry of
    its own (:func:`unreviewed`).
    """
    found = transaction.execute(KNOWN, {"key": game}).mappings().one_or_none()
    if found is not None and found["version"] is not None:
        ladder, names = found["ladder"] or NO_LADDER, (found["first"], found["second"])
        _add(transaction, ladder, names, unpack_sums(found["body"], found["sums"]), sign=sign)
    elif sign < 0:
        transaction.put(DROP, {"key": game})


# Reading


def number_waiting(transaction: Transaction) -> int:
    query = select(func.count()).select_from(reviews).where(reviews.c.version.is_(None))
    count: int = transaction.execute(query).scalar_one()
    return count


def waiting(transaction: Transaction, limit: int) -> list[QueuedReview]:
    rows = transaction.execute(WAITING.limit(limit))
    return [QueuedReview(row.game, row.urgency, instant_of(row.ended_ms)) for row in rows]


def outdated(transaction: Transaction, version: int, limit: int) -> list[QueuedReview]:
    """Return games that have only a review below a version, the newest first."""
    found: list[QueuedReview] = []
    below = transaction.execute(VERSION_BELOW, {"version": version}).scalar()
    while below is not None:
        rows = transaction.execute(OF_VERSION.limit(limit), {"version": below})
        found += [
            QueuedReview(row.game, Urgency.AGAIN, instant_of(row.ended_ms), below) for row in rows
        ]
        below = transaction.execute(VERSION_BELOW, {"version": below}).scalar()
    return sorted(found, key=lambda review: review.ended_at, reverse=True)[:limit]


def reviewable(transaction: Transaction, game: str) -> ReviewableGame | None:
    """Return a finished game; None when there is none, or one of more than `MOST_PLIES`."""
    columns = (matches.c[name] for name in ("rules", "openings", "first", "second", "ladder"))
    query = (
        select(games.c.number, games.c.winner, *columns)
        .join_from(games, matches)
        .where(games.c.id == game, games.c.ended_at.is_not(None))
    )
    row = transaction.execute(query).mappings().one_or_none()
    if row is None:
        return None
    pits = tuple(move.pit for move in moves_of(transaction, game).moves)
    if len(pits) > MOST_PLIES:
        return None
    rules = codec.from_json(row["rules"], Rules)
    boards = [opening_of(openings_of(row["openings"], rules), rules, row["number"])]
    for pit in pits:
        boards.append(boards[-1].sow(pit).board)
    winner = row["winner"]
    names = (row["first"], row["second"])
    if row["number"] % 2:
        names = names[::-1]
    loser = None if winner is None else 1 - winner
    played = ReviewedGame(game, boards, pits, loser)
    days = transaction.execute(PUZZLE_DAYS.limit(2)).scalars()
    return ReviewableGame(played, names, row["ladder"], tuple(days))


def unreviewed(transaction: Transaction, ids: Sequence[str]) -> list[UnreviewedGame]:
    """Return those of some finished games that neither have a review nor wait for one."""
    found: list[UnreviewedGame] = []
    for begin in range(0, len(ids), IDS_PER_QUERY):
        query = UNREVIEWED.where(games.c.id.in_(ids[begin : begin + IDS_PER_QUERY]))
        found += map(_unreviewed, transaction.execute(query).mappings())
    return found


def _unreviewed(row: RowMapping) -> UnreviewedGame:
    names = row["first_entrant"] or row["first"], row["second_entrant"] or row["second"]
    entrants = names if row["number"] % 2 == 0 else (names[1], names[0])
    rules = codec.from_json(row["rules"], Rules)
    return UnreviewedGame(row["id"], row["ended_at"], rules, entrants, row["ladder"])


def review_of(transaction: Transaction, game: str) -> GameReview | None:
    row: Any = transaction.execute(BODY, {"key": game}).one_or_none()
    if row is None:
        raise LookupError(game)
    found = reviewable(transaction, game)
    return None if row.body is None or found is None else review_in(row.body, found.played)


def latest(transaction: Transaction, limit: int) -> list[ReviewKey]:
    """Return which reviews of the newest version there are, the latest game first."""
    return [ReviewKey._make(row) for row in transaction.execute(LATEST.limit(limit))]


def reviewed(transaction: Transaction, names: Iterable[str]) -> frozenset[str]:
    return frozenset(transaction.execute(REVIEWED, {"keys": tuple(names)}).scalars())


def accuracies_of(
    transaction: Transaction, ladder: str, names: Iterable[str]
) -> dict[str, VersionAccuracy]:
    """Return the accuracy of versions in a ladder, by name; without those that have none."""
    found: dict[str, dict[Phase, Sums]] = {name: {} for name in names}
    keys = {"key_ladder": ladder, "key_names": tuple(found)}
    for row in transaction.execute(ACCURACIES, keys).mappings():
        sums = Sums(*(row[name] for name in Sums._fields))
        found[row["name"]][Phase(row["phase"])] = sums
    return {
        name: VersionAccuracy(name, phases)
        for name, by_phase in found.items()
        if (phases := _figures(by_phase))
    }


def accuracies_of_bot(transaction: Transaction, bot: str) -> tuple[LadderAccuracy, ...]:
    name, stem = accuracies.c.name, entrant_name(bot, None)
    is_its = or_(name == stem, name.startswith(f"{stem}@", autoescape=True))
    query = select(accuracies.c.ladder, name).where(is_its).distinct().order_by("ladder", "name")
    return tuple(
        LadderAccuracy(ladder=row.ladder or None, name=each.name, phases=each.phases)
        for row in transaction.execute(query).all()
        for each in accuracies_of(transaction, row.ladder, [row.name]).values()
    )


class Ask(Protocol):
    """Asks the store; see :meth:`mancala.server.store.store.Store.ask`."""

    def __call__(
        self, what: str, act: Callable[[Transaction], T], answer: Callable[[T | None], None]
    ) -> None:
        """Run ``act``, then ``answer`` with its result, or with None if the store refused."""


class StoredReviews:
    """What the store knows of reviews; answers come later, on the event loop."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def may_review(self, name: str, answer: Callable[[bool | None], None]) -> None:
        self._ask("right to review", lambda found: may_review(found, name), answer)

    def waiting(self, limit: int, answer: Callable[[list[QueuedReview] | None], None]) -> None:
        self._ask("games to review", lambda found: waiting(found, limit), answer)

    def outdated(
        self, version: int, limit: int, answer: Callable[[list[QueuedReview] | None], None]
    ) -> None:
        self._ask("games to review again", lambda found: outdated(found, version, limit), answer)

    def reviewable(self, game: str, answer: Callable[[ReviewableGame | None], None]) -> None:
        self._ask("game to review", lambda found: reviewable(found, game), answer)


def _figures(by_phase: Mapping[Phase, Sums]) -> tuple[Any, ...]:
    made = (figures(phase, by_phase.get(phase, Sums())) for phase in Phase)
    return tuple(each for each in made if each is not None)


# The puzzles of days: chosen once, when a review is stored, and never changed

KEEP_PUZZLE: Final = insert(puzzles)
PUZZLE_DAYS: Final = select(puzzles.c.day).order_by(puzzles.c.day.desc())
NUMBERED: Final = select(func.coalesce(func.max(puzzles.c.number), 0))
LATEST_FIRST: Final = select(puzzles).order_by(puzzles.c.day.desc())


def offer_puzzle(transaction: Transaction, puzzle: Puzzle, at: str, ended_at: str) -> None:
    """Take a puzzle that was found at a time for that day or the next, if one has none yet."""
    taken = transaction.execute(PUZZLE_DAYS.where(puzzles.c.day >= at[:10])).scalars().all()
    day = free_day(taken, at[:10])
    if day is not None:
        number = transaction.execute(NUMBERED).scalar_one() + 1
        kept = DailyPuzzle(day, number, replace(puzzle, ended_at=ended_at))
        transaction.put(KEEP_PUZZLE, row_of(KEEP_PUZZLE, kept))


def puzzles_until(transaction: Transaction, day: str, limit: int) -> list[DailyPuzzle]:
    """Return the puzzles of a day and of those before it, the latest first."""
    return things(transaction, DailyPuzzle, LATEST_FIRST.where(puzzles.c.day <= day).limit(limit))
