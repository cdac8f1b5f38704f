"""A bot on a server: connect, resume, give up, leave."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from mancala import bot
from mancala.bot import (
    Bot,
    ConnectionFailedError,
    Game,
    GameResult,
    PlayerFailedError,
    RefusedError,
    ServerLeftError,
    Turn,
)
from mancala.bot.client.errors import ReplacedError
from mancala.bot.client.session_file import SavedSession, SessionFile, default_path
from mancala.bot.players.programs.external import ExternalBot
from mancala.protocol import codec
from mancala.protocol import messages as wire
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
from tests.sources import ROOT


async def test_plays_a_game_and_says_goodbye() -> None:
    """The bot greets, asks for a match, answers its question, and leaves after its one game."""

    async def script(server: ServerEnd) -> None:
        hello = await server.welcome()
        assert (hello.protocol, hello.name, hello.resume) == ("mancala.v1", "me", None)
        assert (await server.hear(wire.Seek)).games == 1
        await server.say(start(), ask())
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 0)
        await server.say(over(), wire.MatchOver("m1", {"me": 1.0, "rival": 0.0}))
        await server.hear(wire.Goodbye)
        await server.until_closed()

    (result,) = await played(script)
    assert (result.opponent, result.seat, result.stores) == ("rival", 0, (30, 18))
    assert (result.won, result.reason) == (True, wire.Reason.NORMAL)


async def test_hooks_tell_a_bot_of_its_life() -> None:
    """A bot hears, in order, of its warm-up, its games' beginnings and ends, and its close."""
    told: list[str] = []

    class MessageLog(Bot):
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

    async def script(server: ServerEnd) -> None:
        assert told == ["warm up"]
        await server.seat(wire.Seek)
        assert (await server.play_one_game()).pit == 5
        await server.hear(wire.Goodbye)

    await played(script, player=MessageLog())
    assert told == ["warm up", "g1 against rival", "g1 normal", "close"]


async def test_resumes_after_a_dropped_socket() -> None:
    """A bot whose connection breaks in a game comes back with its secret and plays on."""

    async def drops(server: ServerEnd) -> None:
        await server.begin(wire.Seek, session="secret 1")
        await server.hear(wire.Move)
        server.connection.transport.abort()

    async def goes_on(server: ServerEnd) -> None:
        hello = await server.welcome(session="secret 1", resumed=True, matches=("m1",))
        assert hello.resume == "secret 1"
        await server.say(start(), ask(ply=4))
        assert (await server.hear(wire.Move)).ply == 4
        await server.finish()

    assert names(await played(drops, goes_on)) == ["g1"]


async def test_comes_back_when_a_server_that_restarts_wants_it() -> None:
    """After ``goodbye{reconnect_after}`` the bot returns and takes its seat."""

    async def restarts(server: ServerEnd) -> None:
        await server.seat(wire.Seek, session="secret 1")
        await server.say(start(), wire.Goodbye("restart", reconnect_after=0.01))

    async def goes_on(server: ServerEnd) -> None:
        hello = await server.welcome(resumed=True, matches=("m1",))
        assert hello.resume == "secret 1"
        await server.play_last_game()

    assert len(await played(restarts, goes_on)) == 1


async def test_greets_afresh_when_the_session_is_refused() -> None:
    """A server that knows the session no more gets a new hello, and the bot a new match."""

    async def drops(server: ServerEnd) -> None:
        await server.seat(wire.Seek, session="old")
        await server.say(start())
        server.connection.transport.abort()

    async def refuses(server: ServerEnd) -> None:
        assert (await server.hear(wire.Hello)).resume == "old"
        await server.say(wire.Error(wire.ErrorCode.BAD_RESUME, "unknown", fatal=True))
        await server.say(wire.Goodbye("bad_resume"))

    async def begins(server: ServerEnd) -> None:
        assert (await server.welcome()).resume is None
        await server.hear(wire.Seek)
        await server.play_last_game("g2", "m2")

    assert names(await played(drops, refuses, begins)) == ["g2"]


