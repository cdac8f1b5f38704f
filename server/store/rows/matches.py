"""Matches and games in the store: begun, ended, and taken up again by the next server."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from msgspec import Struct
from sqlalchemy import RowMapping, insert, select

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.rules import Board, Rules

from ...model.journal import GameClosed, GameOpened, KeptMatch, MatchClosed, MatchOpened
from ...model.match import EventContext, LadderContext, Match, Terms, openings_in
from ..database.schema import RESULT, games, hidden_games, matches, meetings, sealed
from ..database.shapes import as_text, row_of
from ..database.statements import change, changed, upsert
from ..database.writer import Transaction
from . import totals
from .info import COUNT_INFO
from .listing import Listing, listing_of, next_place
from .outbox import announce
from .played import FORGET_ROWS, PlayedMoves, rows_of

OPEN_MATCH: Final = insert(matches)
MEET: Final = upsert(meetings)
CLOSE_MATCH: Final = change(matches, "first_points", "second_points", "ended_at")
OPEN_GAME: Final = insert(games)
HIDE: Final = insert(hidden_games)
CLOSE_GAME: Final = change(games, "ended_at", *RESULT, "info_bytes", "plies", "packed", "infos")


def open_match(entry: MatchOpened, transaction: Transaction) -> None:
    """Write a match, and who met whom last in its ladder."""
    ladder, event = entry.ladder_context, entry.event_context
    first, second = (None, None) if ladder is None else ladder.entrants
    openings = [board.text for board in openings_in(entry.terms, ladder or event)]
    transaction.put(
        OPEN_MATCH,
        {
            **match_row(entry.match, entry.names, entry.terms, entry.at),
            "ladder": ladder and ladder.ladder,
            "first_entrant": first,
            "second_entrant": second,
            "openings": as_text(openings) if openings else None,
            "event": event and event.event,
            "event_game": event and event.game,
        },
    )
    if ladder is not None:
        for name, other in (entry.names, entry.names[::-1]):
            transaction.put(MEET, {"ladder": ladder.ladder, "name": name, "other": other})


def match_row(match: str, names: tuple[str, str], terms: Terms, at: str) -> dict[str, object]:
    """Return what each match has in its row when it begins."""
    return {
        "id": match,
        "first": names[0],
        "second": names[1],
        "rules": text_of(terms.rules),
        "clock": text_of(terms.clock),
        "rated": terms.rated,
        "games": terms.games,
        "began_at": at,
    }


def close_match(entry: MatchClosed, transaction: Transaction) -> None:
    """Write the end of a match, and announce its result."""
    end_match(transaction, entry.match, entry.points, entry.at)
    announce(entry.result, transaction)


def end_match(
    transaction: Transaction, match: str, points: tuple[float, float], at: str | None
) -> None:
    first, second = points
    ended = {"first_points": first, "second_points": second, "ended_at": at}
    transaction.put(CLOSE_MATCH, changed(match, ended))


def open_game(entry: GameOpened, transaction: Transaction) -> None:
    """Write a game, with its place in the lists; of a hidden one that is kept apart."""
    listing, place = Listing(), None
    if entry.is_hidden:
        transaction.put(HIDE, {"game": entry.game, "seq": next_place(transaction)})
    else:
        listing = listing_of(transaction, entry.match, entry.number)
        place = next_place(transaction)
    transaction.put(
        OPEN_GAME,
        {
            "id": entry.game,
            "match": entry.match,
            "number": entry.number,
            "began_at": entry.at,
            "seq": place,
            **listing._asdict(),
        },
    )


def close_game(entry: GameClosed, transaction: Transaction) -> None:
    """Write the end of a game, pack its moves, count it, and announce its result."""
    end_game(transaction, entry.game, entry.ended, entry.at, rows_of(transaction, entry.game))
    transaction.put(FORGET_ROWS, {"key": entry.game})
    totals.count(transaction, entry.game)
    announce(entry.result, transaction)


def end_game(
    transaction: Transaction, game: str, ended: Outcome, at: str, played: PlayedMoves
) -> None:
    """Write how a game ended, and its moves as one value."""
    how = row_of(CLOSE_GAME, ended, ended_at=at, info_bytes=played.info_bytes)
    transaction.put(CLOSE_GAME, changed(game, how | played.columns))
    if played.info_bytes:
        transaction.put(COUNT_INFO, {"added": played.info_bytes})


class SealedEnd(Struct):
    ended: Outcome


def unfinished(transaction: Transaction) -> list[KeptMatch]:
    """Return the matches that are not over, as the previous process left them."""
    is_over = select(sealed.c.subject).where(sealed.c.kind == MatchClosed.__name__)
    query = select(matches).where(matches.c.ended_at.is_(None), matches.c.id.not_in(is_over))
    rows = transaction.execute(query).mappings().all()
    hidden = {
        row.subject: codec.from_json(row.entry, SealedEnd).ended
        for row in transaction.execute(select(sealed).where(sealed.c.kind == GameClosed.__name__))
    }
    return [_kept(transaction, row, hidden) for row in rows]


def _kept(transaction: Transaction, row: RowMapping, hidden: Mapping[str, Outcome]) -> KeptMatch:
    match = match_of(row)
    query = select(games).where(games.c.match == match.id).order_by(games.c.number)
    last = None
    for game in transaction.execute(query).mappings():
        match.games.append(game["id"])
        if (ended := hidden.get(game["id"])) is not None:
            match.count(ended.winner, ended.reason)
        elif game["ended_at"] is not None:
            match.count(game["winner"], Reason(game["reason"]))
        last = game
    if last is None or last["ended_at"] is not None or last["id"] in hidden:
        return KeptMatch(match, running=False, began_at=row["began_at"], moves=())
    played = tuple(
        LedgerEntry(move.pit, move.elapsed_ms, move.lag_ms)
        for move in rows_of(transaction, last["id"]).moves
    )
    return KeptMatch(match, running=True, began_at=last["began_at"], moves=played)


def text_of(terms: Rules | TimeControl) -> str:
    """Return rules or a clock as JSON, without what is as by default: each match has a copy."""
    differing = (each.name for each in fields(terms) if getattr(terms, each.name) != each.default)
    return codec.to_json({name: getattr(terms, name) for name in differing}).decode()


def match_of(row: RowMapping) -> Match:
    rules, clock = codec.from_json(row["rules"], Rules), codec.from_json(row["clock"], TimeControl)
    openings = openings_of(row["openings"], rules)
    ladder = event = own = None
    if row["ladder"] is not None:
        entrants = row["first_entrant"], row["second_entrant"]
        ladder = LadderContext(row["ladder"], entrants, openings)
    if row["event"] is not None:
        event = EventContext(row["event"], row["event_game"], openings)
    if openings and ladder is None and event is None:
        own = openings[0]
    return Match(
        *(row["id"], (row["first"], row["second"])),
        Terms(rules, clock, row["rated"], row["games"], own),
        row["began_at"],
        ladder_context=ladder,
        event_context=event,
    )


def openings_of(text: str | None, rules: Rules) -> tuple[Board, ...]:
    """Return the openings of a match, one for each pair of games."""
    literals = () if text is None else codec.from_json(text, tuple[str, ...])
    return tuple(Board.from_state(Board.from_text(each).state, rules) for each in literals)
