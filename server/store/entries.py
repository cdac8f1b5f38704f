"""Write journal entries: one function per kind, all called in the writer's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import astuple, replace
from sqlalchemy import ColumnClause, bindparam, delete, insert, literal_column, update

from mancala.protocol import codec

from ..model.contests import (
    EventEntrantsChanged,
    EventGameCounted,
    EventImported,
    EventMade,
    EventPaired,
    EventStepped,
)
from ..model.day_counts import Counted
from ..model.journal import (
    AdminLogged,
    Announced,
    Announcement,
    Banned,
    BotRenamed,
    EntrantForgotten,
    EntrantRated,
    Entry,
    GameClosed,
    GameOpened,
    GamesMarked,
    LadderJoined,
    LadderLeft,
    LadderMoved,
    MatchClosed,
    MatchOpened,
    MovePlayed,
    PairsCounted,
    RatingNoted,
    Recounted,
    ReviewDropped,
    ReviewQueued,
    ReviewStored,
    SeatsTallied,
    SessionClosed,
    SessionOpened,
    StandingsAnnounced,
    SubmissionStored,
    SwitchedOff,
    SwitchedOn,
    Unbanned,
)
from ..model.match import openings_in
from .database.listing import listing_of, next_place
from .database.mappers import openings_text, text_of
from .database.pair_rows import SET_POINTS, SET_TALLY, outcomes_from, points_row, tally_row
from .database.schema import (
    counters,
    entrants,
    games,
    matches,
    meetings,
    members,
    moves,
    outbox,
    sessions,
)
from .database.upsert import upsert
from .database.writer import Transaction
from .rows import contests, day_counts, history, orders, reviews, submissions, tokens, totals
from .rows.info import COUNT_INFO
from .rows.played import FORGET_ROWS, rows_of
from .upkeep import annulled, recount, renaming, seasons

OPEN_SESSION: Final = insert(sessions)
CLOSE_SESSION: Final = delete(sessions).where(sessions.c.secret_hash == bindparam("key"))
LEAVE_ALL: Final = delete(members).where(members.c.secret_hash == bindparam("key"))
OPEN_MATCH: Final = insert(matches)
MEET: Final = upsert(meetings)
CLOSE_MATCH: Final = (
    update(matches)
    .where(matches.c.id == bindparam("key"))
    .values(
        first_points=bindparam("new_first"),
        second_points=bindparam("new_second"),
        ended_at=bindparam("new_ended_at"),
    )
)
OPEN_GAME: Final = insert(games)
CLOSE_GAME: Final = (
    update(games)
    .where(games.c.id == bindparam("key"))
    .values(
        {
            name: bindparam(f"new_{name}")
            for name in (
                *("ended_at", "winner", "south_store", "north_store", "reason", "evidence"),
                *("info_bytes", "plies", "packed", "infos"),
            )
        }
    )
)
PLAY_MOVE: Final = insert(moves)
ANNOUNCE: Final = insert(outbox)
SUPERSEDE: Final = delete(outbox).where(
    outbox.c.is_retained.is_(True), outbox.c.topic == bindparam("key")
)
ENDS_AT: Final[ColumnClause[int]] = literal_column(
    "(SELECT ends_at FROM outbox ORDER BY seq DESC LIMIT 1)"
)
COUNT: Final = (
    update(counters)
    .where(counters.c.name == literal_column("'seq'"))
    .values(value=counters.c.value + literal_column("1"))
    .returning(counters.c.value, ENDS_AT)
)

JOIN: Final = insert(members)
LEAVE: Final = delete(members).where(
    members.c.ladder == bindparam("key_ladder"), members.c.secret_hash == bindparam("key_hash")
)
RATE: Final = upsert(entrants)
FORGET_ENTRANT: Final = delete(entrants).where(
    entrants.c.ladder == bindparam("key_ladder"), entrants.c.name == bindparam("key_name")
)


def write_all(entries: Sequence[Entry], transaction: Transaction) -> None:
    """Write the entries, in order."""
    for entry in entries:
        WRITERS[type(entry)](entry, transaction)


def _open_session(entry: SessionOpened, transaction: Transaction) -> None:
    if not entry.is_own and _is_refused(entry, transaction):
        return  # revoked or reserved since it was checked; housekeeping ends what is not kept
    transaction.put(
        OPEN_SESSION,
        {
            "secret_hash": entry.secret_hash,
            "name": entry.name,
            "agent": as_text(entry.agent),
            "is_guest": entry.token is None and not entry.is_own,
        },
    )


def _is_refused(entry: SessionOpened, transaction: Transaction) -> bool:
    return tokens.problem(transaction, entry.name, entry.token, lock=True) is not None


def _close_session(entry: SessionClosed, transaction: Transaction) -> None:
    transaction.put(CLOSE_SESSION, {"key": entry.secret_hash})
    transaction.put(LEAVE_ALL, {"key": entry.secret_hash})


def _open_match(entry: MatchOpened, transaction: Transaction) -> None:
    terms, ladder, event = entry.terms, entry.ladder_context, entry.event_context
    first, second = (None, None) if ladder is None else ladder.entrants
    transaction.put(
        OPEN_MATCH,
        {
            "id": entry.match,
            "first": entry.names[0],
            "second": entry.names[1],
            "rules": text_of(terms.rules),
            "clock": text_of(terms.clock),
            "rated": terms.rated,
            "games": terms.games,
            "began_at": entry.at,
            "ladder": ladder and ladder.ladder,
            "first_entrant": first,
            "second_entrant": second,
            "openings": openings_text(openings_in(terms, ladder or event)),
            "event": event and event.event,
            "event_game": event and event.game,
        },
    )
    if ladder is not None:
        for name, other in (entry.names, entry.names[::-1]):
            transaction.put(MEET, {"ladder": ladder.ladder, "name": name, "other": other})


def _close_match(entry: MatchClosed, transaction: Transaction) -> None:
    first, second = entry.points
    transaction.put(
        CLOSE_MATCH,
        {
            "key": entry.match,
            "new_first": first,
            "new_second": second,
            "new_ended_at": entry.at,
        },
    )
    _announce(entry.result, transaction)


def _open_game(entry: GameOpened, transaction: Transaction) -> None:
    listing = listing_of(transaction, entry.match, entry.number)
    transaction.put(
        OPEN_GAME,
        {
            "id": entry.game,
            "match": entry.match,
            "number": entry.number,
            "began_at": entry.at,
            "seq": next_place(transaction),
            **listing._asdict(),
        },
    )


def _close_game(entry: GameClosed, transaction: Transaction) -> None:
    winner, stores, reason, evidence = astuple(entry.ended)
    played = rows_of(transaction, entry.game)
    transaction.put(
        CLOSE_GAME,
        {
            "key": entry.game,
            "new_ended_at": entry.at,
            "new_winner": winner,
            "new_south_store": stores[0],
            "new_north_store": stores[1],
            "new_reason": str(reason),
            "new_evidence": as_text(evidence),
            "new_info_bytes": played.info_bytes,
            **{f"new_{name}": value for name, value in played.columns.items()},
        },
    )
    transaction.put(FORGET_ROWS, {"key": entry.game})
    if played.info_bytes:
        transaction.put(COUNT_INFO, {"added": played.info_bytes})
    totals.count(transaction, entry.game, totals.Finished(winner, str(reason), entry.at))
    _announce(entry.result, transaction)


def _play_move(played: MovePlayed, transaction: Transaction) -> None:
    transaction.put(
        PLAY_MOVE,
        {
            "game": played.game,
            "ply": played.ply,
            "pit": played.entry.pit,
            "elapsed_ms": played.entry.elapsed_ms,
            "lag_ms": played.entry.lag_ms,
            "forced": played.forced,
            "info": played.info and as_text(played.info),
        },
    )


def _announce(announcement: Announcement, transaction: Transaction) -> None:
    [(seq, begins_at)] = transaction.fetch(COUNT, {})
    payload = codec.to_json(replace(announcement.payload, seq=seq))
    if announcement.is_retained:
        transaction.put(SUPERSEDE, {"key": announcement.topic})
    transaction.put(
        ANNOUNCE,
        {
            "seq": seq,
            "event_id": announcement.event_id,
            "topic": announcement.topic,
            "payload": payload.decode(),
            "is_retained": announcement.is_retained,
            "ends_at": (begins_at or 0) + len(payload),
        },
    )


def _announce_too(entry: Announced, transaction: Transaction) -> None:
    _announce(entry.announcement, transaction)


def _log_act(entry: AdminLogged, transaction: Transaction) -> None:
    orders.log(entry, transaction)
    if entry.announcement is not None:
        _announce(entry.announcement, transaction)


def _announce_standings(entry: StandingsAnnounced, transaction: Transaction) -> None:
    _announce(reviews.with_accuracies(transaction, entry.ladder, entry.result), transaction)


def _join(entry: LadderJoined, transaction: Transaction) -> None:
    if tokens.is_session_kept(transaction, entry.secret_hash, lock=True):  # not ended meanwhile
        transaction.put(JOIN, {"ladder": entry.ladder, "secret_hash": entry.secret_hash})


def _leave(entry: LadderLeft, transaction: Transaction) -> None:
    transaction.put(LEAVE, {"key_ladder": entry.ladder, "key_hash": entry.secret_hash})


def _rate(entry: EntrantRated, transaction: Transaction) -> None:
    entrant = entry.entrant
    until, reason = entrant.quarantine or (None, None)
    transaction.put(
        RATE,
        {
            "ladder": entry.ladder,
            "name": entrant.name,
            "elo": entrant.live.elo,
            "deviation": entrant.live.deviation,
            "volatility": entrant.live.volatility,
            "strikes": entrant.penalties,
            "quarantined_until": until,
            "quarantine_reason": reason,
        },
    )


def _forget_entrant(entry: EntrantForgotten, transaction: Transaction) -> None:
    transaction.put(FORGET_ENTRANT, {"key_ladder": entry.ladder, "key_name": entry.name})


def _tally(entry: SeatsTallied, transaction: Transaction) -> None:
    row = tally_row(entry.ladder, entry.seats, entry.tally)
    transaction.put(SET_TALLY[outcomes_from(entry.seats)], row)


def _count_pairs(entry: PairsCounted, transaction: Transaction) -> None:
    transaction.put(SET_POINTS, points_row(entry.ladder, entry.seats, entry.counts.counts))


def _keep_review(entry: ReviewStored, transaction: Transaction) -> None:
    announcement = reviews.keep(entry, transaction)
    if announcement is not None:
        _announce(announcement, transaction)


def name_of(entry: Entry) -> str:
    """Return an entry's kind and the id it concerns, for the log."""
    keys = (
        getattr(entry, key, None) for key in ("game", "match", "ladder", "event", "name", "key")
    )
    key = next((key for key in keys if key), "")
    ply = f" ply {entry.ply}" if isinstance(entry, MovePlayed) else ""
    return f"{type(entry).__name__} {key}{ply}".rstrip()


