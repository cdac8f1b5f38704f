"""Mistakes of a newcomer: each on ``docs/mistakes.md`` is made, and said as it stands there."""

import asyncio
import os
import re
import socket
import ssl
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final, cast

import pytest
from typer.testing import CliRunner
from websockets.asyncio.server import ServerConnection, serve

from mancala.bot import Bot, Turn, play, run
from mancala.bot.client.bot import Choose
from mancala.bot.client.turns import BLOCKED_S
from mancala.protocol.messages import Error, ErrorCode, Goodbye, Hello, Seek
from mancala.protocol.rules import Board
from mancala.scripts.mancala import build
from tests.bot.client.scripted_server import ServerEnd, scripted_server
from tests.end_to_end.arena import hosted
from tests.patience import WALK_S
from tests.scripts.commands.results import refusal_of
from tests.server.peers import wire_peer
from tests.sources import ROOT

PAGE: Final = ROOT / "docs" / "mistakes.md"
ROW: Final = re.compile(r"^\| (?P<mistake>[^|]+) \| `(?P<said>[^`]+)` \| [^|]+ \|$", re.MULTILINE)
SAID: Final = {row["mistake"]: row["said"] for row in ROW.finditer(PAGE.read_text())}
MANCALA: Final = str(Path(sys.executable).with_name("mancala"))
TLS: Final = ROOT / "tests" / "data" / "tls"
START: Final = Board.start().text
NOWHERE: Final = "ws://127.0.0.1:1"

FILES: Final = {
    "right.py": "def choose(turn):\n    return turn.legal[0]\n",
    "wrong.py": "def choose(turn)\n    return 0\n",
    "other.py": "def move(turn):\n    return turn.legal[0]\n",
    "none.py": "def choose(turn):\n    turn.legal[0]\n",
    "float.py": "def choose(turn):\n    return 2.0\n",
    "slow.py": "import time\ndef choose(turn):\n    time.sleep(0.4)\n    return turn.legal[0]\n",
    "text.py": "def choose(turn):\n    return '2'\n",
    "illegal.py": "def choose(turn):\n    return 9\n",
    "raises.py": "def choose(turn):\n    return {'a': 1}['b']\n",
    "takes.py": "def choose():\n    return 0\n",
    "imports.py": "import no_such_module\n",
    "plain": "#!/bin/sh\n",
    "silent": "#!/bin/sh\nwhile read line; do :; done\n",
    "hangs": "#!/bin/sh\nread line\necho ready\nwhile read line; do :; done\n",
    "prints": "#!/bin/sh\nread line\necho ready\nread line\necho 'thinking'\nread line\n",
    "crashes-once": "#!/bin/sh\nread line\n[ -e once ] && read line\n"
    "touch once\necho boom >&2\nexit 3\n",
    "crash": "#!/bin/sh\nread line\necho boom >&2\nexit 3\n",
}
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "`http://` for `ws://`, or no scheme": ("bot", "http://127.0.0.1:8080"),
    "a name with a space": ("bot", NOWHERE, "--player", "random", "--name", "my bot"),
    "a misspelt player": ("bot", NOWHERE, "--player", "enginee"),
    "a misspelt option": ("bot", NOWHERE, "--player", "minimax:deep=3"),
    "the name of a file alone": ("match", "right.py", "greedy"),
    "the path of a program alone": ("rate", "./my-bot"),
    "a file or a player for what `check-bot` connects to": ("check-bot", "./my-bot"),
    "a file without `choose`": ("match", "python:other.py", "greedy"),
    "a file that does not exist": ("match", "python:missing.py", "greedy"),
    "a folder for a file": ("match", "python:folder", "greedy"),
    "a program that does not exist": ("match", "cmd:./missing", "greedy"),
    "a program that is not executable": ("match", "cmd:./plain", "greedy"),
    "a bot's command without its address": ("match", "--run", "node bot.js", "greedy"),
    "`choose` returns nothing": ("match", "python:none.py", "greedy"),
    "`choose` returns a float": ("match", "python:float.py", "greedy"),
    "`choose` returns text": ("match", "python:text.py", "greedy"),
    "`choose` returns an illegal pit": ("match", "python:illegal.py", "greedy"),
    "`choose` raises": ("match", "python:raises.py", "greedy"),
    "`choose` takes nothing": ("match", "python:takes.py", "greedy"),
    "a module that is not installed": ("match", "python:imports.py", "greedy"),
    "a program that writes nothing, does not flush, or is slow to start": (
        *("match", "cmd:./silent", "greedy", "--movetime", "0.1", "--start-up", "0.1"),
    ),
    "a program that crashes at its first question, and is then silent": (
        *("match", "cmd:./crashes-once", "greedy", "--movetime", "0.1"),
    ),
    "a program that hangs later": ("match", "cmd:./hangs", "greedy", "--movetime", "0.1"),
    "a program that prints other text": ("match", "cmd:./prints", "greedy"),
    "a bot that does not connect": (
        *("match", "net:./silent {url}", "greedy", "--start-up", "0.1"),
    ),
    "a search that takes too long": (*("match", "python:slow.py", "greedy", "--movetime", "0.1"),),
    "a program that crashes": ("match", "cmd:./crash", "greedy"),
    "no games": ("match", "greedy", "random", "--games", "0"),
    "a misspelt command option": ("match", "greedy", "random", "--gamess", "2"),
    "rules that do not exist": ("match", "greedy", "random", "--rules", "kalaa"),
}

