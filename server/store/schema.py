"""The tables, as SQLAlchemy Core sees them; ``migrations`` makes them so, and a test compares.

Times are RFC 3339 texts in UTC, as they are published. Rules, clocks, agents, evidence and infos
are JSON texts written and read by the codec, since they are never searched.
"""

from __future__ import annotations

from typing import Final

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
    Index("ix_matches_ended_at", "ended_at"),
    Index("ix_matches_ladder", "ladder"),
    Index("ix_matches_first", "first"),
    Index("ix_matches_second", "second"),
)
"""No ``ended_at``, and no points yet, means under way."""

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
    UniqueConstraint("match", "number"),
    Index("ix_games_began_at_id", "began_at", "id"),
    Index(
        "ix_games_with_info",
        "ended_at",
        sqlite_where=text("info_bytes IS NOT NULL"),
        postgresql_where=text("info_bytes IS NOT NULL"),
    ),
)
"""South is player 0. No ``ended_at`` means under way.

``info_bytes`` is the size of all infos of its moves; null while under way, and when there are none.
"""

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

outbox: Final = Table(
    "outbox",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("event_id", Text, nullable=False, unique=True),
    Column("topic", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("published_at", Text),
    Column("is_retained", Boolean, nullable=False, server_default=false()),
    Index("ix_outbox_published_at_seq", "published_at", "seq"),
    Index("ix_outbox_is_retained_topic", "is_retained", "topic"),
)
"""What the broker must get, in order; ``published_at`` is set after its PUBACK.

A retained payload takes the place of the one before it under the same topic, sent or not.
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

tallies: Final = Table(
    "tallies",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("first", Text, primary_key=True),
    Column("second", Text, primary_key=True),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
)
"""Outcomes in a ladder, as the player that moved first saw them."""

pairs: Final = Table(
    "pairs",
    metadata,
    Column("ladder", Text, primary_key=True),
    Column("first", Text, primary_key=True),
    Column("second", Text, primary_key=True),
    *(Column(f"points_{half}", Integer, nullable=False) for half in range(5)),
)
"""Side-swapped pairs of games in a ladder, by the half points of the entrant named first."""

reviews: Final = Table(
    "reviews",
    metadata,
    Column("game", Text, ForeignKey("games.id"), primary_key=True),
    Column("ladder", Text),
    Column("first", Text, nullable=False),
    Column("second", Text, nullable=False),
    Column("urgency", Integer, nullable=False),
    Column("ended_at", Text, nullable=False),
    Column("version", Integer),
    Column("proven", Float),
    Column("reviewed_at", Text),
    Column("reviewer", Text),
    Column("sums", Text),
    Column("body", LargeBinary),
    Index(
        "ix_reviews_waiting",
        "urgency",
        "ended_at",
        sqlite_where=text("version IS NULL"),
        postgresql_where=text("version IS NULL"),
    ),
    Index("ix_reviews_version", "version"),
)
"""Games to review, and reviews; no ``version`` means that the game waits.

``first`` and ``second`` are the bots' versions in seat order. ``body`` is the review as compressed
JSON, ``sums`` what it adds to ``accuracies``, so that a better review can take its place.
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
