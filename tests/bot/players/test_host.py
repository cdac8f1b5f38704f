"""Players hosted on a server: in time, in threads, with the best move so far on offer."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from mancala.bot import Choice, GameResult, Turn
from mancala.bot.client.bot import Bot, Game
from mancala.bot.players import engine as players
from mancala.bot.players import host
from mancala.bot.players.engine import EnginePlayer
from mancala.bot.players.host import PacedBot, PlayerBot
from mancala.bot.players.registry import make_player
from mancala.engine.search.engine import Engine, EngineOptions, Limit, Report
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.messages import Info, Reason
from mancala.protocol.player import UNLIMITED, Budget, Player, PlayerError
from mancala.protocol.rules import KALAH, Board
from mancala.server.contest.headless.game import Conditions, Task, play, seed_of
from tests.bot.players.turns import question
from tests.patience import PATIENCE_S

BUDGET_S = 1.0
OVER = GameResult("g1", "m1", "rival", seat=0, winner=0, stores=(25, 23), reason=Reason.NORMAL)
REPORT = Report(depth=1, pit=4, value=0.0, exact=False, pv=(4,), nodes=1, seconds=0.0, moves=())


def hosted(limit: Limit, options: EngineOptions) -> PlayerBot:
    return PlayerBot(lambda: EnginePlayer(limit, options))


@pytest.fixture
async def player() -> AsyncIterator[PlayerBot]:
    player = hosted(Limit(), EngineOptions(table_bits=16, book=False, tables=16))
    await player.warm_up()
    yield player
    await player.close()


async def test_an_answer_comes_when_the_budget_is_spent(player: PlayerBot) -> None:
    """The engine itself would think on without end."""
    turn = question(budget_s=BUDGET_S)
    choice = await player.choose(turn)
    assert choice.pit in turn.legal
    assert isinstance(choice.info, Info)
    assert choice.info.depth
    assert choice.info.pv


async def test_offers_come_on_the_way() -> None:
    """The engine's reports are provisional moves; the answer is the last one."""
    offers: list[Choice] = []
    player = hosted(Limit(depth=4), EngineOptions(table_bits=16, book=False, tables=16))
    heard = question(budget_s=PATIENCE_S, heard=lambda pit, info: offers.append(Choice(pit, info)))
    choice = await player.choose(heard)
    await asyncio.sleep(0)
    await player.close()
    assert len(offers) > 1
    assert offers[-1] == choice


async def test_a_limit_of_depth_ends_the_thought_early() -> None:
    """With ``depth`` the engine answers long before its budget is spent."""
    player = hosted(Limit(depth=2), EngineOptions(table_bits=16))
    choice = await player.choose(question(budget_s=3600.0))
    assert choice.info is not None
    assert choice.info.depth == 2
    await player.close()


async def test_an_only_move_is_answered_after_a_glance(player: PlayerBot) -> None:
    """With one legal pit an hour of budget is not spent, and a value is still reported."""
    forced = Board.from_text("<6,0,0,0,0,0,0,0,9,9,9,9,9,9,9>")
    choice = await player.choose(question(forced, budget_s=3600.0))
    assert choice.pit == 5
    assert choice.info is not None
    assert choice.info.depth


async def test_the_loop_goes_on_while_it_thinks(player: PlayerBot) -> None:
    """A search in its thread leaves the loop its turns: what it offers is heard on the way."""
    offered = asyncio.Event()
    heard = question(budget_s=PATIENCE_S, heard=lambda _pit, _info: offered.set())
    task = asyncio.create_task(player.choose(heard))
    await offered.wait()
    assert not task.done()
    task.cancel()


async def test_a_closed_question_stops_its_search(player: PlayerBot) -> None:
    """After a cancelled question the engine is soon free for the next one."""
    endless = asyncio.create_task(player.choose(question(budget_s=3600.0)))
    await asyncio.sleep(0)
    endless.cancel()
    await asyncio.wait([endless])
    turns = [question(budget_s=BUDGET_S) for _ in range(4)]
    async with asyncio.timeout(PATIENCE_S):
        choices = await asyncio.gather(*map(player.choose, turns))
    assert all(choice.pit in turns[0].legal for choice in choices)


