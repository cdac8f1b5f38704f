"""Which modules are mutated, and which tests are theirs."""

from typing import Final

from tests.sources import ROOT


def _protocol(*names: str) -> tuple[str, ...]:
    return tuple(f"tests/protocol/test_{name}.py" for name in names)


def _store(*names: str) -> tuple[str, ...]:
    folder = ROOT / "tests" / "server" / "store"
    found = [next(folder.rglob(f"test_{name}.py")) for name in names]
    return tuple(path.relative_to(ROOT).as_posix() for path in found)


KGP: Final = tuple(
    f"tests/protocol/kgp/test_{name}.py"
    for name in ("actions", "client", "freeplay", "interpreter", "keepalive", "lines", "verify")
)
STORE: Final = _store(
    "entries", "store", "ladders", "reviews", "archive", "archive_recount", "tokens", "day_counts"
)
"""A row is seen only by what reads it, so modules that write share the tests of those that read."""

TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "protocol/accuracy.py": _protocol("wire", "accuracy"),
    "protocol/asyncapi.py": _protocol("asyncapi"),
    "protocol/board_text.py": _protocol("rules"),
    "protocol/clock.py": _protocol("clock", "referee"),
    "protocol/codec.py": _protocol("codec", "text"),
    "protocol/drawing.py": _protocol("drawing"),
    "protocol/messages/base.py": _protocol("wire", "messages"),
    "protocol/messages/client.py": _protocol("wire", "messages"),
    "protocol/messages/parts.py": _protocol("wire", "messages"),
    "protocol/messages/server.py": _protocol("wire", "messages"),
    "protocol/player.py": _protocol("player"),
    "protocol/record.py": _protocol("record"),
    "protocol/referee.py": _protocol("referee"),
    "protocol/results/events.py": _protocol("wire", "results"),
    "protocol/results/payloads.py": _protocol("wire", "results"),
    "protocol/results/topics.py": _protocol("wire", "results"),
    "protocol/review.py": _protocol("review"),
    "protocol/round_trips.py": _protocol("round_trips"),
    "protocol/rules.py": _protocol("rules"),
    "protocol/schemas.py": _protocol("schemas", "asyncapi"),
    "protocol/session.py": _protocol("session"),
    "protocol/text.py": _protocol("text", "codec"),
    "protocol/variants.py": _protocol("variants", "rules"),
    "protocol/kgp/actions.py": KGP,
    "protocol/kgp/client.py": KGP,
    "protocol/kgp/freeplay.py": KGP,
    "protocol/kgp/interpreter.py": KGP,
    "protocol/kgp/keepalive.py": KGP,
    "protocol/kgp/lines.py": KGP,
    "protocol/kgp/verify.py": KGP,
    "server/contest/events/swiss.py": ("tests/server/contest/events/test_swiss.py",),
    "server/store/reading/archive.py": _store("archive_recount", "archive", "reviews"),
    "server/store/reading/statistics.py": _store("archive_recount", "archive"),
    "server/store/database/async_writer.py": _store("writer", "store"),
    "server/store/carrying/backup.py": _store("backup"),
    "server/store/database/bulk.py": _store("bulk", "writer", "store"),
    "server/store/database/database.py": _store("sqlite", "database"),
    "server/store/rows/day_counts.py": _store("day_counts"),
    "server/store/entries.py": STORE,
    "server/store/database/faults.py": _store("faults"),
    "server/store/rows/game_lists.py": _store("archive_recount", "archive"),
    "server/store/rows/info.py": _store("info"),
    "server/store/database/lock_file.py": _store("sqlite", "database"),
    "server/store/rows/ladders.py": _store("ladders"),
    "server/store/rows/listing.py": _store("archive_recount"),
    "server/store/rows/matches.py": _store("entries", "store", "ladders", "archive"),
    "server/store/carrying/moving.py": _store("versions"),
    "server/store/rows/outbox.py": _store("outbox", "store"),
    "server/store/database/packed.py": _store("packed"),
    "server/store/rows/played.py": _store("info", "archive"),
    "server/store/database/reader.py": _store("reader", "archive"),
    "server/store/rows/records.py": _store("archive_recount", "archive"),
    "server/store/rows/reviews.py": _store("reviews"),
    "server/store/database/schema.py": _store("versions", "entries"),
    "server/store/store.py": _store("store", "ladders", "day_counts"),
    "server/store/rows/tokens.py": _store("tokens"),
    "server/store/rows/totals.py": _store("totals", "archive_recount"),
    "server/store/database/versions.py": _store("versions"),
    "server/store/database/shapes.py": _store("entries", "orders", "contests", "ladders", "tokens"),
    "server/store/database/statements.py": _store("statements"),
    "server/store/database/writer.py": _store("writer", "store"),
}
"""By module, the tests that are its own. Modules without a place to change are left out."""
