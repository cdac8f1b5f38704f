"""The tables, as SQLAlchemy Core sees them; a new store is made of them.

Those whose rows are instances of a class have its fields as columns (``shapes.py``).

Times are RFC 3339 texts in UTC, as they are published. Rules, clocks, agents, evidence and infos
are JSON texts written and read by the codec, since they are never searched.
"""

from typing import Any, Final

import sqlalchemy as sa

from mancala.protocol.accuracy import Sums
from mancala.protocol.messages import Outcome

from ...model.contests import EntrantRow, EventGameRow, EventLogLine, PairingRow
from ...model.credentials import Credential
from ...model.day_counts import Counted
from ...model.game import Tally
from ...model.journal import EntrantRated, KeptSession, LadderJoined, MovePlayed
from ...model.orders import AdminAct, Ban, Switch
from ...model.schemas.analysis import DailyPuzzle
from ...model.schemas.history import Counts
from .shapes import columns_of

OUTCOMES: Final = Counts.__struct_fields__
"""What is counted of games: all, won, drawn and lost ones."""

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def where(condition: str) -> dict[str, Any]:
    """Return the options of an index of those rows only that meet a condition."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


LISTED: Final = where("seq IS NOT NULL")
Kind = type[sa.types.TypeEngine[Any]]


def _table(name: str, *parts: sa.schema.SchemaItem, **options: Any) -> sa.Table:  # noqa: ANN401  # of a dialect
    return sa.Table(name, metadata, *parts, **options)


def _key(name: str, kind: Kind = sa.Text) -> sa.Column[Any]:
    return sa.Column(name, kind, primary_key=True, autoincrement=False)


def _filled(kind: Kind, *names: str) -> list[sa.Column[Any]]:
    """Return columns of one type that are never null."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def _optional(kind: Kind, *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind) for name in names]


counters: Final = _table(
    "counters", _key("name"), sa.Column("value", sa.BigInteger, nullable=False)
)
"""``seq`` is the number of the last event announced, ``info_bytes`` the sum over all games."""

bots: Final = _table(
    "bots", *columns_of(Credential, keys=1), sa.Column("token_hash", sa.Text, nullable=False)
)
"""Names that only the holder of a token may use; of a revoked one, no client."""

sessions: Final = _table("sessions", *columns_of(KeptSession, keys=1))

matches: Final = _table(
    "matches",
    _key("id"),
    *_filled(sa.Text, "first", "second", "rules", "clock"),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    *_optional(sa.Float, "first_points", "second_points"),
    sa.Column("began_at", sa.Text, nullable=False),
    *_optional(
        sa.Text, "ended_at", "ladder", "first_entrant", "second_entrant", "openings", "event"
    ),
    sa.Column("event_game", sa.Integer),
    sa.Index("ix_matches_running", "id", **where("ended_at IS NULL")),
)
"""No ``ended_at``, and no points yet, means under way. ``event_game`` is the number in its event of
the first game of a match. ``rules`` and ``clock`` are JSON of what differs from the defaults; those
of a former version have it all.
"""

_RESULT: Final = columns_of(
    Outcome,
    is_whole=False,
    stores0=sa.Column("south_store", sa.Integer),
    stores1=sa.Column("north_store", sa.Integer),
)
RESULT: Final = tuple(column.name for column in _RESULT)
"""The columns of how a game ended."""

