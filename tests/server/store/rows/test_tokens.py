"""Credentials: issued beside a running server, asked for at the door, and revoked."""

import asyncio
import re
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection, insert, select

from mancala.protocol.messages import Error, ErrorCode, GameOver, Goodbye, Reason, Welcome
from mancala.server.app.server import Server
from mancala.server.app.system import utc
from mancala.server.config.settings import Kgp
from mancala.server.model.credentials import Credential, Rights, TokenProblem
from mancala.server.model.journal import LadderJoined, SessionOpened
from mancala.server.store import Store, StoreError
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.schema import bots, members, players, sessions
from mancala.server.store.database.writer import Transaction
from mancala.server.store.entries import write_all
from mancala.server.store.rows import tokens
from mancala.server.store.rows.tokens import kept_sessions, token_admin
from tests.patience import PATIENCE_S
from tests.server.peers import Arena, Peer, arena, kgp_of
from tests.server.store.databases import answered, fail, place_of, rows

pytestmark = pytest.mark.usefixtures("database")

SALT: Final = "00112233445566778899aabbccddeeff"
NAMES: Final = ("ann", "bob", "cy")
UTC: Final = "2026-11-21T12:00:00.000+00:00"
LATER: Final = "2026-11-22T12:00:00.000+00:00"


def issue(server: Server, name: str) -> str:
    with token_admin(server.config.store_path) as transaction:
        return tokens.issue(transaction, name, utc())


def revoke(server: Server, name: str) -> bool:
    with token_admin(server.config.store_path) as transaction:
        return tokens.revoke(transaction, name, utc())


async def greeted(running: Arena, name: str, token: str | None, resume: str | None = None) -> Peer:
    peer = await running.connect()
    await peer.hello(name, token=token, resume=resume)
    await peer.hear(Error | Welcome)  # type: ignore[arg-type]  # either
    return peer


async def refused(
    running: Arena, name: str, token: str | None, resume: str | None = None
) -> ErrorCode:
    return (await greeted(running, name, token, resume)).last(Error).code


async def test_a_token_issued_beside_the_server_holds_at_once(tmp_path: Path) -> None:
    """From then on the name is its bearer's alone."""
    async with arena(tmp_path) as running:
        token = issue(running.server, "ann")
        for wrong in (None, "guess"):
            assert await refused(running, "ann", wrong) is ErrorCode.BAD_TOKEN
        assert (await greeted(running, "ann", token)).last(Welcome).session


async def test_no_guest_passes_for_a_bot_by_writing_its_name_otherwise(tmp_path: Path) -> None:
    """Upper and lower case make no other name; two names that both have a token are two bots."""
    async with arena(tmp_path) as running:
        issue(running.server, "ann")
        error = (await greeted(running, "Ann", None)).last(Error)
        assert error.code is ErrorCode.BAD_TOKEN
        assert "too much like ann" in error.message
        token = issue(running.server, "ANN")
        assert (await greeted(running, "ANN", token)).last(Welcome).session


async def test_a_revoked_bot_is_sent_away_and_does_not_come_back(tmp_path: Path) -> None:
    """Neither with its token nor by its session; and the name stays reserved."""
    async with arena(tmp_path) as running:
        token = issue(running.server, "ann")
        ann = await greeted(running, "ann", token)
        await running.greet("guest")
        assert revoke(running.server, "ann")
        await running.server.housekeeper.keep()
        assert (await ann.hear(Error)).code is ErrorCode.BAD_TOKEN
        assert await refused(running, "ann", token) is ErrorCode.BAD_TOKEN
        assert await refused(running, "ann", None, ann.secret) is ErrorCode.BAD_RESUME
        assert not revoke(running.server, "ann")


