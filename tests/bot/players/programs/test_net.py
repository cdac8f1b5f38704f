"""Bots of the wire as players: their private server hands them games, and names what they break."""

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mancala.bot.players.programs.net import SESSION, NetPlayer, restored
from mancala.bot.players.registry import check_spec
from mancala.bot.players.spec import SpecError
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget, Choice, Player, PlayerError
from mancala.protocol.rules import Board, Rules
from mancala.scripts.conformance.starting import started
from tests.patience import PATIENCE_S

BOT = """
import asyncio, json, sys
from websockets.asyncio import client

async def main(url, mode):
    hello = {"type": "hello", "protocol": "mancala.v1", "name": "ada"}
    while True:
        async with client.connect(url, open_timeout=None) as socket:
            async def say(**message):
                await socket.send(json.dumps(message))
            await say(**hello)
            async for frame in socket:
                message = json.loads(frame)
                print(message["type"], message.get("pit", ""), file=sys.stderr, flush=True)
                match message["type"]:
                    case "welcome":
                        hello["resume"] = message["session"]
                        if mode == "once":
                            await say(type="join", ladder="main", matches=1)
                    case "turn":
                        if mode == "crash":
                            sys.exit("out of ideas")
                        if mode == "resign":
                            await say(type="resign", game=message["game"])
                            continue
                        if mode == "drop":
                            mode = ""
                            break
                        if mode == "babble":
                            await say(type="move", game=message["game"], ply="one", pit=0)
                        answer = dict(type="move", game=message["game"], ply=message["ply"])
                        await say(**answer, pit=message["legal"][0], provisional=True)
                        if mode != "silent":
                            await say(**answer, pit=message["legal"][-1], info={"depth": 3})
                    case "match_over" if mode == "once":
                        await say(type="goodbye")
                    case "goodbye":
                        return
asyncio.run(main(*sys.argv[1:]))
"""
Make = Callable[[str], NetPlayer]
MARKED = f"{SESSION}trial"
LONG = Budget(5.0, 60.0)


@pytest.fixture
def make(tmp_path: Path, made: Callable[[str], Player]) -> Make:
    path = tmp_path / "bot.py"
    path.write_text(BOT)

    def player(mode: str) -> NetPlayer:
        one = made(f"net:{sys.executable} {path} {{url}} '{mode}'")
        assert isinstance(one, NetPlayer)
        one.warm_up()
        return one

    return player


def test_a_bot_plays_games_and_hears_of_every_sowing(make: Make) -> None:
    """It is asked as on a server, offers moves, and hears what the opponent sowed."""
    player, offers = make(""), list[Choice]()
    player.new_game(1)
    board = Board.start()
    choice = player.choose(board, Budget(5.0, 60.0, offer=offers.append))
    assert choice.pit == 5
    assert choice.info is not None
    assert choice.info.depth == 3
    assert [offer.pit for offer in offers] == [0]
    board = board.sow(5).board
    board = board.sow(1).board.sow(0).board  # the opponent moves again after pit 1
    player.choose(board, Budget(5.0, 60.0))
    player.new_game(2)
    player.choose(Board.start(Rules.parse("kalah:pits=3,seeds=2")), Budget(5.0, 60.0))
    said, until = list[str](), time.monotonic() + PATIENCE_S
    while said.count("game_start") < 2 and time.monotonic() < until:
        said += player.drain_stderr()  # a pipe of its own, which may be behind the socket
    heard = [line for line in said if line.split()[0] in {"game_start", "turn", "moved"}]
    assert heard[:6] == ["game_start", "turn", "moved 5", "moved 1", "moved 0", "turn"]
    assert "game_over" in said


def test_a_bot_that_leaves_after_its_match_is_started_again(make: Make) -> None:
    """A bot made for one match plays as many games as are wanted."""
    player = make("once")
    for game in range(2):
        player.new_game(game)
        assert player.choose(Board.start(), Budget(5.0, 60.0)).pit == 5


def test_a_bot_that_comes_back_is_asked_again(make: Make) -> None:
    """A dropped connection costs time only: the open question is repeated."""
    player = make("drop")
    player.new_game(1)
    assert player.choose(Board.start(), Budget(30.0, 60.0)).pit == 5


@pytest.mark.parametrize(
    ("mode", "budget", "reason", "detail"),
    [
        ("crash", LONG, Reason.DISCONNECTED, "ended with exit code 1; stderr: .*out of ideas"),
        ("resign", LONG, Reason.RESIGNED, "the bot resigned"),
        ("babble", LONG, Reason.PROTOCOL, "broke the protocol: .*ply"),
        ("silent", Budget(0.3, 0.5), Reason.TIMEOUT, "no answer in time"),
    ],
)
def test_a_fault_is_named(
    make: Make, mode: str, budget: Budget, reason: Reason, detail: str
) -> None:
    """What a bot did wrong loses its game; provisional moves alone are no answer here."""
    player = make(mode)
    player.new_game(1)
    with pytest.raises(PlayerError, match=detail) as caught:
        player.choose(Board.start(), budget)
    assert caught.value.reason is reason
    player.new_game(2)  # nothing more is said on the connection that was given up


def test_a_command_without_an_address_is_refused() -> None:
    """The one mistake that every command line invites is named before anything starts."""
    with pytest.raises(SpecError, match=r"needs \{url\}"):
        check_spec("net:python3 bot.py")
    with pytest.raises(SpecError, match="no program 'no-such-bot'"):
        check_spec("net:no-such-bot {url}")


def test_a_bot_that_cannot_run_says_so_in_the_first_game(
    tmp_path: Path, made: Callable[[str], Player]
) -> None:
    """A bot that ends before its hello fails its first question with what it wrote."""
    player = made(f"net:{sys.executable} {tmp_path / 'missing.py'} {{url}}")
    player.warm_up()
    player.new_game(1)
    with pytest.raises(PlayerError, match=r"exit code 2; stderr: .*can't open file"):
        player.choose(Board.start(), Budget(5.0, 5.0))


@pytest.mark.parametrize(
    ("before", "written", "after"),
    [
        (None, MARKED, None),
        ("of a server", MARKED, "of a server"),
        ("of a server", None, "of a server"),
        (MARKED, MARKED, None),
        (None, "of a server", "of a server"),
    ],
    ids=[
        "made",
        "overwritten",
        "removed at its end",
        "left by an earlier check",
        "begun elsewhere",
    ],
)
def test_a_session_is_as_before_a_check(
    tmp_path: Path, before: str | None, written: str | None, after: str | None
) -> None:
    """A secret of the private server opens nothing; a bot that plays elsewhere keeps its seats."""
    (tmp_path / "folder.session").mkdir()
    file = tmp_path / "trial.session"
    _write(file, before)
    with restored(tmp_path):
        (tmp_path / "notes.txt").write_text(MARKED)
        _write(file, written)
    assert (file.read_text() if file.exists() else None) == after
    assert written or file.stat().st_mode & 0o777 == 0o600
    assert {"folder.session", "notes.txt"} <= {*_names(tmp_path)}


async def test_a_bot_that_is_started_writes_into_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that is the folder that is cleared, once the bot has ended."""
    monkeypatch.chdir(tmp_path)
    code = f"open('trial.session', 'w').write('{SESSION}trial'); exit(3)"
    async with started(shlex.join([sys.executable, "-c", code]), "ws://unused") as process:
        assert process is not None
        assert await process.failed() == 3
        assert _names(tmp_path) == ["trial.session"]
    assert _names(tmp_path) == []


def _write(file: Path, text: str | None) -> None:
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_text(text)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
