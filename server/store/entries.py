"""Write journal entries, each kind in its way; all called in the writer's thread."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlalchemy import Delete, Insert, insert

from ..model import contests as events
from ..model import journal
from ..model.day_counts import Counted
from ..model.journal import Entry
from .database.schema import bans, day_counts, entrants, event_games, members, moves, switches
from .database.shapes import writer_of
from .database.statements import remove, upsert
from .database.writer import Transaction
from .rows import (
    contests,
    history,
    ladders,
    matches,
    orders,
    outbox,
    reviews,
    sealed,
    submissions,
    tokens,
)
from .upkeep import annulled, recount, renaming

PLAIN: Final[dict[type[Entry], Insert | Delete]] = {
    journal.MovePlayed: insert(moves),
    journal.LadderLeft: remove(members),
    journal.EntrantRated: upsert(entrants),
    journal.EntrantForgotten: remove(entrants),
    journal.Banned: upsert(bans),
    journal.Unbanned: remove(bans),
    journal.SwitchedOn: upsert(switches),
    journal.SwitchedOff: remove(switches),
    Counted: insert(day_counts),
    events.EventGameCounted: upsert(event_games),
}
"""Entries that are one row, which their fields make, or the key of a row that goes."""
WRITERS: Final[dict[type[Entry], Callable[[Any, Transaction], None]]] = {
    **{kind: writer_of(kind, statement) for kind, statement in PLAIN.items()},
    journal.SessionOpened: tokens.open_session,
    journal.SessionClosed: tokens.close_session,
    journal.LadderJoined: tokens.join_ladder,
    journal.MatchOpened: matches.open_match,
    journal.MatchClosed: matches.close_match,
    journal.GameOpened: matches.open_game,
    journal.GameClosed: matches.close_game,
    journal.Announced: lambda entry, transaction: outbox.announce(entry.announcement, transaction),
    journal.StandingsAnnounced: reviews.announce_standings,
    journal.RatingNoted: history.note,
    journal.SeatsTallied: ladders.tally,
    journal.PairsCounted: ladders.count_pairs,
    journal.ReviewQueued: reviews.queue,
    journal.ReviewDropped: reviews.drop,
    journal.Sealed: sealed.seal,
    journal.Revealed: sealed.reveal,
    journal.ReviewStored: reviews.keep,
    journal.AdminLogged: orders.log,
    journal.GamesMarked: annulled.mark,
    journal.Recounted: recount.rewrite,
    journal.BotRenamed: renaming.rename,
    journal.LadderMoved: renaming.rename_ladder,
    journal.SubmissionStored: submissions.keep,
    events.EventStepped: contests.step,
    events.EventEntrantsChanged: contests.enter,
    events.EventPaired: contests.pair,
    events.EventMade: contests.make,
    events.EventEdited: contests.edit,
    events.EventDeleted: contests.drop,
    events.EventImported: contests.bring_in,
}


def write_all(entries: Sequence[Entry], transaction: Transaction) -> None:
    for entry in entries:
        WRITERS[type(entry)](entry, transaction)


def name_of(entry: Entry) -> str:
    """Return an entry's kind and the id it concerns, for the log."""
    keys = ("game", "match", "subject", "ladder", "event", "name", "key")
    key = next((key for name in keys if (key := getattr(entry, name, None))), "")
    ply = f" ply {entry.ply}" if isinstance(entry, journal.MovePlayed) else ""
    return f"{type(entry).__name__} {key}{ply}".rstrip()
