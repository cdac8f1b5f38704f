"""Which modules are mutated, and which tests are theirs."""

from __future__ import annotations

from typing import Final


def _store(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/server/store/test_{name}.py" for name in names)


STORE: Final = _store("store", "ladders", "reviews", "archive", "tokens", "day_counts")
"""A row is seen only by what reads it, so modules that write share the tests of those that read."""
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
    "server/store/archive.py": _store("archive", "reviews"),
    "server/store/async_writer.py": _store("store", "archive"),
    "server/store/backup.py": _store("backup"),
    "server/store/bulk.py": _store("store"),
    "server/store/database.py": _store("database"),
    "server/store/entries.py": STORE,
    "server/store/faults.py": _store("faults"),
    "server/store/info.py": _store("store"),
    "server/store/ladders.py": _store("ladders"),
    "server/store/mappers.py": _store("store", "ladders"),
    "server/store/reader.py": _store("archive"),
    "server/store/reviews.py": _store("reviews"),
    "server/store/schema.py": STORE,
    "server/store/store.py": _store("store", "ladders", "day_counts"),
    "server/store/tokens.py": _store("tokens"),
    "server/store/day_counts.py": _store("day_counts"),
    "server/store/writer.py": _store("writer", "store"),
}
"""By module, the tests that are its own."""
