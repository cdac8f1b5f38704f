"""Tokens that bots chose are checked without delaying the journal."""

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mancala.server.model.credentials import TokenProblem
from mancala.server.model.journal import SessionOpened
from mancala.server.store import Store
from mancala.server.store.rows.slow_hashes import MOST_WAITING, slow_hash
from mancala.server.store.rows.tokens import kept_sessions
from mancala.server.store.store import TOO_MANY
from tests.server.store.databases import answered, place_of

UTC = "2026-11-21T12:00:00.000+00:00"
WRONG = TokenProblem("that is not the token of ann")


class HashGate:
    """Stands before every slow hash."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.opened.set()
        self.begun = threading.Event()
        self.passed = 0
        self._scrypt = hashlib.scrypt

    def scrypt(self, *args: Any, **options: Any) -> bytes:  # noqa: ANN401  # as hashlib has them
        self.passed += 1
        self.begun.set()
        self.opened.wait()
        return self._scrypt(*args, **options)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashGate]:
    slow_hash.cache_clear()
    made = HashGate()
    monkeypatch.setattr(hashlib, "scrypt", made.scrypt)
    yield made
    made.opened.set()
    slow_hash.cache_clear()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """A store in which ann has bound her name to a token of her own."""
    async with Store(place_of(tmp_path), failed=_raise) as opened:
        assert await answered(partial(opened.bind, "ann", "ann's own", UTC)) is None
        yield opened


def _raise(error: Exception) -> None:
    raise error


async def test_a_wrong_token_does_not_hold_the_journal_up(gate: HashGate, store: Store) -> None:
    """While its hash is computed, a session becomes durable."""
    gate.opened.clear()
    gate.begun.clear()
    answers: asyncio.Queue[TokenProblem | None] = asyncio.Queue()
    store.check("ann", "guess", answers.put_nowait)
    await asyncio.to_thread(gate.begun.wait)
    durable = asyncio.Event()
    store.commit([SessionOpened("bob's", "bob", None)], durable.set)
    await durable.wait()
    assert answers.empty()
    gate.opened.set()
    assert await answers.get() == WRONG


async def test_a_login_hashes_its_token_once(gate: HashGate, store: Store) -> None:
    """The check, and the one of the transaction that opens the session."""
    slow_hash.cache_clear()
    gate.passed = 0
    assert await answered(partial(store.check, "ann", "ann's own")) is None
    durable = asyncio.Event()
    store.commit([SessionOpened("ann's", "ann", None, "ann's own")], durable.set)
    await durable.wait()
    assert await store.run(kept_sessions) == {"ann's"}
    assert gate.passed == 1


async def test_more_than_a_second_of_hashes_is_refused(gate: HashGate, store: Store) -> None:
    """Those before are answered, one after the other."""
    gate.opened.clear()
    answers: asyncio.Queue[TokenProblem | None] = asyncio.Queue()
    for number in range(MOST_WAITING + 2):
        store.check("ann", f"guess {number}", answers.put_nowait)
    assert await answers.get() == TOO_MANY
    gate.opened.set()
    while await answers.get() != WRONG:
        pass
