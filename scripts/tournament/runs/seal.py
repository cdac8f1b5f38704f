"""A seal on what a directory lets this user run: players that are programs, files or hosts.

The directory of an event names its players, and a directory from someone else may name any program.
So the players that this user named are sealed with a key of this user (HMAC-SHA256). Only what is
sealed, or typed again, is run when the event is resumed. The seal stays valid where this user moves
the directory.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mancala.protocol import codec

if TYPE_CHECKING:
    from mancala.server.contest.headless.event import Event

SEAL: Final = "seal"
KEY: Final = "seal.key"
KEY_BYTES: Final = 32


def outsiders(event: Event) -> list[str]:
    """Return the players of an event that reach outside: ``NAME=SPEC``.

    Raises:
        SpecError: when a spec names no player.
    """
    from mancala.bot.players.registry import outside

    return [f"{each.name}={each.spec}" for each in event.contenders if outside(each.spec)]


def put(home: Path, event: Event) -> None:
    """Seal the players of an event that this user begins; without a state folder nothing is."""
    with suppress(OSError):
        (home / SEAL).write_text(_seal_of(event, _key()))


def is_sealed(home: Path, event: Event) -> bool:
    """Return whether this user named the players of an event in a directory."""
    try:
        kept = (home / SEAL).read_bytes()
        return hmac.compare_digest(kept, _seal_of(event, _key()).encode())
    except OSError:
        return False


def _seal_of(event: Event, key: bytes) -> str:
    named = codec.to_json([[each.name, each.spec] for each in event.contenders])
    return hmac.new(key, named, hashlib.sha256).hexdigest()


def _key() -> bytes:
    """Return this user's key; the first call makes it.

    Raises:
        OSError: when it can't be read or made.
    """
    from mancala.server.config.settings import state_directory

    path = state_directory() / KEY
    if not path.exists():
        _make_key(path)
    return path.read_bytes()


def _make_key(path: Path) -> None:
    """Make the key in one step, so that of two commands at the same time both use the same."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
    try:
        with suppress(FileExistsError):
            path.hardlink_to(part)
    finally:
        part.unlink()
