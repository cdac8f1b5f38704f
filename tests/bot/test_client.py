"""The client against a scripted far side."""

from __future__ import annotations

import asyncio
import itertools
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import cast

import pytest

from bot import (
    ANYONE,
    Bot,
    Choice,
    ConnectionFailedError,
    Game,
    GameResult,
    PlayerError,
    PlayerFailedError,
    RefusedError,
    ServerFaultError,
    ServerLeftError,
    Turn,
    conversation,
    run,
)
from bot.memory import Memory, Remembered
from protocol import codec
from protocol import messages as wire
from tests.bot.far_side import LIMITS, PATIENCE_S, FarSide, ask, far_side, over, start

ROOT = Path(__file__).parents[2]

Choose = Callable[[Turn], Awaitable[int | Choice]]


async def leftmost(turn: Turn) -> int:
    """Play the first legal pit."""
    return turn.legal[0]


async def play(
    url: str,
    player: Bot | Choose = leftmost,
    *,
    games: int = 1,
    seek: wire.Seek | None = ANYONE,
    accept: bool = True,
    session_file: Path | None = None,
    stop: asyncio.Event | None = None,
    patience_s: float = 30.0,
) -> list[GameResult]:
    """Run a bot without waits and, unless told otherwise, without a file."""
    async with asyncio.timeout(2 * PATIENCE_S):
        return await run(
            url,
            player,
            name="me",
            games=games,
            seek=seek,
            accept=accept,
            session_file=session_file,
            stop=stop or asyncio.Event(),
            delays=lambda: itertools.repeat(0.0),
            patience_s=patience_s,
        )


async def test_plays_a_game_and_says_goodbye() -> None:
    """The bot greets, asks for a match, answers its question, and leaves after its one game."""

    async def script(far: FarSide) -> None:
        hello = await far.welcome()
        assert (hello.protocol, hello.name, hello.resume) == ("mancala.v1", "me", None)
        assert (await far.hear(wire.Seek)).games == 1
        await far.say(start(), ask())
        assert await far.hear(wire.Move) == wire.Move("g1", 0, 0)
        await far.say(over(), wire.MatchOver("m1", {"me": 1.0, "rival": 0.0}))
        await far.hear(wire.Goodbye)
        await far.until_closed()

    async with far_side(script) as url:
        (result,) = await play(url)
    assert (result.opponent, result.seat, result.stores) == ("rival", 0, (30, 18))
    assert (result.won, result.reason) == (True, wire.Reason.NORMAL)


async def test_hooks_tell_a_bot_of_its_life() -> None:
    """A bot hears, in order, of its warm-up, its games' beginnings and ends, and its close."""
    told: list[str] = []

    class Diary(Bot):
        async def choose(self, turn: Turn) -> int:
            return turn.legal[-1]

        async def warm_up(self) -> None:
            told.append("warm up")

        def game_started(self, game: Game) -> None:
            told.append(f"{game.id} against {game.opponent}")

        def game_over(self, result: GameResult) -> None:
            told.append(f"{result.game} {result.reason}")

        async def close(self) -> None:
            told.append("close")

    async def script(far: FarSide) -> None:
        assert told == ["warm up"]
        await far.welcome()
        await far.hear(wire.Seek)
        assert (await far.play_one_game()).pit == 5
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        await play(url, Diary())
    assert told == ["warm up", "g1 against rival", "g1 normal", "close"]


async def test_resumes_after_a_dropped_socket() -> None:
    """A bot whose connection breaks in a game comes back with its secret and plays on."""

    async def drops(far: FarSide) -> None:
        await far.welcome(session="secret 1")
        await far.hear(wire.Seek)
        await far.say(start(), ask())
        await far.hear(wire.Move)
        far.connection.transport.abort()

    async def goes_on(far: FarSide) -> None:
        hello = await far.welcome(session="secret 1", resumed=True)
        assert hello.resume == "secret 1"
        await far.say(start(), ask(ply=4))
        assert (await far.hear(wire.Move)).ply == 4
        await far.say(over(), wire.MatchOver("m1", {}))
        await far.hear(wire.Goodbye)

    async with far_side(drops, goes_on) as url:
        assert [result.game for result in await play(url)] == ["g1"]


async def test_comes_back_when_a_server_that_restarts_wants_it() -> None:
    """After ``goodbye{reconnect_after}`` the bot returns and takes its seat."""

    async def restarts(far: FarSide) -> None:
        await far.welcome(session="secret 1")
        await far.hear(wire.Seek)
        await far.say(start(), wire.Goodbye("restart", reconnect_after=0.01))

    async def goes_on(far: FarSide) -> None:
        assert (await far.welcome(resumed=True)).resume == "secret 1"
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async with far_side(restarts, goes_on) as url:
        assert len(await play(url)) == 1