class Sluggish(Engine):
    """An engine that reports once and then takes no notice of its limit."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def think(self, board: Board, limit: Limit) -> Iterator[Report]:
        yield replace(REPORT, seconds=limit.time_s or 0.0, nodes=len(board.legal()))
        self.released.wait()

    def stop(self) -> None:
        """Take no notice."""


async def test_an_engine_that_is_late_does_not_cost_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the budget is spent the best move so far is played, whatever the engine does."""
    engine = Sluggish()
    monkeypatch.setattr(players, "Engine", lambda **_options: engine)
    player = hosted(Limit(), EngineOptions())
    async with asyncio.timeout(PATIENCE_S):
        assert (await player.choose(question(budget_s=BUDGET_S))).pit == 4
    engine.released.set()
    await player.close()


class Dreamer(Engine):
    """An engine that answers pit 4 immediately, and ponders until it is stopped.

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
        yield replace(REPORT, pit=pit, pv=(pit, 2, 3), seconds=limit.time_s or 0.0)
        self._in_use.release()

    def ponder(self, board: Board, line: Sequence[int], limit: Limit) -> Iterator[Report]:
        assert limit.time_s is not None
        with self._in_use:
            self.pondered.append((board, tuple(line)))
            self._stopped_by_question.wait()
            self._stopped_by_question.clear()
            yield from ()

    def stop(self) -> None:
        self._stopped_by_question.set()


@pytest.fixture
def dreamer(monkeypatch: pytest.MonkeyPatch) -> Dreamer:
    engine = Dreamer()
    monkeypatch.setattr(players, "Engine", lambda **_options: engine)
    monkeypatch.setattr(host, "MOST_THREADS", 1)
    monkeypatch.setattr(host, "PONDER_STOPPING_S", PATIENCE_S)
    return engine


async def test_pondering_is_about_the_reply_and_ends_with_the_next_question(
    dreamer: Dreamer,
) -> None:
    """The engine ponders on its opponent's board; the next question has it back, alone."""
    player = hosted(Limit(), EngineOptions(ponder=1))
    for _ in range(3):
        choice = await player.choose(question(budget_s=PATIENCE_S))
        assert choice.info is not None
    player.game_over(OVER)
    await player.close()
    assert dreamer.pondered[:2] == [(Board.start().sow(4).board, (2, 3))] * 2


async def test_an_extra_turn_is_no_time_to_ponder(dreamer: Dreamer) -> None:
    """Where the bot moves again itself, its own question comes next."""
    player = hosted(Limit(), EngineOptions(ponder=1))
    board = Board.from_text("<3,0,0,1,2,1,4,4,4>")
    assert board.sow(board.legal()[-2]).board.player == board.player
    await player.choose(question(board, budget_s=PATIENCE_S))
    await player.close()
    assert dreamer.pondered == []


async def test_no_player_ponders_unasked(dreamer: Dreamer) -> None:
    """Without the option, an engine rests between its questions."""
    player = hosted(Limit(), EngineOptions())
    await player.choose(question(budget_s=PATIENCE_S))
    await player.close()
    assert dreamer.pondered == []


async def test_a_pondering_engine_answers_as_any_other() -> None:
    """A game of questions, with real pondering in between, has a legal answer to each."""
    player = hosted(Limit(depth=4), EngineOptions(table_bits=16, ponder=1, book=False))
    await player.warm_up()
    board = Board.start()
    for _ in range(12):
        choice = await player.choose(question(board, budget_s=PATIENCE_S))
        assert choice.info is not None
        assert choice.info.depth == 4
        board = board.sow(choice.pit).board
    await player.close()


class Counter(Player):
    """Answers with the number of its answers in this game, and raises when that is no pit."""

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self._answers = 0

    def new_game(self, seed: int) -> None:
        self.seeds.append(seed)
        self._answers = 0

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:  # noqa: ARG002  # as asked
        self._answers += 1
        if self._answers > 5:
            raise PlayerError("out of pits")
        return Choice(self._answers)


