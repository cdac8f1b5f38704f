"""The tables, as SQLAlchemy Core sees them; a new store is made of them.

Times are RFC 3339 texts in UTC, as they are published. Rules, clocks, agents, evidence and infos
are JSON texts written and read by the codec, since they are never searched.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)

metadata: Final = MetaData(
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
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


LISTED: Final = where("seq IS NOT NULL")


def _outcomes() -> tuple[Column[int], ...]:
    counts = ("games", "wins", "draws", "losses")
    return tuple(Column(name, Integer, nullable=False) for name in counts)


counters: Final = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
"""``seq`` is the number of the last event announced, ``info_bytes`` the sum over all games."""

bots: Final = Table(
    "bots",
    metadata,
    Column("name", Text, primary_key=True),
    Column("token_hash", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("revoked_at", Text),
    Column("is_reviewer", Boolean, nullable=False, server_default=false()),
    Column("is_submitter", Boolean, nullable=False, server_default=false()),
)
"""Names that only the holder of a token may use; of a revoked one, no client."""

sessions: Final = Table(
    "sessions",
    metadata,
    Column("secret_hash", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("agent", Text),
    Column("is_guest", Boolean, nullable=False, server_default=true()),
)

matches: Final = Table(
    "matches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("first", Text, nullable=False),
    Column("second", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("clock", Text, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("games", Integer, nullable=False),
    Column("first_points", Float),
    Column("second_points", Float),
    Column("began_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("ladder", Text),
    Column("first_entrant", Text),
    Column("second_entrant", Text),
    Column("openings", Text),
    Column("event", Text),
    Column("event_game", Integer),
    Index("ix_matches_running", "id", **where("ended_at IS NULL")),
)
"""No ``ended_at``, and no points yet, means under way. ``event_game`` is the number in its event of
the first game of a match. ``rules`` and ``clock`` are JSON of what differs from the defaults; those
of a former version have it all.
"""

games: Final = Table(
    "games",
    metadata,
    Column("id", Text, primary_key=True),
    Column("match", Text, ForeignKey("matches.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("began_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("winner", Integer),
    Column("south_store", Integer),
    Column("north_store", Integer),
    Column("reason", Text),
    Column("evidence", Text),
    Column("info_bytes", BigInteger),
    Column("seq", BigInteger),
    Column("ladder", Integer),
    Column("south", Integer),
    Column("north", Integer),
    Column("plies", Integer),
    Column("packed", LargeBinary),
    Column("infos", LargeBinary),
    Column("annulled_at", Text),
    UniqueConstraint("match", "number"),
    Index("ix_games_seq", "seq", unique=True, **LISTED),
    Index("ix_games_ladder", "ladder", "seq", **LISTED),
    Index("ix_games_south_ladder", "south", "ladder", "seq", **LISTED),
    Index("ix_games_north_ladder", "north", "ladder", "seq", **LISTED),
    Index("ix_games_pair", "south", "north", "seq", **LISTED),
    Index("ix_games_running", "seq", **where("ended_at IS NULL")),
    Index("ix_games_with_info", "ended_at", **where("info_bytes IS NOT NULL")),
    Index("ix_games_unlisted", "began_at", "id", **where("seq IS NULL")),
)
"""South is player 0. No ``ended_at`` means under way.

``seq`` is its place in the order in which all games began, and in every list. ``ladder``, ``south``
and ``north`` are keys of ``names``; a bot's games in all ladders are read by ladder. Once it is
over, ``plies`` counts its moves, ``packed`` has them and ``infos`` what its bots reported
(``packed.py``). ``info_bytes`` is the size of these reports as text; null while the game is under
way, and when there are none. A game with ``annulled_at`` counts for nothing.
"""

names: Final = Table(
    "names",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)
"""Keys of bots and ladders, which stand for them in the indexes of ``games``."""

players: Final = Table(
    "players",
    metadata,
    Column("name", Text, primary_key=True),
    *_outcomes(),
    Column("last_game_at", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""What the games of each bot came to; those that do not count are left out."""