async def test_a_guest_gives_up_a_name_that_is_reserved(tmp_path: Path) -> None:
    """From then on it is the token's; another guest stays."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        token = issue(running.server, "ann")
        await running.server.housekeeper.keep()
        assert (await bob.hear(GameOver)).reason is Reason.DISCONNECTED
        error = await ann.hear(Error)
        assert (error.code, error.fatal) == (ErrorCode.BAD_TOKEN, True)
        assert "reserved" in error.message
        await ann.hear_close()
        assert await refused(running, "ann", None, ann.secret) is ErrorCode.BAD_RESUME
        assert (await greeted(running, "ann", token)).last(Welcome).session


async def test_a_dropped_bot_resumes_unless_its_token_was_replaced(tmp_path: Path) -> None:
    """A new token means that the old one was lost, and its sessions with it."""
    async with arena(tmp_path) as running:
        ann = await greeted(running, "ann", issue(running.server, "ann"))
        await ann.hang_up()
        back = await greeted(running, "ann", None, ann.secret)
        assert back.last(Welcome).resumed
        issue(running.server, "ann")
        assert await refused(running, "ann", None, ann.secret) is ErrorCode.BAD_RESUME


async def test_a_server_without_guests_takes_tokens_only(tmp_path: Path) -> None:
    """By configuration."""
    async with arena(tmp_path, guests=False) as running:
        token = issue(running.server, "ann")
        assert await refused(running, "bob", None) is ErrorCode.BAD_TOKEN
        assert not (await greeted(running, "ann", token)).last(Welcome).resumed


def test_tokens_can_be_issued_before_the_first_server(tmp_path: Path) -> None:
    """The store is made; what is listed is everything but the tokens."""
    place = place_of(tmp_path / "deep")
    with token_admin(place) as transaction:
        token = tokens.issue(transaction, "ann", UTC)
        tokens.issue(transaction, "bob", UTC)
        tokens.revoke(transaction, "bob", LATER)
    with token_admin(place) as transaction:
        ann, bob = tokens.issued(transaction)
    assert (ann.name, ann.revoked_at) == ("ann", None)
    assert bob.revoked_at is not None
    assert token not in "".join(map(str, [ann, bob]))
    assert token not in str(rows(place, "SELECT * FROM bots"))


async def test_a_store_that_another_version_runs_on_is_left_alone(tmp_path: Path) -> None:
    """A migration beneath a running server would break it."""
    place = place_of(tmp_path)
    async with Store(place, failed=fail):
        with connect(place, Access.BESIDE) as connection:
            _pretend_age(connection)
        with pytest.raises(StoreError, match="another version"), token_admin(place):
            pass


def _pretend_age(connection: Connection) -> None:
    with connection.begin():
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0019'")


@pytest.fixture
def transaction(transaction: Transaction) -> Transaction:
    """A transaction in a store with the tokens of three bots, of which bob may review."""
    for name in NAMES:
        tokens.issue(transaction, name, UTC, Rights(is_reviewer=name == "bob"))
    return transaction


def test_revoking_a_token_leaves_the_others(transaction: Transaction) -> None:
    """Credentials are listed by name; a token is revoked once, and then takes all rights."""
    assert tokens.may_review(transaction, "bob")
    assert tokens.revoke(transaction, "bob", LATER) is True
    assert tokens.revoke(transaction, "bob", "2026-11-23") is False
    assert tokens.revoke(transaction, "dan", LATER) is False
    assert tokens.issued(transaction) == [
        Credential("ann", UTC, None, is_reviewer=False),
        Credential("bob", UTC, LATER, is_reviewer=True),
        Credential("cy", UTC, None, is_reviewer=False),
    ]
    assert [tokens.may_review(transaction, name) for name in (*NAMES, "dan")] == [False] * 4


def test_a_new_token_replaces_that_of_its_name_alone(transaction: Transaction) -> None:
    """It is long enough not to be guessed; what is wrong with another one is said."""
    new = tokens.issue(transaction, "bob", LATER)
    assert len(new) == 32
    assert tokens.problem(transaction, "bob", new) is None
    assert tokens.problem(transaction, "ann", new) == TokenProblem("that is not the token of ann")
    assert tokens.problem(transaction, "bob", None) == TokenProblem(
        "the name bob is reserved; its token is required"
    )
    assert not tokens.may_review(transaction, "bob")
    assert [credential.name for credential in tokens.issued(transaction)] == list(NAMES)
    tokens.revoke(transaction, "bob", LATER)
    assert tokens.problem(transaction, "bob", new) == TokenProblem("the token of bob was revoked")


def test_a_name_without_a_token_is_free_for_guests(transaction: Transaction) -> None:
    """A token that was never issued is an error, which says that the name may be bound."""
    for free in ("abe", "bea", "dan"):
        assert tokens.problem(transaction, free, None) is None
    unknown = tokens.problem(transaction, "dan", "guess")
    assert unknown is not None
    assert unknown.is_free
    alike = tokens.problem(transaction, "Bob", None)
    assert alike == TokenProblem("the name Bob is too much like bob, which is reserved")


def test_a_name_belongs_to_the_first_that_binds_it(transaction: Transaction) -> None:
    """With the token that its bearer chose."""
    assert tokens.bind(transaction, "dan", "mine", UTC, salt=SALT) is None
    assert tokens.bind(transaction, "dan", "mine", UTC, salt=SALT) is None
    assert tokens.bind(transaction, "dan", "yours", UTC, salt=SALT) is not None
    assert tokens.bind(transaction, "ann", "mine", UTC, salt=SALT) is not None
    assert not tokens.may_review(transaction, "dan")
    [kept] = transaction.execute(select(bots.c.token_hash).where(bots.c.name == "dan")).scalars()
    assert re.fullmatch(r"scrypt\$[0-9a-f]{32}\$[0-9a-f]{64}", kept)


def test_hashes_of_former_versions_are_those_of_this_one() -> None:
    """A changed parameter would lock every bot out."""
    assert tokens._hash("s3cret") == (
        "1ec1c26b50d5d3c58d9583181af8076655fe00756bf7285940ba3670f99fcba0"
    )
    assert tokens._chosen("s3cret", "00112233445566778899aabbccddeeff") == (
        "scrypt$00112233445566778899aabbccddeeff$"
        "460e326b38f57625998017cdc40f38fb3816241417a900cdadea78a00663a1df"
    )


def test_a_new_token_ends_the_sessions_of_its_name_alone(transaction: Transaction) -> None:
    """Guests who write it otherwise stay, and so do other bots with their memberships."""
    held = {name: tokens.issue(transaction, name, UTC) for name in NAMES}
    opened = [SessionOpened(name, name, None, token) for name, token in held.items()]
    opened += [SessionOpened(name, name, None) for name in ("dan", "Dan", "eve")]
    joined = [LadderJoined("main", session.secret_hash) for session in opened]
    write_all([*opened, *joined], transaction)
    transaction.flush()
    for name in ("bob", "dan"):
        tokens.issue(transaction, name, LATER)
    assert tokens.kept_sessions(transaction) == {"ann", "cy", "Dan", "eve"}
    present = transaction.execute(select(members.c.secret_hash)).scalars()
    assert sorted(present) == ["Dan", "ann", "cy", "eve"]


def test_what_was_never_reserved_is_not_taken_from_a_guest(transaction: Transaction) -> None:
    """There is no token to revoke."""
    write_all([SessionOpened("d", "dan", None)], transaction)
    transaction.flush()
    assert not tokens.revoke(transaction, "dan", LATER)
    assert tokens.kept_sessions(transaction) == {"d"}


def test_a_name_has_played_once_a_game_counts(transaction: Transaction) -> None:
    """In whichever capitals; whose a free name may become depends on it."""
    counts = {column.name: 1 for column in players.columns} | {"last_game_at": UTC}
    for name in ("dan", "DAN"):
        transaction.execute(insert(players), counts | {"name": name})
    found = [tokens.has_played(transaction, name) for name in ("dan", "Dan", "eve")]
    assert found == [True, True, False]


async def test_a_client_of_kgp_takes_no_guests_name_in_other_capitals(tmp_path: Path) -> None:
    """Its token was bound to ``ada``, and ``Ada`` could not come back."""
    counts = {column.name: 1 for column in players.columns} | {"last_game_at": UTC, "name": "Ada"}
    played = insert(players).values(counts)
    kgp = Kgp(tcp_port=0, claim_names=True)
    async with asyncio.timeout(PATIENCE_S), arena(tmp_path, kgp=kgp) as running:

        async def claim() -> None:
            port = kgp_of(running.server).tcp_port
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b'set info:name "ada"\nset auth:token "my-own-token"\n5 mode freeplay\n')
            while not (line := await reader.readline()).endswith(b"@5 ok\r\n"):
                assert line
            writer.write(b"7 goodbye\n")
            await reader.read()
            writer.close()

        guest = await running.greet("Ada")
        await claim()
        await guest.say(Goodbye())
        await running.server.target.store.run(Transaction.execute, played)
        await claim()
        await running.greet("Ada")


def test_sessions_that_a_token_no_longer_covers_are_not_valid(transaction: Transaction) -> None:
    """Also if they were added in the moment in which it was issued or revoked."""
    held = tokens.issue(transaction, "bob", UTC)
    opened = [SessionOpened("b", "bob", None, held), SessionOpened("d", "dan", None)]
    write_all(opened, transaction)
    transaction.flush()
    kept = [dict(row) for row in transaction.execute(select(sessions)).mappings()]
    tokens.revoke(transaction, "bob", LATER)
    tokens.issue(transaction, "dan", LATER)
    for row in kept:
        transaction.execute(insert(sessions), row)
    assert not tokens.kept_sessions(transaction)


def test_a_name_reserved_since_it_was_checked_opens_no_session_for_a_guest(
    transaction: Transaction,
) -> None:
    """As a token that was lost meanwhile."""
    assert tokens.problem(transaction, "dan", None) is None
    tokens.issue(transaction, "dan", LATER)
    write_all([SessionOpened("d", "dan", None)], transaction)
    transaction.flush()
    assert not tokens.kept_sessions(transaction)


@pytest.mark.parametrize("lose", [tokens.revoke, tokens.issue])
def test_a_token_lost_since_it_was_checked_opens_no_session(
    transaction: Transaction, lose: Callable[[Transaction, str, str], object]
) -> None:
    """What is not kept, housekeeping ends; the bot would stay for ever otherwise, or its ladder."""
    token = tokens.issue(transaction, "bob", UTC)
    assert tokens.problem(transaction, "bob", token) is None
    lose(transaction, "bob", LATER)
    write_all([SessionOpened("b", "bob", None, token), LadderJoined("main", "b")], transaction)
    transaction.flush()
    assert not tokens.is_session_kept(transaction, "b")
    assert not transaction.execute(select(members)).all()


def test_a_token_gives_no_right_to_review_unless_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store may be named by a path in the working directory."""
    monkeypatch.chdir(tmp_path)
    with token_admin("store.db") as transaction:
        tokens.issue(transaction, "ann", UTC)
        tokens.issue(transaction, "rev", UTC, Rights(is_reviewer=True))
        found = tokens.issued(transaction)
    assert [credential.is_reviewer for credential in found] == [False, True]
    assert not Credential("ann", UTC, None).is_reviewer


