"""Turns and their answers: provisional, late, several games at a time, or no answer."""

import asyncio
import threading
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from typing import cast

import pytest
from msgspec import structs

from mancala.bot import Bot, Choice, PlayerError, PlayerFailedError, Turn
from mancala.bot.client.turns import BLOCKED_S
from mancala.protocol import messages as wire
from mancala.protocol.rules import OWARE, Board
from tests.bot.client.scripted_server import (
    ServerEnd,
    ask,
    names,
    over,
    play,
    played,
    scripted_server,
    start,
)
from tests.patience import PATIENCE_S


async def test_provisional_moves_are_sent_while_it_thinks() -> None:
    """Each offer reaches the server before the answer, the latest one of a burst winning."""

    async def thinks(turn: Turn) -> Choice:
        for pit in (0, 1, 2, 3):
            turn.offer(pit, wire.Info(depth=pit))
        await heard_two.wait()
        return Choice(5, wire.Info(depth=9, value=4.0))

    heard_two = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(start(), ask(ply=3))
        first, latest = await server.hear(wire.Move), await server.hear(wire.Move)
        assert first == wire.Move("g1", 3, 0, provisional=True, info=wire.Info(depth=0))
        assert latest == wire.Move("g1", 3, 3, provisional=True, info=wire.Info(depth=3))
        heard_two.set()
        assert await server.hear(wire.Move) == wire.Move(
            "g1", 3, 5, info=wire.Info(depth=9, value=4.0)
        )
        await server.finish()

    await played(script, player=thinks)


@pytest.mark.parametrize("sown", [0, 2])
async def test_a_turn_of_oware_knows_the_positions_before_it(sown: int) -> None:
    """From the moves that were seen, and of a resumed game from those that were made."""
    boards = [Board.start(OWARE)]
    for _ in range(2):
        boards.append(boards[-1].sow(0).board)
    seen: list[Board] = []

    async def thinks(turn: Turn) -> int:
        seen.append(turn.board)
        return turn.legal[0]

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(structs.replace(start(board=boards[sown]), moves=(0,) * sown))
        for ply in range(sown, 2):
            after, clock = boards[ply + 1].state, ask().clock
            await server.say(wire.Moved("g1", ply, ply, 0, 0, False, after, clock, 10, 0))
        await server.say(ask(ply=2, board=boards[2]))
        await server.hear(wire.Move)
        await server.finish()

    await played(script, player=thinks)
    assert [(board, board.past) for board in seen] == [(boards[2], boards[2].past)]


@pytest.mark.parametrize(
    "news",
    [
        ask(ply=2),
        wire.Moved(*("g1", 0, 0, 2, 0, False, ask().state, ask().clock, 2000, 0), forced=True),
        over(),
    ],
    ids=["newer turn", "move made for us", "game over"],
)
async def test_thinking_ends_when_the_question_is_closed(news: wire.Message) -> None:
    """A bot stops thinking about a turn once its answer is no longer needed."""
    asked, cancelled = asyncio.Event(), asyncio.Event()

    async def thinks(turn: Turn) -> int:
        if turn.ply != 0:
            return turn.legal[0]
        asked.set()
        try:
            return await asyncio.Future[int]()
        finally:
            cancelled.set()

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await asked.wait()
        await server.say(news)
        await cancelled.wait()
        if isinstance(news, wire.Turn):
            assert (await server.hear(wire.Move)).ply == 2
        if not isinstance(news, wire.GameOver):
            await server.say(over())
        await server.say(wire.MatchOver("m1", {}))
        await server.hear(wire.Goodbye)

    await played(script, player=thinks)


async def test_answers_several_games_at_once() -> None:
    """A long thought in one game does not keep another one waiting."""
    second_answered = asyncio.Event()

    async def thinks(turn: Turn) -> int:
        if turn.game.id == "g1":
            await second_answered.wait()
        return turn.legal[0]

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(start("g1", "m1"), start("g2", "m2"), ask("g1"), ask("g2"))
        assert (await server.hear(wire.Move)).game == "g2"
        second_answered.set()
        assert (await server.hear(wire.Move)).game == "g1"
        await server.say(over("g1"), over("g2"), wire.MatchOver("m1", {}), wire.MatchOver("m2", {}))
        await server.hear(wire.Goodbye)

    games = await played(script, player=thinks, games=2, seek=None)
    assert names(games) == ["g1", "g2"]


async def test_a_player_without_an_answer_resigns_that_game_only() -> None:
    """`PlayerError` costs its game, and is its cause; the bot plays the next one."""

    async def fails_once(turn: Turn) -> int:
        if turn.game.id == "g1":
            raise PlayerError("no idea")
        return turn.legal[0]

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        assert await server.hear(wire.Resign) == wire.Resign("g1", "no idea")
        await server.say(over("g1", wire.Reason.RESIGNED))
        await server.play_last_game("g2")

    games = await played(script, player=fails_once, games=2)
    assert [game.reason for game in games] == [wire.Reason.RESIGNED, wire.Reason.NORMAL]


@pytest.mark.parametrize("answer", [True, 2.0, None, "2"])
async def test_an_answer_that_is_no_pit_ends_the_bot(answer: object) -> None:
    """What is no pit is the author's mistake and is raised where the author sees it."""

    async def answers(_turn: Turn) -> int:
        return cast("int", answer)

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.until_closed()

    with pytest.raises(PlayerFailedError, match="must return a pit"):
        await played(script, player=answers)