OTHERS: Final = [
    (["bot", "127.0.0.1:8765"], "it begins with ws:// or wss://"),
    (["bot", NOWHERE, "--player", "minimax:5"], "an option is written key=value, not '5'"),
    (["bot", NOWHERE, "--player", "cmd:"], "cmd needs a program: cmd:PROGRAM"),
    (["bot", NOWHERE, "--player", "random", "--agent", "/2"], "such as my-bot/1.2, not '/2'"),
    (["match", "python:wrong.py", "greedy"], "wrong.py, line 1: "),
    (["bot", NOWHERE, "--player", "python:right.py:chose"], "has no 'chose'; it has choose"),
    (["match", "greedy"], "a match has two players"),
    (["match", "net:no-such-program {url}", "greedy"], "no program 'no-such-program'"),
    (["rate"], "name one player, by a SPEC or by --run, not 0"),
    (["new"], "the bot needs a name: mancala new NAME"),
    (["new", "ada", "--lang", "cobol"], "no starter in 'cobol'; there are c, csharp,"),
    (["check-bot", "127.0.0.1:8765"], "is neither ws://HOST:PORT, tcp://HOST:PORT nor cmd:"),
    (["check-bot", "python:bot.py:choose"], "checked by ws://127.0.0.1:0 --run 'python3 FILE"),
]
"""Wrong command lines that the page does not list."""


pytestmark = pytest.mark.usefixtures("quick_workers")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    Path("folder").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text)
        Path(name).chmod(0o644 if name == "plain" else 0o755)


def _check(mistake: str, said: str) -> None:
    pattern = ".*".join(map(re.escape, SAID[mistake].split("…")))
    assert re.search(f"^(mancala: )?{pattern}", said, re.MULTILINE), f"{mistake}: {said}"
    assert "Traceback" not in said


@pytest.mark.parametrize("mistake", COMMANDS)
def test_a_wrong_command_says_what_the_page_says(mistake: str) -> None:
    """The command is run in this process, as a newcomer types it."""
    command = COMMANDS[mistake]
    games = ("--games", "2", "--concurrency", "1") if command[0] == "match" else ()
    result = CliRunner().invoke(build(), [*command, *(() if "--games" in command else games)])
    _check(mistake, result.stderr + result.stdout)


@pytest.mark.parametrize(("arguments", "sentence"), OTHERS)
def test_a_wrong_command_line_is_one_sentence(arguments: list[str], sentence: str) -> None:
    """Each says what is wrong and what there is, with the code of bad input."""
    said = refusal_of(*arguments)
    assert len(said.splitlines()) == 1
    assert sentence in said


class _Waits(Bot):
    """A bot, made well or not."""

    async def choose(self, turn: Turn) -> int:
        return turn.legal[0]