def test_a_look_at_tokens_makes_no_store(tmp_path: Path) -> None:
    """A mistyped path is an error, and leaves nothing behind."""
    place = place_of(tmp_path / "mistyped")
    with pytest.raises(StoreError), token_admin(place, Access.READ):
        pass
    assert not (tmp_path / "mistyped").exists()


def test_a_store_in_memory_has_no_desk() -> None:
    """There is nothing to write to beside the server."""
    with pytest.raises(StoreError, match="memory"), token_admin(":memory:"):
        pass


async def test_a_name_of_the_house_keeps_its_session_at_every_start(tmp_path: Path) -> None:
    """A guest that had the name leaves, and no token opens it from outside."""
    path = place_of(tmp_path)
    async with Store(path, failed=fail) as store:
        token = await store.run(tokens.issue, "cy", UTC)
        with closing(connect(path, Access.BESIDE)) as connection, connection.begin():
            transaction = Transaction(connection)
            guest = SessionOpened("ann's", "ann", None)
            write_all([guest, SessionOpened("bob's", "bob", None, is_own=True)], transaction)
            transaction.flush()
        for _start in range(2):
            await store.reserve(NAMES, LATER)
            assert await store.run(kept_sessions) == {"bob's"}
        found = await answered(partial(store.check, "cy", token))
        assert found == TokenProblem("that is not the token of cy")