async def test_a_player_that_raises_resigns_with_the_cause_and_leaves() -> None:
    """No opponent waits for a bot that has failed; in an event it keeps its place."""

    async def fails(turn: Turn) -> int:
        return 1 // (turn.legal[0] - turn.legal[0])

    for options, last in (({}, wire.Goodbye("the player failed")), ({"event": "final"}, None)):

        async def script(server: ServerEnd, last: wire.Message | None = last) -> None:
            await server.welcome()
            assert last is not None or (await server.hear(wire.Enter)).event == "final"
            await server.say(start("g1", "m1"), ask("g1"))
            resigned = await server.hear(wire.Resign)
            assert resigned.game == "g1"
            assert "division or modulo by zero (test_turns.py, line" in resigned.cause
            assert last is None or await server.hear(wire.Goodbye) == last
            await server.until_closed()

        with pytest.raises(PlayerFailedError, match="ZeroDivisionError"):
            await played(script, player=fails, seek=None, **options)


async def test_a_players_network_error_is_not_taken_for_ours() -> None:
    """A player that raises OSError ends the bot; the client doesn't reconnect over it."""

    async def fails(_turn: Turn) -> int:
        raise OSError("the player's own disk")

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.until_closed()

    with pytest.raises(PlayerFailedError) as failed:
        await played(script, player=fails)
    assert isinstance(failed.value.__cause__, OSError)


@pytest.mark.parametrize(("answer", "pit"), [("9", 9), ("banana", 255), ("99999", 255)])
async def test_an_illegal_answer_is_sent_as_it_is(answer: str, pit: int) -> None:
    """A program's illegal pit ends its game as illegal, not as resigned."""

    async def fails(_turn: Turn) -> int:
        raise PlayerError("the program illegal", reason=wire.Reason.ILLEGAL, received=answer)

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        assert await server.hear(wire.Move) == wire.Move("g1", 0, pit)
        await server.finish()

    await played(script, player=fails)


async def test_a_plain_function_plays_in_a_thread() -> None:
    """A `def choose` may compute as long as it likes: its offers reach the server meanwhile."""
    heard_offer = threading.Event()

    def thinks(turn: Turn) -> int:
        turn.offer(2)
        assert heard_offer.wait(PATIENCE_S)
        return 4

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 2, provisional=True)
        heard_offer.set()
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 4)
        await server.finish()

    await played(script, player=thinks)


async def test_a_plain_method_plays_in_a_thread_too() -> None:
    """A `Bot` whose choose is no coroutine is asked in a thread, not refused."""

    class Plain(Bot):
        def choose(self, turn: Turn) -> int:  # type: ignore[override]
            assert threading.current_thread().name == "choose"
            return turn.legal[-1]

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.play_last_game("g1")

    assert len(await played(script, player=Plain())) == 1


def test_an_offer_leaves_before_a_player_that_blocks_the_loop() -> None:
    """An async `choose` that offers and then computes is played for by its offer."""
    arrived = threading.Event()

    async def thinks(turn: Turn) -> int:
        turn.offer(3)
        assert arrived.wait(PATIENCE_S), "the offer did not leave"
        return 5

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 3, provisional=True)
        arrived.set()
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 5)
        await server.finish()

    url: Future[str] = Future()
    ended = threading.Event()

    async def serve() -> None:
        async with scripted_server(script) as address:
            url.set_result(address)
            await asyncio.to_thread(ended.wait, 20)

    with ThreadPoolExecutor(1) as other:
        serving = other.submit(asyncio.run, serve())
        asyncio.run(play(url.result(), thinks))
        ended.set()
        serving.result()


async def test_a_player_that_blocks_the_loop_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """After the first game, and only then, its author reads what to do about it."""

    async def blocks(turn: Turn) -> int:
        time.sleep(BLOCKED_S)  # noqa: ASYNC251  # the fault
        return turn.legal[0]

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        for game in ("g1", "g2"):
            await server.say(start(game), ask(game))
            await server.hear(wire.Move)
            await server.say(over(game))
        await server.say(wire.MatchOver("m1", {}))
        await server.hear(wire.Goodbye)

    await played(script, player=blocks, games=2)
    warnings = [it.getMessage() for it in caplog.records if "blocked" in it.getMessage()]
    assert len(warnings) == 1
    assert "write it as a plain `def`" in warnings[0]


async def test_a_plain_function_that_never_answers_is_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Its author hears more than that a game was lost."""
    began, ended = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def thinks(_turn: Turn) -> int:
        loop.call_soon_threadsafe(began.set)
        ended.wait(PATIENCE_S)
        return 0

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(start(), ask(deadline_ms=1))
        await began.wait()
        await server.finish()

    try:
        await played(script, player=thinks)
    finally:
        ended.set()
    (warning,) = (it.getMessage() for it in caplog.records if "choose()" in it.getMessage())
    assert warning == "game g1, ply 0: choose() had not answered when the time was up"


async def test_a_failure_shows_the_lines_of_the_bot_alone() -> None:
    """In a notebook the traceback of what a bot raised begins where the bot does."""

    def fails(_turn: Turn) -> int:
        return 1 // 0

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.until_closed()

    with pytest.raises(PlayerFailedError) as failed:
        await played(script, player=fails)
    shown = "".join(traceback.format_exception(failed.value.__cause__))
    assert shown.count("File ") == 1
    assert "return 1 // 0" in shown
    assert "TaskGroup" not in "".join(traceback.format_exception(failed.value))
