"""What the web learns of a running server, on its bad days too."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn, cast
from unittest.mock import AsyncMock

import pytest

from mancala.protocol.messages import GameStart, MatchOver, Move, Moved, Turn
from mancala.protocol.rules import Board
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import Config, LiveConfig
from mancala.server.lobby.sessions import SessionRegistry
from mancala.server.model.orders import AdminAct, LoggedAct
from mancala.server.model.schemas.event_orders import GivenOrder
from mancala.server.model.schemas.status import BrokerState, Readiness
from mancala.server.store import Store
from mancala.server.web.feed import read_model, topics
from mancala.server.web.feed.metrics import Metrics
from mancala.server.web.feed.read_model import ReadModel
from tests.patience import PATIENCE_S
from tests.server.peers import arena


class BrokenStore(Store):
    """A store that fails, or never answers."""

    def __init__(self, error: Exception | None) -> None:  # it has no database
        self._error = error

    @property
    def queued(self) -> int:
        return 0

    async def try_writing(self) -> None:
        if self._error is not None:
            raise self._error
        await asyncio.get_running_loop().create_future()


async def no_order(given: GivenOrder) -> NoReturn:
    pytest.fail(f"an order: {given.order}")


def looking_at(
    sessions: SessionRegistry,
    store: Store | None = None,
    *,
    fronts_s: tuple[float, ...] = (),
    config: Config | None = None,
) -> ReadModel:
    parts = LiveConfig(config or Config()), 1, sessions, store or BrokenStore(None)
    outside = lambda: BrokerState.AWAY, Metrics(), lambda: None, no_order
    return ReadModel(*parts, *outside, lambda: fronts_s, tuple, tuple)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_model, "PATIENCE_S", 0.01)


async def test_a_store_that_fails_makes_the_server_unready(tmp_path: Path) -> None:
    """The kind of error is reported, and none of its details, which may hold paths."""
    async with arena(tmp_path) as running:
        store = BrokenStore(OSError("/secret/path"))
        found = await looking_at(running.server._sessions, store).ask(topics.READINESS)
    assert found == Readiness(ready=False, store="OSError", broker=BrokerState.AWAY)


async def test_a_server_whose_fronts_are_all_gone_is_unready(tmp_path: Path) -> None:
    """Its games wait for them."""
    async with arena(tmp_path) as running:
        parts = running.server._sessions, running.server._store
        for fronts_s in ((), (0.5,)):
            looking = looking_at(*parts, fronts_s=fronts_s, config=Config(fronts=1))
            assert (await looking.ask(topics.READINESS)).ready == bool(fronts_s)


async def test_what_a_page_lists_of_a_running_server_has_a_bound() -> None:
    """200 opponents, the organiser's first, twelve openings of a ladder, 100 lines of the log."""
    names = [*(f"bot-{number:03}" for number in range(200)), "hal"]
    present = [
        SimpleNamespace(name=name, agent=None, matches={}, takes_challenges=True) for name in names
    ]
    openings = tuple(f"pits {pit}" for pit in range(13))
    ladder = LadderSettings(name="main", openings=openings, house={"hal": "random"})
    sessions = cast("SessionRegistry", SimpleNamespace(directory=SimpleNamespace(present=present)))
    act = AdminAct("2030-01-01T00:00:00Z", "root", "drain", '{"changed":[]}', "")
    lines = [LoggedAct(number, act) for number in range(200, 0, -1)]
    store = AsyncMock(read_apart=AsyncMock(side_effect=lambda _query, limit: lines[:limit]))
    looking = looking_at(sessions, store, config=Config(ladder=(ladder,), public_log=True))
    log = await looking.ask(topics.LOG)
    assert log is not None
    assert [each.number for each in log.log] == [*range(200, 100, -1)]
    shown = (await looking.ask(topics.OPPONENTS)).opponents
    assert [(each.name, each.house) for each in shown] == [
        ("hal", True),
        *((name, False) for name in names[:199]),
    ]
    [terms] = (await looking.ask(topics.TERMS)).ladders
    assert (terms.openings, terms.openings_total) == (openings[:12], 13)


@pytest.mark.usefixtures("impatient")
async def test_a_store_that_does_not_answer_makes_the_server_unready(tmp_path: Path) -> None:
    """A disk that hangs is noticed in its time."""
    async with arena(tmp_path) as running:
        found = await looking_at(running.server._sessions).ask(topics.READINESS)
    assert not found.ready
    assert found.store == "no write in 0.01 s"


async def test_a_suspended_game_is_not_live(tmp_path: Path) -> None:
    """A server that stops shows no board that stands still; who asks for one waits for nothing."""
    async with arena(tmp_path) as running:
        ann, _ = await running.pair("ann", "bob")
        game = (await ann.hear(Turn)).game
        sessions = running.server._sessions
        assert await looking_at(sessions).ask(topics.LIVE, game) is not None
        table, shown = sessions.tables.shown[game], list[GameStart | None]()
        table.queue.pause(PATIENCE_S, lambda: None)
        table.show(shown.append)
        assert shown == []
        sessions.suspend()
        table.show(shown.append)
        assert shown == [None, None]
        assert await looking_at(sessions).ask(topics.LIVE, game) is None


async def test_who_is_here_is_told_from_who_is_not(tmp_path: Path) -> None:
    """A bot that plays, one that only is here, and one that is not."""
    async with arena(tmp_path) as running:
        ann, bob = await running.pair("ann", "bob")
        game = (await ann.hear(Turn)).game
        await running.greet("cid")
        looking = looking_at(running.server._sessions)
        assert "mancala_connections 3.0" in (await looking.ask(topics.METRICS)).text
        assert (await looking.ask(topics.PRESENCE, "ann")).playing == (game,)
        assert (await looking.ask(topics.PRESENCE, "cid")).present
        assert (await looking.ask(topics.PRESENCE, "cid")).playing == ()
        assert not (await looking.ask(topics.PRESENCE, "dora")).present
        turn = ann.last(Turn)
        await ann.say(Move(turn.game, turn.ply, turn.legal[0]))
        await asyncio.gather(ann.play_until(MatchOver), bob.play_until(MatchOver))
        assert (await looking.ask(topics.PRESENCE, "ann")).playing == ()
        assert await looking.ask(topics.LIVE, game) is None


async def test_positions_of_running_rated_games_are_known(tmp_path: Path) -> None:
    """The one on the board and those after one more move, once the opening is over."""
    async with arena(tmp_path, rules="kalah") as running:
        players = await running.pair("ann", "bob")
        looking = looking_at(running.server._sessions)
        start = Board.start()
        assert not (await looking.ask(topics.IN_PLAY, start.text)).is_in_play
        board = start
        for pit in (0, 1, 2, 3):
            mover = players[board.player]
            turn = await mover.hear(Turn)
            await mover.say(Move(turn.game, turn.ply, pit))
            await mover.hear(Moved)
            board = board.sow(pit).board
        for shown in (board, board.sow(board.legal()[-1]).board):
            assert (await looking.ask(topics.IN_PLAY, shown.text)).is_in_play
        assert not (await looking.ask(topics.IN_PLAY, start.text)).is_in_play
