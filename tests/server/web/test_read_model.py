"""What the web learns of a running server, on its bad days too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.messages import MatchOver, Move, Turn
from server.config.settings import Config
from server.lobby.sessions import SessionRegistry
from server.model.schemas.status import BrokerState, Readiness
from server.web import read_model
from server.web.metrics import Metrics
from server.web.read_model import ReadModel
from tests.server.peers import arena


class BrokenStore:
    """A store that fails, or never answers."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def try_writing(self) -> None:
        """Fail, or take for ever."""
        if self._error is not None:
            raise self._error
        await asyncio.get_running_loop().create_future()


def looking_at(sessions: SessionRegistry, error: Exception | None = None) -> ReadModel:
    """Look at a sessions whose store is broken."""
    return ReadModel(Config(), 1, sessions, BrokenStore(error), lambda: BrokerState.AWAY, Metrics())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for nothing."""
    monkeypatch.setattr(read_model, "PATIENCE_S", 0.01)


async def test_a_store_that_fails_makes_the_server_unready(tmp_path: Path) -> None:
    """The kind of error is reported, and none of its details, which may hold paths."""
    async with arena(tmp_path) as running:
        found = await looking_at(running.server._sessions, OSError("/secret/path")).readiness()
    assert found == Readiness(ready=False, store="OSError", broker=BrokerState.AWAY)


@pytest.mark.usefixtures("impatient")
async def test_a_store_that_does_not_answer_makes_the_server_unready(tmp_path: Path) -> None:
    """A disk that hangs is noticed in its time."""
    async with arena(tmp_path) as running:
        found = await looking_at(running.server._sessions).readiness()
    assert not found.ready
    assert found.store == "no write in 0.01 s"


@pytest.mark.usefixtures("impatient")
async def test_a_suspended_game_is_not_live(tmp_path: Path) -> None:
    """A server that is about to stop shows no board that stands still for ever."""
    async with arena(tmp_path) as running:
        ann, _ = await running.pair("ann", "bob")
        game = (await ann.hear(Turn)).game
        sessions = running.server._sessions
        assert await looking_at(sessions).live(game) is not None
        sessions.suspend()
        assert await looking_at(sessions).live(game) is None


async def test_who_is_here_is_told_from_who_is_not(tmp_path: Path) -> None:
    """A bot that plays, one that only is here, and one that is not."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        game = (await ann.hear(Turn)).game
        await running.greet("cid")
        looking = looking_at(running.server._sessions)
        assert "mancala_connections 3.0" in await looking.metrics()
        assert (await looking.presence("ann")).playing == (game,)
        assert (await looking.presence("cid")).present
        assert (await looking.presence("cid")).playing == ()
        assert not (await looking.presence("dora")).present
        turn = ann.last(Turn)
        await ann.say(Move(turn.game, turn.ply, turn.legal[0]))
        await asyncio.gather(ann.play_until(MatchOver), bob.play_until(MatchOver))
        assert (await looking.presence("ann")).playing == ()
        assert await looking.live(game) is None
