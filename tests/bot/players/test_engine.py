"""The engine as a player: in time, in a thread, with its best move so far on offer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence

import pytest

from bot import Choice, GameResult
from bot.players import engine as thinking
from bot.players.engine import EnginePlayer
from engine.search import Engine, EngineOptions, Limit, Report
from protocol.messages import Info, Reason
from protocol.rules import Board
from tests.bot.players.turns import question

BUDGET_S = 0.2
OVER = GameResult(
    game="g1",
    match="m1",
    opponent="rival",
    seat=0,
    winner=0,
    stores=(25, 23),
    reason=Reason.NORMAL,
)


@pytest.fixture
async def player() -> AsyncIterator[EnginePlayer]:
    """Give a warm engine."""
    player = EnginePlayer(Limit(), EngineOptions(table_bits=16, book=False))
    await player.warm_up()
    yield player
    await player.close()


async def test_answers_within_the_budget_and_offers_on_the_way(player: EnginePlayer) -> None:
    """The engine's reports are provisional moves; the answer is the last one, in time."""
    offers: list[Choice] = []
    turn = question(budget_s=BUDGET_S, heard=lambda pit, info: offers.append(Choice(pit, info)))
    began = time.monotonic()
    choice = await player.choose(turn)
    assert time.monotonic() - began < 3 * BUDGET_S
    assert choice.pit in turn.legal
    await asyncio.sleep(0)
    assert len(offers) > 1
    assert offers[-1] == choice
    assert isinstance(choice.info, Info)
    assert choice.info.depth
    assert choice.info.pv


async def test_a_limit_of_depth_ends_the_thought_early() -> None:
    """With ``depth`` the engine answers long before its budget is spent."""
    player = EnginePlayer(Limit(depth=2), EngineOptions(table_bits=16))
    choice = await player.choose(question(budget_s=3600.0))
    assert choice.info is not None
    assert choice.info.depth == 2
    await player.close()


async def test_an_only_move_is_answered_after_a_glance(player: EnginePlayer) -> None:
    """Where there is nothing to choose, an hour's budget is not spent; and a value is told."""
    forced = Board.from_text("<6,0,0,0,0,0,0,0,9,9,9,9,9,9,9>")
    choice = await player.choose(question(forced, budget_s=3600.0))
    assert choice.pit == 5
    assert choice.info is not None
    assert choice.info.depth


async def test_the_loop_goes_on_while_it_thinks(player: EnginePlayer) -> None:
    """A search in its thread leaves the loop its turns."""
    task = asyncio.create_task(player.choose(question(budget_s=BUDGET_S)))
    turns = 0
    while not task.done():
        turns += 1
        await asyncio.sleep(BUDGET_S / 100)
    assert turns > 10


async def test_a_closed_question_stops_its_search(player: EnginePlayer) -> None:
    """After a cancelled question the engine is soon free for the next one."""
    endless = asyncio.create_task(player.choose(question(budget_s=3600.0)))
    await asyncio.sleep(0)
    endless.cancel()
    await asyncio.wait([endless])
    turns = [question(budget_s=BUDGET_S) for _ in range(4)]
    async with asyncio.timeout(20 * BUDGET_S):
        choices = await asyncio.gather(*map(player.choose, turns))
    assert all(choice.pit in turns[0].legal for choice in choices)


class Sluggish(Engine):
    """An engine that reports once and then takes no notice of its limit."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def think(self, board: Board, limit: Limit) -> Iterator[Report]:
        """Give one report and hang."""
        yield Report(
            depth=1,
            pit=4,
            value=0.0,
            exact=False,
            pv=(4,),
            nodes=len(board.legal()),
            seconds=limit.time_s or 0.0,
            moves=(),
        )
        self.released.wait()

    def stop(self) -> None:
        """Take no notice."""


async def test_an_engine_that_is_late_does_not_cost_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the budget is spent the best move so far is played, whatever the engine does."""
    engine = Sluggish()
    monkeypatch.setattr(thinking, "Engine", lambda **_options: engine)
    player = EnginePlayer(Limit(), EngineOptions())
    async with asyncio.timeout(20 * BUDGET_S):
        assert (await player.choose(question(budget_s=BUDGET_S))).pit == 4
    engine.released.set()
    await player.close()