endings: Final = Table(
    "endings",
    metadata,
    Column("bot", Text, primary_key=True),
    Column("ladder", Text, primary_key=True),
    Column("entrant", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("reason", Text, primary_key=True),
    *_outcomes(),
    sqlite_with_rowid=False,
)
"""The same by ladder (empty for none), version, seat and way of ending, aborted games too."""

duels: Final = Table(
    "duels",
    metadata,
    Column("south", Text, primary_key=True),
    Column("north", Text, primary_key=True),
    *_outcomes(),
    sqlite_with_rowid=False,
)
"""The same for each two bots, as the one that moved first saw them."""

splits: Final = Table(
    "splits",
    metadata,
    Column("bot", Integer, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    *_outcomes(),
    sqlite_with_rowid=False,
)
"""The same by opening and by length; ``bot`` is a key of ``names``, ``kind`` a ``Split``."""

points: Final = Table(
    "points",
    metadata,
    Column("bot", Integer, primary_key=True, autoincrement=False),
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("entrant", Text, primary_key=True),
    Column("day", Integer, primary_key=True, autoincrement=False),
    *(Column(name, Integer, nullable=False) for name in ("elo", "error", "games")),
    sqlite_with_rowid=False,
)
"""The rating of each version of a bot at the end of each day on which it played.

``bot`` and ``ladder`` are keys of ``names``, ``day`` counts from 1970-01-01 in UTC. ``elo`` and
``error``, half the width of its interval, are tenths. ``games`` is what it had played by then.
"""

meetings: Final = Table(
    "meetings",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("other", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Whom a bot met last in a ladder."""

moves: Final = Table(
    "moves",
    metadata,
    Column("game", Text, ForeignKey("games.id"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("pit", Integer, nullable=False),
    Column("elapsed_ms", Float, nullable=False),
    Column("lag_ms", Float, nullable=False),
    Column("forced", Boolean, nullable=False),
    Column("info", Text),
)
"""Of the games under way."""

outbox: Final = Table(
    "outbox",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", Text, nullable=False, unique=True),
    Column("topic", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("published_at", Text),
    Column("is_retained", Boolean, nullable=False, server_default=false()),
    Column("ends_at", BigInteger),
    Index("ix_outbox_published_at_seq", "published_at", "seq"),
    Index("ix_outbox_is_retained_topic", "is_retained", "topic"),
)
"""What the broker must get, in order; ``published_at`` is set after its PUBACK.

A retained payload takes the place of the one before it under the same topic, sent or not.
``ends_at`` is the sum of the bytes of all payloads up to this one; null for those of a former
version.
"""

members: Final = Table(
    "members",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("secret_hash", Text, primary_key=True),
)
"""Which sessions are in which ladders."""

entrants: Final = Table(
    "entrants",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("elo", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("strikes", Integer, nullable=False),
    Column("quarantined_until", Text),
    Column("quarantine_reason", Text),
)
"""Versions of bots, as a ladder rates them."""

pairs: Final = Table(
    "pairs",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("first", Text, primary_key=True),
    Column("second", Text, primary_key=True),
    *(Column(f"points_{half}", Integer, nullable=False) for half in range(5)),
    *(
        Column(f"{prefix}{outcome}", Integer, nullable=False, server_default=text("0"))
        for prefix in ("", "back_")
        for outcome in ("wins", "draws", "losses")
    ),
)
"""What two entrants of a ladder have played; the one whose name comes first is named first.

``wins``, ``draws`` and ``losses`` are those of the games in which that one moved first, ``back_``
of those in which the other did, each as the one that moved first saw them. ``points_`` are
side-swapped pairs of games, by the half points of the entrant named first.
"""

reviews: Final = Table(
    "reviews",
    metadata,
    Column("game", Text, ForeignKey("games.id"), primary_key=True),
    Column("ladder", Text),
    Column("first", Text, nullable=False),
    Column("second", Text, nullable=False),
    Column("urgency", Integer, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("version", Integer),
    Column("proven", Float),
    Column("reviewed_at", Text),
    Column("reviewer", Text),
    Column("sums", Text),
    Column("body", LargeBinary),
    Index(
        "ix_reviews_waiting",
        "urgency",
        "ended_ms",
        **where("version IS NULL"),
    ),
    Index("ix_reviews_version_ended_ms", "version", "ended_ms"),
)
"""Games to review, and reviews; no ``version`` means that the game waits.

``first`` and ``second`` are the bots' versions in seat order. ``ended_ms`` is when the game ended,
in milliseconds since 1970, since that is in the indexes. ``body`` is the packed review
(``packed_reviews.py``), with what it adds to ``accuracies``, so that a better review can take its
place. A former version kept that in ``sums``, and wrote ``reviewed_at``.
"""

accuracies: Final = Table(
    "accuracies",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("phase", Text, primary_key=True),
    *(
        Column(name, BigInteger, nullable=False)
        for name in (
            *("games", "moves", "best", "lost"),
            *("moves_squared", "moves_lost", "lost_squared"),
        )
    ),
)
"""Sums over the reviewed games of a bot's version in a ladder; an empty ``ladder`` for none."""

day_counts: Final = Table(
    "day_counts",
    metadata,
    Column("kind", Text, nullable=False),
    Column("ladder", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("counted_at", Text, nullable=False),
    Index("ix_day_counts_counted_at", "counted_at"),
)
"""What is limited to a few in 24 hours, by a bot's name or a guest's address; older rows go."""

copied: Final = Table(
    "copied",
    metadata,
    Column("table", Text, primary_key=True),
    Column("last", Text, nullable=False),
)
"""How far a copy into this store has come (``copying.py``); empty once it is whole."""

bans: Final = Table(
    "bans",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("until", Text),
    Column("at", Text, nullable=False),
    Column("by", Text, nullable=False),
)
"""Names, tokens (by hash) and networks that the operator keeps out."""

switches: Final = Table(
    "switches",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("until", Text),
)
"""What the operator has set until it is taken back: a notice, a ladder paused or closed."""

admin_log: Final = Table(
    "admin_log",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("why", Text, nullable=False),
)
"""Who did what and why: the operator's trail. ``what`` is JSON."""

events: Final = Table(
    "events",
    metadata,
    Column("name", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("resumes", Text),
    Column("regulations", Text),
)
"""Where each event stands; ``regulations`` is JSON, written when it starts."""

event_settings: Final = Table(
    "event_settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("settings", Text, nullable=False),
    Column("origin", Text),
)
"""The settings of events that the configuration does not have, as JSON: those made while the server
ran, and those imported from another server, the ``origin``."""

imported_games: Final = Table(
    "imported_games",
    metadata,
    Column("id", Text, primary_key=True),
    Column("event", Text, nullable=False),
    Column("record", Text, nullable=False),
)
"""The records of games of imported events, as JSON; they count for nothing here."""

event_entrants: Final = Table(
    "event_entrants",
    metadata,
    Column("event", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("joins", Integer, nullable=False),
    Column("leaves", Integer),
    Column("absences", Integer, nullable=False),
    Column("checked_in", Boolean, nullable=False, server_default=false()),
    Column("owner", Text, nullable=False, server_default=""),
    Column("byes", Text, nullable=False, server_default=""),
)
"""Who plays in an event, and in which rounds; ``place`` is the order of seeding, ``owner`` what a
bot that entered by itself counts under, ``byes`` the rounds of half-point byes by order."""

event_pairings: Final = Table(
    "event_pairings",
    metadata,
    Column("event", Text, primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("first", Text, nullable=False),
    Column("second", Text),
    Column("inputs", Text, nullable=False),
)
"""The rounds of events, paired once; no ``second`` is a bye."""

event_games: Final = Table(
    "event_games",
    metadata,
    Column("event", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("first", Text, nullable=False),
    Column("second", Text, nullable=False),
    Column("winner", Integer),
    Column("margin", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("game", Text),
    Column("voids", Integer, nullable=False),
    Column("annulled", Boolean, nullable=False, server_default=false()),
    Index("ix_event_games_game", "game"),
)
"""What came of the games of events; ``aborted`` is no result, an annulled one counts no more."""

event_log: Final = Table(
    "event_log",
    metadata,
    Column("event", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("step", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("why", Text, nullable=False),
)
"""The steps that events took, and who ordered them; no ``by`` means the server."""

submissions: Final = Table(
    "submissions",
    metadata,
    Column("key", Text, primary_key=True),
    Column("author", Text, nullable=False),
    Column("submitted_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("is_test", Boolean, nullable=False),
    Column("head", Text, nullable=False),
    Column("document", Text, nullable=False),
    Index("ix_submissions_latest", "is_test", "updated_at"),
    Index("ix_submissions_author", "author", "updated_at"),
)
"""Events that were played elsewhere; ``head`` is what a list shows of the ``document``; JSON."""
