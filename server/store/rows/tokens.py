"""Bots' credentials, and the sessions that they open: names that only a token's holder may use.

An issued token is 192 random bits, so an unsalted SHA-256 is safe to store: it can't be guessed. A
token is shown only when it is issued. One that its bearer chose may be weak, so it is kept by
scrypt with a salt, which makes guesses a thousand times as dear to a thief of the store. Issuing
one ends the session of a guest with the name, and revoking or replacing one those that were opened
with it. The name stays reserved, so that no other bot takes it.

Hashing those is slow, so it is done beforehand and elsewhere
(:mod:`mancala.server.store.rows.slow_hashes`).

The functions run in a transaction: the running server calls them in its writer's thread, a command
beside it over a connection of its own (:func:`token_admin`).
"""

import hashlib
import hmac
import secrets  # noqa: TID251  # for issuing, which is not done on a peer's request
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from ...config.settings import IN_MEMORY
from ...model.credentials import NO_RIGHTS, Credential, Rights, TokenProblem
from ...model.journal import KeptSession, LadderJoined, SessionClosed, SessionOpened
from ..database.database import Access, connect, display
from ..database.faults import StoreError, StoreInUseError
from ..database.schema import bots, members, players, sessions
from ..database.shapes import row_of, things
from ..database.statements import remove
from ..database.writer import Transaction
from .slow_hashes import slow_hash

TOKEN_BYTES: Final = 24
SALT_BYTES: Final = 16
OPEN_SESSION: Final = sa.insert(sessions)
CLOSE_SESSION: Final = remove(sessions)
LEAVE_ALL: Final = sa.delete(members).where(members.c.secret_hash == sa.bindparam("key"))
JOIN: Final = sa.insert(members)
ALIKE: Final = sa.select(bots.c.name, bots.c.token_hash, bots.c.revoked_at).where(
    sa.func.lower(bots.c.name) == sa.bindparam("key", type_=bots.c.name.type)
)
LOCKED_ALIKE: Final = ALIKE.with_for_update(read=True)
KEPT: Final = sa.select(sessions.c.name).where(sessions.c.secret_hash == sa.bindparam("key"))
LOCKED_KEPT: Final = KEPT.with_for_update(read=True, key_share=True)
CHOSEN: Final = "scrypt"
"""Marks the hash of a token that its bearer chose: ``scrypt$SALT$HASH``."""


@contextmanager
def token_admin(path: str, access: Access = Access.OWN) -> Iterator[Transaction]:
    """Open the store for one transaction, whether or not a server runs on it.

    Args:
        path: the path or URL of the store.
        access: with ``OWN`` the tables are created or migrated when no server runs; with the others
            nothing is, so that a mistyped path leaves no store behind.

    Raises:
        StoreMissingError: when there is no store, and ``access`` does not create one.
        StoreError: when it can't be opened, or a server of another version has it.
    """
    if path == IN_MEMORY:
        raise StoreError("a store in memory has no tokens")
    try:
        with closing(_connect(path, access)) as connection, connection.begin():
            transaction = Transaction(connection)
            yield transaction
            transaction.flush()
    except DBAPIError as error:
        raise StoreError(f"{display(path)}: {error.orig}") from error
    except OSError as error:
        raise StoreError(f"{display(path)}: {error.strerror}") from error


def _connect(path: str, access: Access) -> sa.Connection:
    try:
        return connect(path, Access.BESIDE if access is Access.OWN else access)
    except StoreError as unfit:
        if access is not Access.OWN:
            raise
        try:
            return connect(path, Access.OWN)
        except StoreInUseError:
            raise unfit from None


