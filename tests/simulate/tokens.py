"""Tokens of simulated bots: names that are reserved in the store that every world begins with."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.simulate.faults import BOT_FAULTS, MOST_BOTS

RESERVED: Final = tuple(
    f"{faults.name}{number}"
    for faults in BOT_FAULTS
    if faults.has_token
    for number in range(1, MOST_BOTS)
)
"""The names that bots with tokens may have in any world."""
REVIEWERS: Final = frozenset(faults.name for faults in BOT_FAULTS if faults.reviews)


def token_of(name: str) -> str:
    """Return the token of a reserved name; a real one is random, but as opaque to the server."""
    return f"the token of {name}"


def hash_of(name: str) -> str:
    return hashlib.sha256(token_of(name).encode()).hexdigest()


BEARERS: Final = {hash_of(name): name for name in RESERVED}
"""Whose token has which hash."""


def reserve(store: Path) -> None:
    """Reserve the names in a store; who does not review may submit events."""
    rows = [
        (name, hash_of(name), name[:-1] in REVIEWERS, name[:-1] not in REVIEWERS)
        for name in RESERVED
    ]
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.executemany(
            "insert into bots (name, token_hash, created_at, is_reviewer, is_submitter) "
            "values (?, ?, '2026-01-01T00:00:00.000Z', ?, ?)",
            rows,
        )
