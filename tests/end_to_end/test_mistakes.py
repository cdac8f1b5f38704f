"""Mistakes of a newcomer: each gets one sentence that says what to do, and no traceback."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner

from mancala.bot import Turn, play
from mancala.bot.client.bot import Choose
from mancala.protocol import messages as wire
from mancala.scripts.mancala import build
from tests.bot.client.scripted_server import ServerEnd, ask, scripted_server, start

URL = "ws://127.0.0.1:1"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bot", "http://127.0.0.1:8080"], "it begins with ws:// or wss://"),
        (["bot", "127.0.0.1:8765"], "it begins with ws:// or wss://"),
        (["bot", URL, "--player", "enginee"], "no player named 'enginee' (did you mean 'engine'?)"),
        (["bot", URL, "--player", "minimax:deep=3"], "no option 'deep' (did you mean 'depth'?)"),
        (["bot", URL, "--player", "minimax:5"], "an option is written key=value, not '5'"),
        (["bot", URL, "--player", "cmd:./missing"], "no program './missing' to be started"),
        (["bot", URL, "--player", "cmd:"], "cmd needs a program: cmd:PROGRAM"),
        (["bot", URL, "--player", "random", "--name", "my bot"], "'my bot' cannot be a name"),
        (["bot", URL, "--player", "random", "--agent", "/2"], "such as my-bot/1.2, not '/2'"),
        (["match", "python:missing.py", "greedy"], "missing.py: no such file or directory"),
        (["match", "python:wrong.py", "greedy"], "wrong.py, line 1: "),
        (["bot", URL, "--player", "python:right.py:chose"], "has no 'chose'; it has choose"),
        (["match", "greedy"], "a match has two players"),
        (["match", "--run", "node bot.js", "greedy"], "the command needs {url}"),
        (["match", "net:no-such-program {url}", "greedy"], "no program 'no-such-program'"),
        (["rate"], "name one player, by a SPEC or by --run, not 0"),
        (["new"], "the bot needs a name: mancala new NAME"),
        (["new", "ada", "--lang", "cobol"], "no starter in 'cobol'; there are c, csharp,"),
        (["rate", "./bot"], "a program is written cmd:./bot, or net:./bot {url} … if it opens a"),
        (["check-bot", "127.0.0.1:8765"], "is neither ws://HOST:PORT, tcp://HOST:PORT nor cmd:"),
        (["check-bot", "./bot"], "nor cmd:PROGRAM; a program is written cmd:./bot"),
        (["check-bot", "python:bot.py:choose"], "checked by ws://127.0.0.1:0 --run 'python3 FILE"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each says what is wrong and what there is, with the code of bad input."""
    monkeypatch.chdir(tmp_path)
    Path("wrong.py").write_text("def choose(turn)\n    return 0\n")
    Path("right.py").write_text("def choose(turn):\n    return turn.legal[0]\n")
    result = CliRunner().invoke(build(), arguments)
    assert result.exit_code == 2, result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sentence in result.stderr


def _raises(_turn: Turn) -> int:
    return {"a": 1}["b"]


def _forgets(_turn: Turn) -> None:
    pass


def _takes_nothing() -> int:
    return 0


def _right(turn: Turn) -> int:
    return turn.legal[0]


async def _asks(server: ServerEnd) -> None:
    await server.welcome()
    await server.hear(wire.Seek)
    await server.say(start(), ask())
    await server.until_closed()


def _refuses(code: wire.ErrorCode, text: str) -> Callable[[ServerEnd], Awaitable[None]]:
    async def script(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        await server.say(wire.Error(code, text, fatal=True), wire.Goodbye("refused"))
        await server.connection.close(1008)

    return script


@pytest.mark.parametrize(
    ("choose", "script", "sentence"),
    [
        (_raises, _asks, "the player raised KeyError: 'b' (test_mistakes.py, line "),
        (_forgets, _asks, "choose() must return a pit or a Choice, not None"),
        (_takes_nothing, _asks, "takes 0 positional arguments but 1 was given"),
        (_right, _refuses(wire.ErrorCode.BAD_TOKEN, "no such token"), "no such token (bad_token)"),
        (_right, _refuses(wire.ErrorCode.BAD_NAME, "name taken"), "name taken (bad_name)"),
    ],
)
async def test_what_stops_a_bot_is_one_sentence(
    choose: object,
    script: Callable[[ServerEnd], Awaitable[None]],
    sentence: str,
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
        (None, "no server listens there"),
    ],
    ids=["page", "no such page", "mail", "nothing"],
)
async def test_a_wrong_port_is_one_sentence(answer: bytes | None, sentence: str) -> None:
    """A port of something else is named as what it is."""
    async with _answering(answer) as url:
        said = await asyncio.to_thread(_played, url, _right)
    assert sentence in said
    assert len(said.splitlines()) == 1


@asynccontextmanager
async def _answering(answer: bytes | None) -> AsyncIterator[str]:
    """Answer whatever connects; or, with None, listen no more."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer or b"")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)  # the far side
    url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        if answer is None:
            server.close()
        yield url


def _played(url: str, choose: object) -> str:
    """Return the sentence with which a bot's program ends."""
    with pytest.raises(SystemExit) as ended:
        play(
            url,
            cast("Choose", choose),
            name="ada",
            session_file=None,
            patience_s=0.0,
            stop=asyncio.Event(),
        )
    return str(ended.value)


def test_debug_has_the_traceback_come_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who wants to see where it came from asks for it."""
    monkeypatch.setattr(sys, "argv", ["play.py", "--debug"])
    assert "no server listens there" in _played(URL, _right)
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_debug_may_follow_any_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """The option of the command line need not come before the command's name."""
    arguments = ["match", "random", "python:missing.py", "--debug"]
    monkeypatch.setattr(sys, "argv", ["mancala", *arguments])
    result = CliRunner().invoke(build(), arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("mancala: python: missing.py: no such file")


def test_an_interrupted_bot_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C is no fault."""

    async def interrupted(*_arguments: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mancala.bot.client.run.run", interrupted)
    assert _played(URL, _right) == "130"