async def test_greets_afresh_when_the_session_is_refused() -> None:
    """A server that knows the session no more gets a new hello, and the bot a new match."""

    async def drops(far: FarSide) -> None:
        await far.welcome(session="old")
        await far.hear(wire.Seek)
        await far.say(start())
        far.connection.transport.abort()

    async def refuses(far: FarSide) -> None:
        assert (await far.hear(wire.Hello)).resume == "old"
        await far.say(wire.Error(wire.ErrorCode.BAD_RESUME, "unknown", fatal=True))
        await far.say(wire.Goodbye("bad_resume"))

    async def begins(far: FarSide) -> None:
        assert (await far.welcome()).resume is None
        await far.hear(wire.Seek)
        await far.play_one_game("g2", "m2")
        await far.hear(wire.Goodbye)

    async with far_side(drops, refuses, begins) as url:
        assert [result.game for result in await play(url)] == ["g2"]


async def test_a_game_not_told_of_after_a_resume_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that comes back too late does not wait for a game that ended meanwhile."""
    monkeypatch.setattr(conversation, "SNAPSHOT_S", 0.01)

    async def drops(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start())
        far.connection.transport.abort()

    async def went_on_without(far: FarSide) -> None:
        await far.welcome(resumed=True)
        await far.hear(wire.Seek)
        await far.play_one_game("g2", "m2")
        await far.hear(wire.Goodbye)

    async with far_side(drops, went_on_without) as url:
        assert [result.game for result in await play(url)] == ["g2"]


async def test_a_killed_bot_finds_its_seat_through_its_file(tmp_path: Path) -> None:
    """A new process resumes the session of one that was killed, and counts its games."""
    file = tmp_path / "sessions" / "me"
    asked = asyncio.Event()

    async def kills(far: FarSide) -> None:
        await far.welcome(session="secret 1")
        assert (await far.hear(wire.Seek)).games == 2
        await far.say(start("g1"), ask("g1"))
        await far.hear(wire.Move)
        await far.say(over("g1"), start("g2"), ask("g2"))
        await far.until_closed()

    async def goes_on(far: FarSide) -> None:
        assert (await far.hear(wire.Hello)).resume == "secret 1"
        await far.say(wire.Welcome(wire.VERSION, "far", "secret 1", resumed=True, limits=LIMITS))
        await far.play_one_game("g2")
        await far.hear(wire.Goodbye)

    async def hangs(turn: Turn) -> int:
        if turn.game.id == "g1":
            return 0
        asked.set()
        return await asyncio.Future[int]()

    async with far_side(kills, goes_on) as url:
        killed = asyncio.create_task(play(url, hangs, games=2, session_file=file))
        await asked.wait()
        killed.cancel()
        await asyncio.wait([killed])
        assert file.stat().st_mode & 0o777 == 0o600
        games = await play(url, games=2, session_file=file)
    assert [result.game for result in games] == ["g1", "g2"]
    assert not file.exists()


async def test_forgets_games_of_a_session_that_is_refused(tmp_path: Path) -> None:
    """Games in the file of a session that the server no longer knows are not counted."""
    file = tmp_path / "me"
    stale = GameResult("g0", "m0", "rival", 0, 0, (30, 18), wire.Reason.NORMAL)
    file.write_bytes(codec.to_json(Remembered("stale", (stale,))))

    async def refuses(far: FarSide) -> None:
        assert (await far.hear(wire.Hello)).resume == "stale"
        await far.say(wire.Error(wire.ErrorCode.BAD_RESUME, "unknown", fatal=True))
        await far.say(wire.Goodbye())

    async def begins(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async with far_side(refuses, begins) as url:
        assert [game.game for game in await play(url, session_file=file)] == ["g1"]


async def test_a_second_bot_of_the_name_leaves_the_first_its_seat(tmp_path: Path) -> None:
    """While a bot runs, another one with the same file does not take over its session."""
    first = Memory(tmp_path / "me")
    first.write(Remembered("of the first"))

    async def greets(far: FarSide) -> None:
        assert (await far.welcome()).resume is None
        await far.hear(wire.Seek)
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async with far_side(greets) as url:
        await play(url, session_file=tmp_path / "me")
    assert first.read() == Remembered("of the first")
    first.close()


async def test_provisional_moves_are_sent_while_it_thinks() -> None:
    """Each offer reaches the server before the answer, the latest one of a burst winning."""

    async def thinks(turn: Turn) -> Choice:
        for pit in (0, 1, 2, 3):
            turn.offer(pit, wire.Info(depth=pit))
        await heard_two.wait()
        return Choice(5, wire.Info(depth=9, value=4.0))

    heard_two = asyncio.Event()

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start(), ask(ply=3))
        first, latest = await far.hear(wire.Move), await far.hear(wire.Move)
        assert first == wire.Move("g1", 3, 0, provisional=True, info=wire.Info(depth=0))
        assert latest == wire.Move("g1", 3, 3, provisional=True, info=wire.Info(depth=3))
        heard_two.set()
        assert await far.hear(wire.Move) == wire.Move(
            "g1", 3, 5, info=wire.Info(depth=9, value=4.0)
        )
        await far.say(over(), wire.MatchOver("m1", {}))
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        await play(url, thinks)


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
    """A bot stops thinking about a question once nobody waits for the answer."""
    asked, cancelled = asyncio.Event(), asyncio.Event()

    async def thinks(turn: Turn) -> int:
        if turn.ply != 0:
            return turn.legal[0]
        asked.set()
        try:
            return await asyncio.Future[int]()
        finally:
            cancelled.set()

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start(), ask())
        await asked.wait()
        await far.say(news)
        await cancelled.wait()
        if isinstance(news, wire.Turn):
            assert (await far.hear(wire.Move)).ply == 2
        if not isinstance(news, wire.GameOver):
            await far.say(over())
        await far.say(wire.MatchOver("m1", {}))
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        await play(url, thinks)


async def test_answers_several_games_at_once() -> None:
    """A long thought in one game does not keep another one waiting."""
    second_answered = asyncio.Event()

    async def thinks(turn: Turn) -> int:
        if turn.game.id == "g1":
            await second_answered.wait()
        return turn.legal[0]

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.say(start("g1", "m1"), start("g2", "m2"), ask("g1"), ask("g2"))
        assert (await far.hear(wire.Move)).game == "g2"
        second_answered.set()
        assert (await far.hear(wire.Move)).game == "g1"
        await far.say(over("g1"), over("g2"), wire.MatchOver("m1", {}), wire.MatchOver("m2", {}))
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        games = await play(url, thinks, games=2, seek=None)
    assert [game.game for game in games] == ["g1", "g2"]


async def test_a_player_without_an_answer_resigns_that_game_only() -> None:
    """`PlayerError` costs its game; the bot plays the next one."""

    async def fails_once(turn: Turn) -> int:
        if turn.game.id == "g1":
            raise PlayerError("no idea")
        return turn.legal[0]

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start("g1"), ask("g1"))
        assert (await far.hear(wire.Resign)).game == "g1"
        await far.say(over("g1", wire.Reason.RESIGNED))
        await far.play_one_game("g2")
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        games = await play(url, fails_once, games=2)
    assert [game.reason for game in games] == [wire.Reason.RESIGNED, wire.Reason.NORMAL]


@pytest.mark.parametrize("answer", [True, 2.0, None, "2"])
async def test_an_answer_that_is_no_pit_ends_the_bot(answer: object) -> None:
    """What is no pit is the author's mistake and is raised where the author sees it."""

    async def answers(_turn: Turn) -> int:
        return cast("int", answer)

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start(), ask())
        await far.until_closed()

    async with far_side(script) as url:
        with pytest.raises(PlayerFailedError, match="must return a pit"):
            await play(url, answers)