class Dreamer(Engine):
    """An engine that answers pit 4 at once, and ponders until it is stopped.

    Attributes:
        pondered: the boards it began to ponder on, each with the line that was expected.
    """

    def __init__(self) -> None:
        self.pondered: list[tuple[Board, tuple[int, ...]]] = []
        self._in_use = threading.Lock()
        self._stopped_by_question = threading.Event()

    def think(self, board: Board, limit: Limit) -> Iterator[Report]:
        """Answer, unless another thought is under way."""
        assert self._in_use.acquire(blocking=False)
        pit = board.legal()[-2]
        yield Report(
            depth=1,
            pit=pit,
            value=0.0,
            exact=False,
            pv=(pit, 2, 3),
            nodes=1,
            seconds=limit.time_s or 0.0,
            moves=(),
        )
        self._in_use.release()

    def ponder(self, board: Board, line: Sequence[int], limit: Limit) -> Iterator[Report]:
        """Ponder until stopped."""
        assert limit.time_s is not None
        with self._in_use:
            self.pondered.append((board, tuple(line)))
            self._stopped_by_question.wait()
            self._stopped_by_question.clear()
            yield from ()

    def stop(self) -> None:
        """End the pondering."""
        self._stopped_by_question.set()


@pytest.fixture
def dreamer(monkeypatch: pytest.MonkeyPatch) -> Dreamer:
    """Give the only engine of every player."""
    engine = Dreamer()
    monkeypatch.setattr(thinking, "Engine", lambda **_options: engine)
    monkeypatch.setattr(thinking, "MOST_ENGINES", 1)
    monkeypatch.setattr(thinking, "PONDER_STOPPING_S", 20 * BUDGET_S)
    return engine


async def test_pondering_is_about_the_reply_and_ends_with_the_next_question(
    dreamer: Dreamer,
) -> None:
    """The engine ponders on its opponent's board; the next question has it back, alone."""
    player = EnginePlayer(Limit(), EngineOptions(ponder=1))
    for _ in range(3):
        choice = await player.choose(question(budget_s=20 * BUDGET_S))
        assert choice.info is not None
    player.game_over(OVER)
    await player.close()
    assert dreamer.pondered[:2] == [(Board.start().sow(4).board, (2, 3))] * 2


async def test_an_extra_turn_is_no_time_to_ponder(dreamer: Dreamer) -> None:
    """Where the bot moves again itself, its own question comes next."""
    player = EnginePlayer(Limit(), EngineOptions(ponder=1))
    board = Board.from_text("<3,0,0,1,2,1,4,4,4>")
    assert board.sow(board.legal()[-2]).board.player == board.player
    await player.choose(question(board, budget_s=20 * BUDGET_S))
    await player.close()
    assert dreamer.pondered == []


async def test_nobody_ponders_unasked(dreamer: Dreamer) -> None:
    """Without the option, an engine rests between its questions."""
    player = EnginePlayer(Limit(), EngineOptions())
    await player.choose(question(budget_s=20 * BUDGET_S))
    await player.close()
    assert dreamer.pondered == []


async def test_a_pondering_engine_answers_as_any_other() -> None:
    """A game of questions, with real pondering in between, has a legal answer to each."""
    player = EnginePlayer(Limit(depth=4), EngineOptions(table_bits=16, ponder=1, book=False))
    await player.warm_up()
    board = Board.start()
    for _ in range(12):
        choice = await player.choose(question(board, budget_s=20 * BUDGET_S))
        assert choice.info is not None
        assert choice.info.depth == 4
        board = board.sow(choice.pit).board
    await player.close()