def _right(turn: Turn) -> int:
    return turn.legal[0]


@pytest.mark.parametrize(
    ("mistake", "url", "player"),
    [
        ("no server there", NOWHERE, _right),
        ("a class for an object", NOWHERE, type("B", (_Waits,), {})),
        ("the function's answer for the function", NOWHERE, 3),
        ("the player before the address", _right, NOWHERE),
    ],
)
def test_a_wrong_call_says_what_the_page_says(mistake: str, url: object, player: object) -> None:
    """A program that calls `play` ends with the sentence."""
    said = _played(url, player)
    assert said.startswith("ada: ")
    _check(mistake, said.removeprefix("ada: "))


def test_a_misspelt_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name server is asked here."""

    async def unknown(*_arguments: object, **_options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", unknown)
    said = _played("ws://arnea.example.org:8765", _right)
    _check("a misspelt host", said.removeprefix("ada: "))


async def test_a_server_without_ladders_says_so(tmp_path: Path) -> None:
    """The settings name none."""
    async with asyncio.timeout(WALK_S), hosted(tmp_path, "") as host:
        words = ("bot", host.url, "--name", "ada", "--ladder", "main", "--player", "random")
        said = await _said_by(MANCALA, *words)
    _check("a ladder where there is none", said)


async def test_a_notebook_is_told_to_await() -> None:
    """`play` starts an event loop, of which a notebook has one."""
    _check("`play` in a notebook", _played(NOWHERE, _right).removeprefix("ada: "))


def _played(url: object, player: object) -> str:
    with pytest.raises(SystemExit) as ended:
        play(
            cast("str", url),
            cast("Choose", player),
            name="ada",
            session_file=None,
            patience_s=0.0,
            stop=asyncio.Event(),
        )
    return str(ended.value)


def _raises(_turn: Turn) -> int:
    return {"a": 1}["b"]


def _forgets(_turn: Turn) -> None:
    pass


def _takes_nothing() -> int:
    return 0


async def _asks(server: ServerEnd) -> None:
    await server.begin(Seek)
    await server.until_closed()


def _refuses(code: ErrorCode, text: str) -> Callable[[ServerEnd], Awaitable[None]]:
    async def script(server: ServerEnd) -> None:
        await server.hear(Hello)
        await server.say(Error(code, text, fatal=True), Goodbye("refused"))
        await server.connection.close(1008)

    return script


@pytest.mark.parametrize(
    ("choose", "script", "sentence"),
    [
        (_raises, _asks, "the player raised KeyError: 'b' (test_page_of_mistakes.py, line "),
        (_forgets, _asks, "choose() must return a pit or a Choice, not None"),
        (_takes_nothing, _asks, "takes 0 positional arguments but 1 was given"),
        (_right, _refuses(ErrorCode.BAD_TOKEN, "no such token"), "no such token (bad_token)"),
        (_right, _refuses(ErrorCode.BAD_NAME, "name taken"), "name taken (bad_name)"),
    ],
)
async def test_what_stops_a_bot_is_one_sentence(
    choose: object, script: Callable[[ServerEnd], Awaitable[None]], sentence: str
) -> None:
    """What the author's function does, and what the server refuses, ends the program in words."""
    async with scripted_server(script) as url:
        said = await asyncio.to_thread(_played, url, choose)
    assert said.startswith("ada: ")
    assert sentence in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "this port serves web pages, not bots"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "serves web pages, not bots"),
        (b"220 mail.example.org ESMTP\r\n", "what answers at this address speaks no websocket"),
    ],
    ids=["page", "no such page", "mail"],
)
async def test_a_wrong_port_is_one_sentence(answer: bytes, sentence: str) -> None:
    """A port of something else is named as what it is."""

    async def answering(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(answering, "127.0.0.1", 0) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        said = await asyncio.to_thread(_played, url, _right)
    assert sentence in said
    assert len(said.splitlines()) == 1


def test_debug_has_the_traceback_come_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who wants to see where it came from asks for it."""
    monkeypatch.setattr(sys, "argv", ["play.py", "--debug"])
    assert "no server listens there" in _played(NOWHERE, _right)
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_debug_may_follow_any_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option of the command line need not come before the command's name."""
    arguments = ["match", "random", "python:missing.py", "--debug"]
    monkeypatch.setattr(sys, "argv", ["mancala", *arguments])
    last = refusal_of(*arguments).splitlines()[-1]
    assert last.startswith("mancala: python: missing.py: no such file")


def test_an_interrupted_bot_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C is no fault."""

    async def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mancala.bot.client.run.run", interrupted)
    assert _played(NOWHERE, _right) == "130"


async def test_a_live_server_is_met_as_the_page_says(tmp_path: Path) -> None:
    """The mistakes that need a server, each by the command, at one server."""
    async with (
        asyncio.timeout(WALK_S),
        hosted(tmp_path, 'http_port = 0\n[[ladder]]\nname = "main"\n') as host,
        wire_peer(host.url, "ada"),
    ):
        port = host.url.rpartition(":")[2]
        page = str(host.arena.http).replace("http", "ws", 1)
        made = {
            "the port of the page": ("bot", page),
            "`wss://` where there is no TLS": ("list", f"wss://127.0.0.1:{port}"),
            "a name that another bot has": ("bot", host.url, "--name", "ada"),
            "a token that was never issued": (*("bot", host.url, "--name", "eve"), "--token", "x"),
            "a misspelt ladder": (*("bot", host.url, "--name", "eve"), "--ladder", "mian"),
            "a port that is taken": ("serve", "--port", port, "--store", "other.sqlite3"),
        }
        for mistake, (command, *rest) in made.items():
            player = ("--player", "random") if command == "bot" else ()
            said = await _said_by(MANCALA, command, *rest, *player)
            _check(mistake, said.replace("eve", "ada"))


async def test_an_unknown_authority_is_named() -> None:
    """A server with a certificate of its own."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(TLS / "first.pem", TLS / "first.key")

    async def serve_none(connection: ServerConnection) -> None:
        await connection.wait_closed()

    async with serve(serve_none, "127.0.0.1", 0, ssl=tls) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        url = f"wss://127.0.0.1:{port}"
        said = await asyncio.to_thread(_played, url, _right)
    _check("a certificate of an unknown authority", said.removeprefix("ada: "))


async def test_an_async_choose_that_blocks_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The warning comes with the end of the game."""

    async def blocks(turn: Turn) -> int:
        began = time.monotonic()
        while time.monotonic() - began < 2 * BLOCKED_S:
            pass
        return turn.legal[0]

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(Seek)
        await server.play_one_game()
        await server.until_closed()

    async with scripted_server(script) as url:
        await run(url, blocks, name="ada", games=1, session_file=None)
    _check("`time.sleep`, or a search, in an `async def`", caplog.messages[-1])


async def test_an_install_without_the_engine_says_what_to_install() -> None:
    """The base install has no numba."""
    without = "import sys; sys.modules['numba'] = None; from mancala.__main__ import main; main()"
    said = await _said_by(sys.executable, "-c", without, "analyze", "--depth", "1", START)
    _check("the engine without its extra", said)


async def test_an_old_python_is_named(tmp_path: Path) -> None:
    """`make` asks the interpreter for its version before it installs anything."""
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] || exit 1\necho Python 3.9.2\n')
    old.chmod(0o755)
    said = await _said_by("bash", str(ROOT / "scripts" / "setup.sh"), env={"PYTHON": str(old)})
    _check("an old Python", said)


async def _said_by(*command: str, env: Mapping[str, str] | None = None) -> str:
    """Run a command to its end; return what it prints on stderr."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=DEVNULL, stderr=PIPE, env={**os.environ, **(env or {})}
    )
    _, said = await process.communicate()
    assert process.returncode != 0
    return said.decode()


def test_each_mistake_of_the_page_is_made_here() -> None:
    """A row that no test makes is a claim."""
    source = Path(__file__).read_text()
    assert len(SAID) >= 30
    assert not [mistake for mistake in SAID if f'"{mistake}"' not in source]