def issue(transaction: Transaction, name: str, at: str, rights: Rights = NO_RIGHTS) -> str:
    """Reserve a name and return its token; an earlier token becomes invalid, a guest leaves."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    is_its = sessions.c.name == name
    _end_sessions(transaction, is_its)
    transaction.execute(sa.delete(bots).where(bots.c.name == name))
    _end_sessions(transaction, is_its)  # what a login has added that the deletion waited for
    _reserve(transaction, name, _hash(token), at, rights)
    return token


def reserve(transaction: Transaction, name: str, at: str, rights: Rights = NO_RIGHTS) -> None:
    """Reserve a name for a program that the server runs: no token is valid for it."""
    _end_sessions(transaction, (sessions.c.name == name) & sessions.c.is_guest.is_(True))
    transaction.execute(sa.delete(bots).where(bots.c.name == name))
    unknown = _hash(secrets.token_urlsafe(TOKEN_BYTES))
    _reserve(transaction, name, unknown, at, rights)


def _reserve(
    transaction: Transaction, name: str, token_hash: str, at: str, rights: Rights = NO_RIGHTS
) -> None:
    row = {
        "name": name,
        "token_hash": token_hash,
        "created_at": at,
        "revoked_at": None,
        **rights._asdict(),
    }
    transaction.execute(sa.insert(bots), row)


def revoke(transaction: Transaction, name: str, at: str) -> bool:
    is_good = (bots.c.name == name) & bots.c.revoked_at.is_(None)
    is_its = (sessions.c.name == name) & sessions.c.is_guest.is_(False)
    _end_sessions(transaction, is_its)
    changed = transaction.execute(sa.update(bots).where(is_good).values(revoked_at=at)).rowcount
    _end_sessions(transaction, is_its)  # as in `issue`
    return changed > 0


def issued(transaction: Transaction) -> list[Credential]:
    return things(transaction, Credential, sa.select(bots).order_by(bots.c.name))


def new_salt() -> str:
    return secrets.token_hex(SALT_BYTES)


def salt_of(transaction: Transaction, name: str) -> str | None:
    query = sa.select(bots.c.token_hash).where(bots.c.name == name)
    kind, _, rest = (transaction.execute(query).scalar_one_or_none() or "").partition("$")
    return rest.partition("$")[0] if kind == CHOSEN else None


def bind(
    transaction: Transaction, name: str, token: str, at: str, *, salt: str
) -> TokenProblem | None:
    """Reserve a free name for the bearer of a token; return None, or what is wrong."""
    found = problem(transaction, name, token)
    if found is not None and found.is_free:
        _reserve(transaction, name, _chosen(token, salt), at)
        return None
    return found


def problem(
    transaction: Transaction, name: str, token: str | None, *, lock: bool = False
) -> TokenProblem | None:
    """Return what is wrong with a token, or None if its bearer may use the name.

    With ``lock`` the token can't be revoked or replaced before the transaction ends.

    A name without a token is free for bots without a token, unless it differs from one with a token
    only in upper and lower case, so that no bot passes for another.
    """
    rows = transaction.fetch(LOCKED_ALIKE if lock else ALIKE, {"key": name.lower()})
    alike = {found: (token_hash, revoked_at) for found, token_hash, revoked_at in rows}
    kept = alike.get(name)
    if kept is None and alike:
        return TokenProblem(f"the name {name} is too much like {min(alike)}, which is reserved")
    if kept is None:
        unknown = f"no token was issued for {name}; without one it may log in as a guest"
        return None if token is None else TokenProblem(unknown, is_free=True)
    if token is None:
        return TokenProblem(f"the name {name} is reserved; its token is required")
    token_hash, revoked_at = kept
    if not _is_token_of(token_hash, token):
        return TokenProblem(f"that is not the token of {name}")
    return None if revoked_at is None else TokenProblem(f"the token of {name} was revoked")


def open_session(entry: SessionOpened, transaction: Transaction) -> None:
    """Write a session, unless its token was revoked or its name reserved since it was checked."""
    if not entry.is_own and problem(transaction, entry.name, entry.token, lock=True) is not None:
        return
    is_guest = entry.token is None and not entry.is_own
    transaction.put(OPEN_SESSION, row_of(OPEN_SESSION, entry, is_guest=is_guest))


def close_session(entry: SessionClosed, transaction: Transaction) -> None:
    transaction.put(CLOSE_SESSION, {"secret_hash": entry.secret_hash})
    transaction.put(LEAVE_ALL, {"key": entry.secret_hash})


def join_ladder(entry: LadderJoined, transaction: Transaction) -> None:
    """Write a membership, unless the session was ended meanwhile."""
    if is_session_kept(transaction, entry.secret_hash, lock=True):
        transaction.put(JOIN, row_of(JOIN, entry))


def bearer_of(transaction: Transaction, token_hash: str) -> str | None:
    """Return the name that an issued token is good for, by the token's SHA-256; None for none."""
    query = sa.select(bots.c.name).where(bots.c.token_hash == token_hash)
    return transaction.execute(query).scalar_one_or_none()