async def test_a_players_network_error_is_not_taken_for_ours() -> None:
    """A player that raises OSError ends the bot; the client doesn't reconnect over it."""

    async def fails(_turn: Turn) -> int:
        raise OSError("the player's own disk")

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start(), ask())
        await far.until_closed()

    async with far_side(script) as url:
        with pytest.raises(PlayerFailedError) as failed:
            await play(url, fails)
    assert isinstance(failed.value.__cause__, OSError)


@pytest.mark.parametrize(
    "frame",
    [
        codec.encode(start()),
        codec.encode(wire.Welcome(wire.VERSION, "far", "s", resumed=False, limits=LIMITS))[:-1],
        b'{"type":"welcome","protocol":1}',
        b"[]",
    ],
    ids=["a game before the welcome", "half a message", "wrong types", "no object"],
)
async def test_refuses_a_server_that_breaks_the_protocol(frame: bytes) -> None:
    """A server that talks out of place or in no known words is left with close code 1002."""

    async def script(far: FarSide) -> None:
        await far.hear(wire.Hello)
        await far.connection.send(frame, text=True)
        await far.until_closed()
        assert far.connection.close_code == 1002

    async with far_side(script) as url:
        with pytest.raises(ServerFaultError):
            await play(url)


async def test_passes_over_messages_of_a_later_version() -> None:
    """A type the bot does not know is no reason to leave."""

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.connection.send('{"type":"applause"}')
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        assert len(await play(url)) == 1


