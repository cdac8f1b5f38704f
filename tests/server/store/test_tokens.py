"""Credentials: issued beside a running server, asked for at the door, and revoked."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from protocol.messages import Error, ErrorCode, Welcome
from server.app import Server
from server.store import Store, StoreError
from server.store.database import Access, connect
from server.store.tokens import token_admin
from server.system import utc
from tests.server.peers import Arena, Peer, arena
from tests.server.store.databases import place_of, rows

pytestmark = pytest.mark.usefixtures("database")


def fail(error: Exception) -> None:
    """Refuse to go on when the store couldn't."""
    raise error


def issue(server: Server, name: str) -> str:
    """Issue a token as a command beside the server does."""
    with token_admin(server.config.store_path, utc) as desk:
        return desk.issue(name)


def revoke(server: Server, name: str) -> bool:
    """Revoke one likewise."""
    with token_admin(server.config.store_path, utc) as desk:
        return desk.revoke(name)


async def greeted(running: Arena, name: str, token: str | None, resume: str | None = None) -> Peer:
    """Send hello and return the answer."""
    peer = await running.connect()
    await peer.hello(name, token=token, resume=resume)
    await peer.hear(Error | Welcome)  # type: ignore[arg-type]  # either
    return peer


async def test_a_token_issued_beside_the_server_holds_at_once(tmp_path: Path) -> None:
    """From then on the name is its bearer's alone."""
    async with arena(tmp_path) as running:
        token = issue(running.server, "ann")
        for wrong in (None, "guess"):
            refused = await greeted(running, "ann", wrong)
            assert refused.last(Error).code is ErrorCode.BAD_TOKEN
        assert (await greeted(running, "ann", token)).last(Welcome).session


async def test_no_guest_passes_for_a_bot_by_writing_its_name_otherwise(tmp_path: Path) -> None:
    """Upper and lower case make no other name; two names that both have a token are two bots."""
    async with arena(tmp_path) as running:
        issue(running.server, "ann")
        refused = await greeted(running, "Ann", None)
        assert refused.last(Error).code is ErrorCode.BAD_TOKEN
        assert "too much like ann" in refused.last(Error).message
        token = issue(running.server, "ANN")
        assert (await greeted(running, "ANN", token)).last(Welcome).session


async def test_a_revoked_bot_is_sent_away_and_does_not_come_back(tmp_path: Path) -> None:
    """Neither with its token nor by its session; and the name stays reserved."""
    async with arena(tmp_path) as running:
        token = issue(running.server, "ann")
        ann = await greeted(running, "ann", token)
        await running.greet("guest")
        assert revoke(running.server, "ann")
        await running.server.housekeep()
        assert (await ann.hear(Error)).code is ErrorCode.BAD_TOKEN
        again = await greeted(running, "ann", token)
        assert again.last(Error).code is ErrorCode.BAD_TOKEN
        by_session = await greeted(running, "ann", None, ann.secret)
        assert by_session.last(Error).code is ErrorCode.BAD_RESUME
        assert not revoke(running.server, "ann")


async def test_a_dropped_bot_resumes_unless_its_token_was_replaced(tmp_path: Path) -> None:
    """A new token means that the old one was lost, and its sessions with it."""
    async with arena(tmp_path) as running:
        ann = await greeted(running, "ann", issue(running.server, "ann"))
        await ann.hang_up()
        back = await greeted(running, "ann", None, ann.secret)
        assert back.last(Welcome).resumed
        issue(running.server, "ann")
        refused = await greeted(running, "ann", None, ann.secret)
        assert refused.last(Error).code is ErrorCode.BAD_RESUME


async def test_a_server_without_guests_takes_tokens_only(tmp_path: Path) -> None:
    """By configuration."""
    async with arena(tmp_path, guests=False) as running:
        token = issue(running.server, "ann")
        assert (await greeted(running, "bob", None)).last(Error).code is ErrorCode.BAD_TOKEN
        assert not (await greeted(running, "ann", token)).last(Welcome).resumed


def test_tokens_can_be_issued_before_the_first_server(tmp_path: Path) -> None:
    """The store is made; what is listed is everything but the tokens."""
    place = place_of(tmp_path / "deep")
    with token_admin(place, utc) as desk:
        token = desk.issue("ann")
        desk.issue("bob")
        desk.revoke("bob")
    with token_admin(place, utc) as desk:
        ann, bob = desk.issued()
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
        with pytest.raises(StoreError, match="another version"), token_admin(place, utc):
            pass


def _pretend_age(connection: Connection) -> None:
    with connection.begin():
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0003'")


def test_a_store_in_memory_has_no_desk() -> None:
    """There is nothing to write to beside the server."""
    with pytest.raises(StoreError, match="memory"), token_admin(":memory:", utc):
        pass