async def test_forgets_games_of_a_session_that_is_refused(tmp_path: Path) -> None:
    """Games in the file of a session that the server no longer knows are not counted."""
    file = tmp_path / "me"
    stale = GameResult("g0", "m0", "rival", 0, 0, (30, 18), wire.Reason.NORMAL)
    file.write_bytes(codec.to_json(SavedSession("stale", (stale,))))

    async def refuses(server: ServerEnd) -> None:
        assert (await server.hear(wire.Hello)).resume == "stale"
        await server.say(wire.Error(wire.ErrorCode.BAD_RESUME, "unknown", fatal=True))
        await server.say(wire.Goodbye())

    async def begins(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.play_last_game()

    assert names(await played(refuses, begins, session_file=file)) == ["g1"]


async def test_a_second_bot_of_the_name_leaves_the_first_its_seat(tmp_path: Path) -> None:
    """While a bot runs, another one with the same file does not take over its session."""
    first = SessionFile(tmp_path / "me")
    first.write(SavedSession("of the first"))

    async def greets(server: ServerEnd) -> None:
        assert (await server.welcome()).resume is None
        await server.hear(wire.Seek)
        await server.play_last_game()

    await played(greets, session_file=tmp_path / "me")
    assert first.read() == SavedSession("of the first")
    first.close()


@pytest.mark.parametrize("code", [wire.ErrorCode.BAD_TOKEN, wire.ErrorCode.BAD_NAME])
async def test_a_refused_name_or_token_is_told(code: wire.ErrorCode) -> None:
    """A bot the server will not have ends with the server's reason, and does not try again."""

    async def script(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        await server.say(wire.Error(code, "not you", fatal=True), wire.Goodbye())

    with pytest.raises(RefusedError, match="not you") as refused:
        await played(script)
    assert refused.value.code is code


async def test_a_server_that_leaves_for_good_ends_the_bot() -> None:
    """``goodbye`` without a time to come back is final."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(wire.Goodbye("another connection resumed this session"))

    with pytest.raises(ServerLeftError) as left:
        await played(script)
    assert left.value.reason == "another connection resumed this session"


@pytest.mark.parametrize("reads_goodbye", [True, False])
async def test_a_bot_whose_session_was_resumed_elsewhere_stays_away(reads_goodbye: bool) -> None:  # noqa: FBT001  # a parameter
    """It says so, and does not put the other one out; the close code alone is enough."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        if reads_goodbye:
            await server.say(wire.Goodbye(wire.REPLACED))
        await server.connection.close(wire.REPLACED_CLOSE)

    with pytest.raises(ReplacedError, match="another process"):
        await played(script)


async def test_gives_up_on_a_server_that_never_welcomes() -> None:
    """An address without a server is named once the patience has run out."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionFailedError, match=str(port)):
        await play(f"ws://127.0.0.1:{port}", patience_s=0.0)


async def test_stops_after_the_running_game() -> None:
    """Once told to stop, a bot finishes its game and leaves before the next of the match."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.hear(wire.Move)
        stop.set()
        await server.say(ask("g1", 2))
        assert (await server.hear(wire.Move)).ply == 2
        await server.say(over("g1"), start("g2"), ask("g2"))
        await server.hear(wire.Goodbye)

    assert names(await played(script, games=5, stop=stop)) == ["g1"]


async def test_leaves_its_ladder_when_told_to_stop() -> None:
    """Not only with its goodbye: meanwhile it would be given a match, which it would leave."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Join)
        await server.hear(wire.Move)
        stop.set()
        assert (await server.hear(wire.Leave)).ladder == "main"
        await server.finish()

    assert len(await played(script, games=5, ladder="main", stop=stop)) == 1


async def test_plays_a_match_that_begins_while_it_leaves_its_ladder() -> None:
    """Its goodbye crossed the beginning of that match, and lost its first game."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        stop.set()
        await server.hear(wire.Leave, answers_leave=False)
        joined = wire.Joined("main", start().rules, start().clock, 2, 5)
        await server.say(joined, start(), ask(), wire.Left("main"))
        await server.hear_final()
        await server.finish()

    assert len(await played(script, games=5, ladder="main", stop=stop)) == 1


ERRORS = [wire.ErrorCode.INTERNAL, wire.ErrorCode.UNKNOWN_LADDER, wire.ErrorCode.LIMIT]


@pytest.mark.parametrize("code", ERRORS)
@pytest.mark.parametrize("ladder", ["main", None])
async def test_a_match_that_begins_while_it_stops_is_played(
    code: wire.ErrorCode, ladder: str | None
) -> None:
    """`unseek` has no answer, and an error may come unasked; the schedule names the match."""
    stop = asyncio.Event()
    match = wire.NextMatch(wire.MatchOrigin.MATCH, ladder or "", "rival", 1)

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Join if ladder else wire.Seek)
        if not ladder:
            await server.say(wire.Seeking(start().rules, start().clock, rated=True, games=1))
            await (await server.connection.ping())
        stop.set()
        await server.hear(wire.Leave if ladder else wire.Unseek, answers_leave=False)
        await server.hear(wire.Schedule)
        await server.say(wire.Error(code, "no", fatal=False, ref="main"))
        await server.say(wire.Scheduled("me", (match,)), start(), ask())
        await server.hear_final()
        await server.finish()

    assert len(await played(script, games=5, ladder=ladder, stop=stop)) == 1


async def test_a_match_that_can_not_begin_is_not_waited_for() -> None:
    """Its error has the bot ask again; a server that does not know the question is left."""
    stop = asyncio.Event()
    begins = wire.Scheduled("me", (wire.NextMatch(wire.MatchOrigin.MATCH, "", "rival", 1),))

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        stop.set()
        await server.hear(wire.Unseek)
        await server.hear(wire.Schedule)
        await server.say(begins)
        await server.say(wire.Error(wire.ErrorCode.INTERNAL, "no", fatal=False, ref="m1"))
        await server.hear(wire.Schedule)
        await server.say(wire.Error(wire.ErrorCode.UNKNOWN_TYPE, "schedule?", fatal=False))
        await server.hear(wire.Goodbye)

    assert await played(script, stop=stop) == []


async def test_finishes_its_ladders_match_when_told_to_stop() -> None:
    """Between two games of it, its goodbye would count as leaving before the first move."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Join)
        await server.hear(wire.Move)
        stop.set()
        await server.hear(wire.Leave)
        await server.say(over("g1"), start("g2"), ask("g2"))
        await server.hear(wire.Move)
        await server.say(over("g2"), wire.MatchOver("m1", {}))
        await server.hear(wire.Goodbye)

    assert len(await played(script, games=5, ladder="main", stop=stop)) == 2


@pytest.mark.parametrize("is_welcome", [True, False])
async def test_an_idle_bot_stops_at_once(*, is_welcome: bool) -> None:
    """It takes its seek back and leaves; for a welcome, which may never come, it does not wait."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await (server.seat(wire.Seek) if is_welcome else server.hear(wire.Hello))
        stop.set()
        if is_welcome:
            await server.hear(wire.Unseek)
        await server.hear(wire.Goodbye)

    assert await played(script, stop=stop) == []


async def test_a_bot_told_to_stop_while_it_warms_up_does_not_connect() -> None:
    """An engine may compile for long; with a seat to take back it connects all the same."""
    stop = asyncio.Event()
    stop.set()
    async with scripted_server() as url:
        assert await play(url, stop=stop) == []


async def test_a_bot_told_to_stop_waits_not_long_for_a_server_that_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its seat is kept for its next start; it took 58 s, for its server's grace and a pause."""
    monkeypatch.setattr("mancala.bot.client.run.AWAY_S", 0.0)
    stop, asked, file = asyncio.Event(), asyncio.Event(), tmp_path / "session"

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.hear_final()
        asked.set()
        await server.until_closed()

    async with scripted_server(script) as url:
        playing = asyncio.create_task(play(url, stop=stop, session_file=file))
        await asked.wait()
    stop.set()
    async with asyncio.timeout(PATIENCE_S):
        assert await playing == []
    assert b"secret" in file.read_bytes()


EXAMPLE = (bot.__doc__ or "").partition("\n\n")[2]
COMMAND = "-m mancala bot ws://127.0.0.1:8765 --player random --name fifteen --games 2 --json"


async def start_bot(
    url: str, state: Path, words: Sequence[str] = ("-c", EXAMPLE)
) -> asyncio.subprocess.Process:
    """Run the example of the room's docstring on a server, or another program of its own."""
    told = [word.replace("ws://127.0.0.1:8765", url) for word in words]
    environment = os.environ | {"XDG_STATE_HOME": str(state)}
    return await asyncio.create_subprocess_exec(sys.executable, *told, cwd=ROOT, env=environment)


@pytest.mark.parametrize("words", [("-c", EXAMPLE), COMMAND.split()], ids=["example", "command"])
async def test_the_example_is_a_bot_that_finds_its_seat_when_killed(
    words: Sequence[str], tmp_path: Path
) -> None:
    """The lines a newcomer reads, and the command, play their two games and leave nothing behind.

    A new process resumes the session of one that was killed, and counts its games.
    """
    bots: list[asyncio.subprocess.Process] = []

    async def kills(server: ServerEnd) -> None:
        hello = await server.welcome(session="secret 1")
        assert (hello.name, hello.resume) == ("fifteen", None)
        assert (await server.hear(wire.Seek)).games == 2
        assert (await server.play_one_game(ends_match=False)).pit in ask().legal
        await server.say(start("g2"), ask("g2"))
        await server.hear(wire.Move)
        bots[0].kill()
        await server.until_closed()

    async def goes_on(server: ServerEnd) -> None:
        hello = await server.welcome(session="secret 1", resumed=True, matches=("m1",))
        assert hello.resume == "secret 1"
        await server.play_last_game("g2")

    async with asyncio.timeout(PATIENCE_S), scripted_server(kills, goes_on) as url:
        for _ in range(2):
            bots.append(await start_bot(url, tmp_path, words))
            try:
                await bots[-1].wait()
            finally:
                with suppress(ProcessLookupError):
                    bots[-1].kill()
    assert [bot.returncode for bot in bots] == [-signal.SIGKILL, 0]
    assert not default_path(url, "fifteen", {"XDG_STATE_HOME": str(tmp_path)}).exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_lets_the_running_game_end(number: signal.Signals, tmp_path: Path) -> None:
    """A bot's process that gets a SIGTERM finishes its game, says goodbye, and exits with 0."""
    bots: list[asyncio.subprocess.Process] = []

    async def script(server: ServerEnd) -> None:
        await server.begin(wire.Seek)
        await server.hear(wire.Move)
        bots[0].send_signal(number)
        await server.say(ask(ply=2))
        assert (await server.hear(wire.Move)).ply == 2
        await server.say(over())
        await server.hear(wire.Goodbye)

    async with scripted_server(script) as url:
        bots.append(await start_bot(url, tmp_path))
        assert await bots[0].wait() == 0


async def test_importing_the_bot_room_loads_no_engine() -> None:
    """A bot author's import costs no compiler."""
    loaded = "bool({'numba', 'mancala.engine'} & {*sys.modules})"
    program = f"import sys, mancala.bot; sys.exit({loaded})"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, cwd=ROOT)
    assert await process.wait() == 0


async def test_a_player_that_cannot_warm_up_ends_the_bot() -> None:
    """A missing program is an error before the bot connects."""
    with pytest.raises(PlayerFailedError, match="no-such-program"):
        await play("ws://127.0.0.1:9", ExternalBot("./no-such-program"))


async def test_a_bot_replaced_right_after_its_welcome_stays_away() -> None:
    """What the server said before it closed is read, though a ping is still open."""

    async def script(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        limits = wire.Limits(frame_bytes=16384, games=1, grace_s=5)
        await server.say(
            wire.Welcome(wire.VERSION, "scripted", "secret", resumed=False, limits=limits),
            wire.Goodbye(wire.REPLACED),
        )
        await server.connection.close(wire.REPLACED_CLOSE)

    for _ in range(20):  # the order of two tasks decides
        with pytest.raises(ServerLeftError, match="another process with this bot's session"):
            await played(script)
