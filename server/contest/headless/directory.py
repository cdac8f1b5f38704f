"""The directory of a headless event: begun by a user, and resumed with players that the user named.

It names the event's players, and a directory from someone else may name any program, file or host.
So the players that this user named are sealed with a key of this user (HMAC-SHA256). Only what is
sealed, or typed again, is run when the event is resumed. The seal stays valid where this user moves
the directory.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec import structs

from mancala.files import write_whole
from mancala.protocol import codec

from ...config.settings import state_directory
from ...rating.sprt import Sprt
from . import journal
from .event import Event
from .journal import JournalError

SEAL: Final = "seal"
KEY: Final = "seal.key"
KEY_BYTES: Final = 32
TEST: Final = "sprt.json"
"""The file that holds a match's test."""


class UntrustedError(JournalError):
    """Others named the players of a directory, and some run programs, read files or ask hosts."""


def new_directory(kind: str) -> Path:
    """Return the path of a new directory of this user, such as ``…/matches/20261201T190000-7``."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
    return state_directory() / kind / f"{now}-{os.getpid()}"


def begin(home: Path, event: Event, test: Sprt | None = None) -> None:
    """Create an event, with a match's test; JournalError when the directory holds one already."""
    journal.create(home, event)
    with suppress(OSError):  # without a state folder nothing is sealed
        (home / SEAL).write_text(_seal_of(event, _key()))
    if test is not None:
        with journal.writing(home / TEST):
            write_whole(home / TEST, codec.to_json(test) + b"\n")


def resumed(
    home: Path,
    event: Event | None = None,
    *,
    outside: Callable[[str], tuple[str, ...]] | None = None,
) -> Event:
    """Return the event of a directory.

    Args:
        home: the directory.
        event: what it has to hold; None for anything.
        outside: returns the options of a spec that name a program, a file or a host; players with
            any must be sealed by this user, unless ``event`` names them. None trusts all.

    Raises:
        JournalError: when it holds none, or another one.
        UntrustedError: when this user did not name its players.
        SpecError: when a spec names no player.
    """
    begun = journal.read_event(home)
    if event is not None:
        if _comparable(event, begun) != begun:
            raise JournalError(f"{home} was begun with other players, games or conditions")
    elif outside is not None:
        players = [f"{each.name}={each.spec}" for each in begun.contenders if outside(each.spec)]
        if players and not _is_sealed(home, begun):
            why = "was not begun by you, and its players run programs, read files or ask hosts:"
            raise UntrustedError("\n  ".join((f"{home} {why}", *players)))
    return begun


def kept_test(home: Path, given: Sprt | None) -> Sprt | None:
    """Return the test of a match that is resumed; ``given`` is what it has to be, if anything."""
    path = home / TEST
    try:
        kept = codec.from_json(path.read_bytes(), Sprt) if path.exists() else None
    except (OSError, ValueError) as error:
        raise JournalError(f"{path}: {error}") from None
    if given is not None and given != kept:
        raise JournalError(f"{home} holds a match with another test")
    return kept


def _comparable(event: Event, begun: Event) -> Event:
    """Return an event with the margin of another, which older ones do not name."""
    if begun.conditions.margin_ms:
        return event
    return structs.replace(event, conditions=structs.replace(event.conditions, margin_ms=0))


def _is_sealed(home: Path, event: Event) -> bool:
    try:
        kept = (home / SEAL).read_bytes()
        return hmac.compare_digest(kept, _seal_of(event, _key()).encode())
    except OSError:
        return False


def _seal_of(event: Event, key: bytes) -> str:
    named = codec.to_json([[each.name, each.spec] for each in event.contenders])
    return hmac.new(key, named, hashlib.sha256).hexdigest()


def _key() -> bytes:
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