def as_text(part: object | None) -> str | None:
    """Return a part of an entry as JSON; None stays None."""
    return None if part is None else codec.to_json(part).decode()


WRITERS: Final[dict[type[Entry], Callable[[Any, Transaction], None]]] = {
    SessionOpened: _open_session,
    SessionClosed: _close_session,
    MatchOpened: _open_match,
    MatchClosed: _close_match,
    GameOpened: _open_game,
    GameClosed: _close_game,
    MovePlayed: _play_move,
    Announced: _announce_too,
    StandingsAnnounced: _announce_standings,
    LadderJoined: _join,
    LadderLeft: _leave,
    EntrantRated: _rate,
    RatingNoted: history.note,
    SeatsTallied: _tally,
    PairsCounted: _count_pairs,
    ReviewQueued: reviews.queue,
    ReviewDropped: reviews.drop,
    ReviewStored: _keep_review,
    Counted: day_counts.write,
    Banned: orders.ban,
    Unbanned: orders.unban,
    SwitchedOn: orders.switch_on,
    SwitchedOff: orders.switch_off,
    AdminLogged: _log_act,
    GamesMarked: annulled.mark,
    EntrantForgotten: _forget_entrant,
    Recounted: recount.rewrite,
    BotRenamed: renaming.rename,
    LadderMoved: seasons.move,
    EventStepped: contests.step,
    EventEntrantsChanged: contests.enter,
    EventPaired: contests.pair,
    EventGameCounted: contests.count,
    EventMade: contests.make,
    EventImported: contests.bring_in,
    SubmissionStored: submissions.keep,
}