def of_game(game: str) -> Turn:
    turn = question(budget_s=PATIENCE_S)
    return replace(turn, game=replace(turn.game, id=game))


async def test_a_player_with_state_has_each_game_for_itself() -> None:
    """Games that are played at the same time don't disturb each other; each has its own seed."""
    made: list[Counter] = []

    def make() -> Counter:
        made.append(Counter())
        return made[-1]

    bot = PlayerBot(make, first_seed=7)
    pits = [(await bot.choose(of_game(game))).pit for game in "abab"]
    assert pits == [1, 1, 2, 2]
    assert [player.seeds for player in made] == [[7], [8]]
    bot.game_over(replace(OVER, game="a"))
    assert (await bot.choose(of_game("c"))).pit == 1
    assert len(made) == 2
    await bot.close()


async def test_an_error_of_the_player_reaches_the_client() -> None:
    """A player without an answer resigns its game, so the client has to hear of it."""
    bot = PlayerBot(Counter)
    for _ in range(5):
        await bot.choose(of_game("a"))
    with pytest.raises(PlayerError, match="out of pits"):
        await bot.choose(of_game("a"))
    await bot.close()


@pytest.mark.parametrize(
    "spec",
    ["engine:depth=6", "engine:nodes=200", "engine:level=4,seed=1", "minimax:depth=2", "greedy"],
)
async def test_both_hosts_record_the_same(spec: str) -> None:
    """Value, depth, nodes and principal variation are the same on a server and headless."""
    task = Task(1, ("ada", "bob"))
    conditions = Conditions(KALAH, TimeControl(move_ms=60_000), 10.0, seed=3)
    headless = play(task, (make_player(spec), make_player("random")), conditions, time.monotonic)
    seed = seed_of(3, 1, 0)
    bot = PlayerBot(partial(make_player, spec), first_seed=seed)
    board, infos = Board.start(), []
    for move in headless.record.moves[:12]:
        if move.player == 0:
            choice = await bot.choose(question(board, budget_s=60.0))
            assert choice.pit == move.pit
            infos.append((choice.info, move.info))
        board = board.sow(move.pit).board
    await bot.close()
    assert infos
    assert all(facts(one) == facts(other) for one, other in infos)


def facts(info: Info | None) -> tuple[object, ...] | None:
    """Return what does not depend on the machine's speed."""
    if info is None:
        return None
    return info.value, info.depth, info.nodes, info.exact, info.pv


FOREVER_S = 3600.0


class Quick(Bot):
    """Sows the last legal pit immediately."""

    def __init__(self) -> None:
        self.is_closed = False

    async def choose(self, turn: Turn) -> int:
        return turn.legal[-1]

    async def close(self) -> None:
        self.is_closed = True


def turn_against(opponent: str, *, rated: bool = False, budget_s: float = 1.0) -> Turn:
    game = Game("g", "m", 0, KALAH, TimeControl(move_ms=1000), opponent, rated)
    board = Board.start(KALAH)
    return Turn(board, board.legal(), game, 0, ClockState(None, (0, 0)), 1.0, budget_s)


async def test_only_the_named_opponents_wait() -> None:
    """People and rated games get the answer as soon as it is there."""
    quick = Quick()
    bot = PacedBot(quick, ("level-1",), FOREVER_S)
    assert await bot.choose(turn_against("eve")) == 5
    assert await bot.choose(turn_against("level-1", rated=True)) == 5
    waiting = asyncio.create_task(bot.choose(turn_against("level-1")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    assert await PacedBot(quick, ("level-1",), 0.0).choose(turn_against("level-1")) == 5
    await bot.close()
    assert quick.is_closed


async def test_a_pace_leaves_the_clock_its_time() -> None:
    """Levels that met in an event lost every game on time: they waited longer than they had."""
    bot = PacedBot(Quick(), ("level-1",), FOREVER_S)
    async with asyncio.timeout(PATIENCE_S):
        assert await bot.choose(turn_against("level-1", budget_s=0.01)) == 5