@pytest.mark.parametrize("code", [wire.ErrorCode.BAD_TOKEN, wire.ErrorCode.BAD_NAME])
async def test_a_refused_name_or_token_is_told(code: wire.ErrorCode) -> None:
    """A bot the server will not have ends with the server's reason, and does not try again."""

    async def script(far: FarSide) -> None:
        await far.hear(wire.Hello)
        await far.say(wire.Error(code, "not you", fatal=True), wire.Goodbye())

    async with far_side(script) as url:
        with pytest.raises(RefusedError, match="not you") as refused:
            await play(url)
    assert refused.value.code is code


async def test_a_refused_seek_is_told() -> None:
    """A match the server will not give is an error, not a silent wait for ever."""

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(wire.Error(wire.ErrorCode.INVALID, "no such rules", fatal=False))
        await far.until_closed()

    async with far_side(script) as url:
        with pytest.raises(RefusedError, match="no such rules"):
            await play(url, seek=wire.Seek(rules="nonsense"))


async def test_a_server_that_leaves_for_good_ends_the_bot() -> None:
    """``goodbye`` without a time to come back is final."""

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.say(wire.Goodbye("another connection resumed this session"))

    async with far_side(script) as url:
        with pytest.raises(ServerLeftError) as left:
            await play(url)
    assert left.value.reason == "another connection resumed this session"


async def test_gives_up_on_a_server_that_never_welcomes() -> None:
    """An address where nobody listens is named once patience has run out."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionFailedError, match=str(port)):
        await play(f"ws://127.0.0.1:{port}", patience_s=0.0)


async def test_accepts_and_declines_challenges() -> None:
    """A bot takes a challenge when it may, and declines when told to."""
    challenge = wire.Challenged(
        "c1", "rival", "me", start().rules, start().clock, rated=True, games=1
    )

    async def accepted(far: FarSide) -> None:
        await far.welcome()
        await far.say(challenge)
        assert (await far.hear(wire.Accept)).challenge == "c1"
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async def declined(far: FarSide) -> None:
        await far.welcome()
        await far.say(challenge)
        assert (await far.hear(wire.Decline)).challenge == "c1"
        await far.play_one_game()
        await far.hear(wire.Goodbye)

    async with far_side(accepted, declined) as url:
        await play(url, seek=None)
        await play(url, seek=None, accept=False)


async def test_stops_after_the_running_game() -> None:
    """Once told to stop, a bot finishes its game and leaves before the next of the match."""
    stop = asyncio.Event()

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start("g1"), ask("g1"))
        await far.hear(wire.Move)
        stop.set()
        await far.say(ask("g1", 2))
        assert (await far.hear(wire.Move)).ply == 2
        await far.say(over("g1"), start("g2"), ask("g2"))
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        assert [game.game for game in await play(url, games=5, stop=stop)] == ["g1"]


async def test_an_idle_bot_stops_at_once() -> None:
    """Once told to stop, a bot that waits for a match takes its seek back and leaves."""
    stop = asyncio.Event()

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        stop.set()
        await far.hear(wire.Unseek)
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        assert await play(url, stop=stop) == []


PROGRAM = """
import asyncio, random, sys
from bot import Turn, run
async def choose(turn: Turn) -> int:
    return random.choice(turn.legal)
asyncio.run(run(sys.argv[1], choose, name="fifteen", session_file=None))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_the_running_game_end(number: signal.Signals) -> None:
    """A bot's process that is told to end finishes its game, says goodbye, and exits with 0."""
    bots: list[asyncio.subprocess.Process] = []

    async def script(far: FarSide) -> None:
        await far.welcome()
        await far.hear(wire.Seek)
        await far.say(start(), ask())
        await far.hear(wire.Move)
        bots[0].send_signal(number)
        await far.say(ask(ply=2))
        assert (await far.hear(wire.Move)).ply == 2
        await far.say(over())
        await far.hear(wire.Goodbye)

    async with far_side(script) as url:
        bots.append(
            await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, url, cwd=ROOT)
        )
        assert await bots[0].wait() == 0


async def test_importing_the_bot_room_loads_no_engine() -> None:
    """A bot author's import costs no compiler."""
    program = "import sys, bot; sys.exit('numba' in sys.modules or 'engine' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=ROOT)
    assert await process.wait() == 0