games: Final = _table(
    "games",
    _key("id"),
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("began_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text),
    *_RESULT,
    *_optional(sa.BigInteger, "info_bytes", "seq"),
    *_optional(sa.Integer, "ladder", "south", "north", "plies"),
    *_optional(sa.LargeBinary, "packed", "infos"),
    sa.Column("annulled_at", sa.Text),
    sa.UniqueConstraint("match", "number"),
    sa.Index("ix_games_seq", "seq", unique=True, **LISTED),
    sa.Index("ix_games_ladder", "ladder", "seq", **LISTED),
    sa.Index("ix_games_south_ladder", "south", "ladder", "seq", **LISTED),
    sa.Index("ix_games_north_ladder", "north", "ladder", "seq", **LISTED),
    sa.Index("ix_games_pair", "south", "north", "seq", **LISTED),
    sa.Index("ix_games_running", "seq", **where("ended_at IS NULL")),
    sa.Index("ix_games_with_info", "ended_at", **where("info_bytes IS NOT NULL")),
    sa.Index("ix_games_unlisted", "began_at", "id", **where("seq IS NULL")),
)
"""South is player 0. No ``ended_at`` means under way.

``seq`` is its place in the order in which all games began, and in every list. ``ladder``, ``south``
and ``north`` are keys of ``names``; a bot's games in all ladders are read by ladder. Once it is
over, ``plies`` counts its moves, ``packed`` has them and ``infos`` what its bots reported
(``packed.py``). ``info_bytes`` is the size of these reports as text; null while the game is under
way, and when there are none. A game with ``annulled_at`` counts for nothing.
"""

names: Final = _table(
    "names",
    sa.Column("key", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
)
"""Keys of bots and ladders, which stand for them in the indexes of ``games``."""

players: Final = _table(
    "players",
    _key("name"),
    *_filled(sa.Integer, *OUTCOMES),
    sa.Column("last_game_at", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What the games of each bot came to; those that do not count are left out."""

endings: Final = _table(
    "endings",
    *map(_key, ("bot", "ladder", "entrant")),
    _key("seat", sa.Integer),
    _key("reason"),
    *_filled(sa.Integer, *OUTCOMES),
    sqlite_with_rowid=False,
)
"""The same by ladder (empty for none), version, seat and way of ending, aborted games too."""

duels: Final = _table(
    "duels",
    *map(_key, ("south", "north")),
    *_filled(sa.Integer, *OUTCOMES),
    sqlite_with_rowid=False,
)
"""The same for each two bots, as the one that moved first saw them."""

splits: Final = _table(
    "splits",
    _key("bot", sa.Integer),
    *map(_key, ("kind", "value")),
    *_filled(sa.Integer, *OUTCOMES),
    sqlite_with_rowid=False,
)
"""The same by opening and by length; ``bot`` is a key of ``names``, ``kind`` a ``CountedBy``."""

points: Final = _table(
    "points",
    _key("bot", sa.Integer),
    _key("ladder", sa.Integer),
    _key("entrant"),
    _key("day", sa.Integer),
    *_filled(sa.Integer, "elo", "error", "games"),
    sqlite_with_rowid=False,
)
"""The rating of each version of a bot at the end of each day on which it played.

``bot`` and ``ladder`` are keys of ``names``, ``day`` counts from 1970-01-01 in UTC. ``elo`` and
``error``, half the width of its interval, are tenths. ``games`` is what it had played by then.
"""

meetings: Final = _table(
    "meetings",
    *map(_key, ("ladder", "name")),
    sa.Column("other", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Whom a bot met last in a ladder."""

moves: Final = _table(
    "moves",
    *columns_of(
        MovePlayed,
        keys=2,
        game=sa.Column("game", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
    ),
)
"""Of the games under way."""

outbox: Final = _table(
    "outbox",
    _key("seq", sa.BigInteger),
    sa.Column("event_id", sa.Text, nullable=False, unique=True),
    *_filled(sa.Text, "topic", "payload"),
    sa.Column("published_at", sa.Text),
    sa.Column("is_retained", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("ends_at", sa.BigInteger),
    sa.Column("aside_since", sa.Text),
    sa.Column("refusals", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("refused", sa.Text),
    sa.Index("ix_outbox_published_at_seq", "published_at", "seq"),
    sa.Index("ix_outbox_is_retained_topic", "is_retained", "topic"),
    sa.Index("ix_outbox_waiting", "seq", **where("published_at IS NULL AND aside_since IS NULL")),
    sa.Index("ix_outbox_aside", "seq", **where("aside_since IS NOT NULL")),
)
"""What the broker must get, in order; ``published_at`` is set after its PUBACK.

A row that the broker did not accept is put aside (``aside_since``) until it does; ``refusals`` says
how often it did not, ``refused`` why the last time.

A retained payload takes the place of the one before it under the same topic, sent or not.
``ends_at`` is the sum of the bytes of all payloads up to this one; null for those of a former
version.
"""

members: Final = _table("members", *columns_of(LadderJoined, keys=2))
"""Which sessions are in which ladders."""

entrants: Final = _table(
    "entrants",
    *columns_of(
        EntrantRated,
        keys=2,
        penalties=sa.Column("strikes", sa.Integer, nullable=False),
        until=sa.Column("quarantined_until", sa.Text),
        reason=sa.Column("quarantine_reason", sa.Text),
    ),
)
"""Versions of bots, as a ladder rates them."""

pairs: Final = _table(
    "pairs",
    *map(_key, ("ladder", "first", "second")),
    *_filled(sa.Integer, *(f"points_{half}" for half in range(5))),
    *(
        sa.Column(f"{prefix}{outcome}", sa.Integer, nullable=False, server_default=sa.text("0"))
        for prefix in ("", "back_")
        for outcome in Tally._fields
    ),
)
"""What two entrants of a ladder have played; the one whose name comes first is named first.

``wins``, ``draws`` and ``losses`` are those of the games in which that one moved first, ``back_``
of those in which the other did, each as the one that moved first saw them. ``points_`` are
side-swapped pairs of games, by the half points of the entrant named first.
"""

reviews: Final = _table(
    "reviews",
    sa.Column("game", sa.Text, sa.ForeignKey("games.id"), primary_key=True),
    sa.Column("ladder", sa.Text),
    *_filled(sa.Text, "first", "second"),
    sa.Column("urgency", sa.Integer, nullable=False),
    sa.Column("ended_ms", sa.BigInteger, nullable=False),
    sa.Column("version", sa.Integer),
    sa.Column("proven", sa.Float),
    *_optional(sa.Text, "reviewed_at", "reviewer", "sums"),
    sa.Column("body", sa.LargeBinary),
    sa.Index(
        "ix_reviews_waiting",
        "urgency",
        "ended_ms",
        **where("version IS NULL"),
    ),
    sa.Index("ix_reviews_version_ended_ms", "version", "ended_ms"),
)
"""Games to review, and reviews; no ``version`` means that the game waits.

``first`` and ``second`` are the bots' versions in seat order. ``ended_ms`` is when the game ended,
in milliseconds since 1970, since that is in the indexes. ``body`` is the packed review
(``packed_reviews.py``), with what it adds to ``accuracies``, so that a better review can take its
place. A former version kept that in ``sums``, and wrote ``reviewed_at``.
"""

puzzles: Final = _table("puzzles", *columns_of(DailyPuzzle, keys=1))
"""The puzzle of each day, as JSON; it stays as it was chosen, whatever becomes of its game."""

accuracies: Final = _table(
    "accuracies", *map(_key, ("ladder", "name", "phase")), *_filled(sa.BigInteger, *Sums._fields)
)
"""Sums over the reviewed games of a bot's version in a ladder; an empty ``ladder`` for none."""

day_counts: Final = _table(
    "day_counts",
    *columns_of(
        Counted,
        at=sa.Column("counted_at", sa.Text, nullable=False),
        ladder=sa.Column("ladder", sa.Text, nullable=False),
    ),
    sa.Index("ix_day_counts_counted_at", "counted_at"),
)
"""What is limited to a few in 24 hours, by a bot's name or a guest's address; older rows go."""

copied: Final = _table("copied", _key("table"), sa.Column("last", sa.Text, nullable=False))
"""How far a copy into this store has come (``copying.py``); empty once it is whole."""

bans: Final = _table("bans", *columns_of(Ban, keys=2))
"""Names, tokens (by hash) and networks that the operator keeps out."""

switches: Final = _table("switches", *columns_of(Switch, keys=2))
"""What the operator has set until it is taken back: a notice, a ladder paused or closed."""

admin_log: Final = _table("admin_log", _key("number", sa.BigInteger), *columns_of(AdminAct))
"""Who did what and why: the operator's trail. ``what`` is JSON."""

events: Final = _table(
    "events",
    _key("name"),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    *_optional(sa.Text, "resumes", "regulations"),
)
"""Where each event stands; ``regulations`` is JSON, written when it starts."""

event_settings: Final = _table(
    "event_settings",
    _key("name"),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("origin", sa.Text),
)
"""The settings of events that the configuration does not have, as JSON: those made while the server
ran, and those imported from another server, the ``origin``."""

imported_games: Final = _table("imported_games", _key("id"), *_filled(sa.Text, "event", "record"))
"""The records of games of imported events, as JSON; they count for nothing here."""

event_entrants: Final = _table(
    "event_entrants",
    _key("event"),
    *columns_of(EntrantRow, keys=1),
    sa.Column("place", sa.Integer, nullable=False),
)
"""Who plays in an event, and in which rounds; ``place`` is the order of seeding, ``owner`` what a
bot that entered by itself counts under, ``byes`` the rounds of half-point byes by order."""

event_pairings: Final = _table("event_pairings", _key("event"), *columns_of(PairingRow, keys=2))
"""The rounds of events, paired once; no ``second`` is a bye."""

event_games: Final = _table(
    "event_games",
    _key("event"),
    *columns_of(EventGameRow, keys=1),
    sa.Index("ix_event_games_game", "game"),
)
"""What came of the games of events; ``aborted`` is no result, an annulled one counts no more."""

event_log: Final = _table("event_log", _key("event"), *columns_of(EventLogLine, keys=1))
"""The steps that events took, and who ordered them; no ``by`` means the server."""

sealed: Final = _table(
    "sealed",
    *map(_key, ("subject", "kind")),
    sa.Column("event", sa.Text, nullable=False),
    *_filled(sa.Integer, "number", "place"),
    sa.Column("entry", sa.Text, nullable=False),
    sa.Index("ix_sealed_event", "event", "number"),
)
"""Ends of games and matches that an event hides: entries of the journal as JSON, by id and kind,
with the number in the event of the first game of their match, and the game's place in it. Until
they are revealed, the games and matches are under way, and the games are in no list.
"""

hidden_games: Final = _table(
    "hidden_games",
    _key("game"),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Index("ix_hidden_games_seq", "seq", unique=True),
)
"""The places that games which are hidden will have in the lists."""

submissions: Final = _table(
    "submissions",
    _key("key"),
    *_filled(sa.Text, "author", "submitted_at", "updated_at"),
    sa.Column("is_test", sa.Boolean, nullable=False),
    *_filled(sa.Text, "head", "document"),
    sa.Index("ix_submissions_latest", "is_test", "updated_at"),
    sa.Index("ix_submissions_author", "author", "updated_at"),
)
"""Events that were played elsewhere; ``head`` is what a list shows of the ``document``; JSON."""
