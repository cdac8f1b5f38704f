"""Which modules are mutated, and which tests are theirs."""

from __future__ import annotations

from typing import Final

STORE: Final = tuple(
    f"tests/server/store/test_{name}.py"
    for name in (
        "archive",
        "database",
        "day_counts",
        "ladders",
        "reviews",
        "store",
        "tokens",
        "writer",
    )
)
"""A query is seen only through what writes its rows, so the store's modules share their tests."""

KGP: Final = tuple(
    f"tests/protocol/kgp/test_{name}.py"
    for name in ("actions", "client", "freeplay", "interpreter", "keepalive", "lines", "verify")
)
TEXTS: Final = ("tests/protocol/test_codec.py", "tests/protocol/test_text.py")

TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "protocol/accuracy.py": ("tests/protocol/test_accuracy.py",),
    "protocol/asyncapi.py": ("tests/protocol/test_asyncapi.py",),
    "protocol/clock.py": ("tests/protocol/test_clock.py", "tests/protocol/test_referee.py"),
    "protocol/codec.py": TEXTS,
    "protocol/drawing.py": ("tests/protocol/test_drawing.py",),
    "protocol/messages.py": ("tests/protocol/test_messages.py", "tests/protocol/test_asyncapi.py"),
    "protocol/record.py": ("tests/protocol/test_record.py",),
    "protocol/referee.py": ("tests/protocol/test_referee.py",),
    "protocol/results.py": ("tests/protocol/test_results.py", "tests/protocol/test_schemas.py"),
    "protocol/review.py": ("tests/protocol/test_review.py",),
    "protocol/round_trips.py": ("tests/protocol/test_round_trips.py",),
    "protocol/rules.py": ("tests/protocol/test_rules.py",),
    "protocol/schemas.py": ("tests/protocol/test_schemas.py", "tests/protocol/test_asyncapi.py"),
    "protocol/session.py": ("tests/protocol/test_session.py",),
    "protocol/text.py": TEXTS,
    "protocol/kgp/actions.py": KGP,
    "protocol/kgp/client.py": KGP,
    "protocol/kgp/freeplay.py": KGP,
    "protocol/kgp/interpreter.py": KGP,
    "protocol/kgp/keepalive.py": KGP,
    "protocol/kgp/lines.py": KGP,
    "protocol/kgp/verify.py": KGP,
    "server/store/archive.py": STORE,
    "server/store/async_writer.py": STORE,
    "server/store/backup.py": STORE,
    "server/store/bulk.py": STORE,
    "server/store/database.py": STORE,
    "server/store/entries.py": STORE,
    "server/store/faults.py": ("tests/server/store/test_faults.py",),
    "server/store/info.py": STORE,
    "server/store/ladders.py": STORE,
    "server/store/mappers.py": STORE,
    "server/store/reader.py": STORE,
    "server/store/reviews.py": STORE,
    "server/store/schema.py": STORE,
    "server/store/store.py": STORE,
    "server/store/tokens.py": STORE,
    "server/store/day_counts.py": STORE,
    "server/store/writer.py": STORE,
}
"""By module, the tests that are its own."""