def choosers_among(transaction: Transaction, names: Collection[str]) -> frozenset[str]:
    """Return those of some names whose bearers chose their tokens."""
    is_chosen = bots.c.token_hash.startswith(f"{CHOSEN}$", autoescape=True)
    query = sa.select(bots.c.name).where(bots.c.name.in_(names), is_chosen)
    return frozenset(transaction.execute(query).scalars())


def has_token(transaction: Transaction, name: str) -> bool:
    """Return whether a valid token was issued for a name."""
    return _has_right(transaction, name, sa.true())


def holders_among(transaction: Transaction, names: Collection[str]) -> frozenset[str]:
    """Return those of some names for which a valid token was issued."""
    query = sa.select(bots.c.name).where(bots.c.name.in_(names), bots.c.revoked_at.is_(None))
    return frozenset(transaction.execute(query).scalars())


def has_played(transaction: Transaction, name: str) -> bool:
    """Return whether a game that counts was played under a name, in whichever capitals."""
    query = sa.select(players.c.name).where(sa.func.lower(players.c.name) == name.lower())
    return transaction.execute(query.limit(1)).one_or_none() is not None


def may_review(transaction: Transaction, name: str) -> bool:
    """Return whether the holder of a name's token may review games."""
    return _has_right(transaction, name, bots.c.is_reviewer)


def may_submit(transaction: Transaction, name: str) -> bool:
    """Return whether the holder of a name's token may submit events that were played elsewhere."""
    return _has_right(transaction, name, bots.c.is_submitter)


def _has_right(transaction: Transaction, name: str, right: sa.ColumnElement[bool]) -> bool:
    query = sa.select(right).where(bots.c.name == name, bots.c.revoked_at.is_(None))
    return bool(transaction.execute(query).scalar_one_or_none())


def is_session_kept(transaction: Transaction, secret_hash: str, *, lock: bool = False) -> bool:
    """Return whether a session is still valid; with ``lock`` until the transaction ends."""
    return bool(transaction.fetch(LOCKED_KEPT if lock else KEPT, {"key": secret_hash}))


def former_sessions(transaction: Transaction) -> list[KeptSession]:
    return things(transaction, KeptSession, sa.select(sessions))


def kept_sessions(transaction: Transaction) -> frozenset[str]:
    """Return the hashes of all valid sessions: of good tokens, and of guests with free names."""
    is_free = sessions.c.is_guest.is_(True) & bots.c.name.is_(None)
    is_held = sessions.c.is_guest.is_(False) & bots.c.revoked_at.is_(None)
    query = (
        sa.select(sessions.c.secret_hash)
        .join_from(sessions, bots, bots.c.name == sessions.c.name, isouter=True)
        .where(is_free | is_held)
    )
    return frozenset(transaction.execute(query).scalars())


def _end_sessions(transaction: Transaction, which: sa.ColumnElement[bool]) -> None:
    """Delete sessions first, then their memberships: one may be under way to the store."""
    hashes = transaction.execute(sa.select(sessions.c.secret_hash).where(which)).scalars().all()
    transaction.execute(sa.delete(sessions).where(sessions.c.secret_hash.in_(hashes)))
    transaction.execute(sa.delete(members).where(members.c.secret_hash.in_(hashes)))


def _is_token_of(kept: str, token: str) -> bool:
    kind, _, rest = kept.partition("$")
    salt = rest.partition("$")[0]
    given = _chosen(token, salt) if kind == CHOSEN else _hash(token)
    return hmac.compare_digest(kept, given)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _chosen(token: str, salt: str) -> str:
    return f"{CHOSEN}${salt}${slow_hash(token, salt)}"
