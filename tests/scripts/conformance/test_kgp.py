"""The situations for the Kalah Game Protocol: our client passes, broken ones fail."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final
from urllib.parse import urlsplit

import pytest

from mancala.bot.kgp.client import run
from mancala.bot.players.registry import make_bot
from mancala.protocol.kgp.client import Introduction
from mancala.protocol.kgp.lines import Command, parse, write
from mancala.protocol.rules import Board
from mancala.scripts.conformance.kgp import SITUATIONS, KgpRobot, check
from mancala.scripts.conformance.kgp_links import listening
from mancala.scripts.conformance.robot import Times
from mancala.scripts.conformance.verdicts import ConformanceReport
from tests.patience import PATIENCE_S, WALK_S

PATIENT: Final = Times(move_s=PATIENCE_S, late_s=PATIENCE_S, come_s=PATIENCE_S)
BRIEF: Final = Times(move_s=0.3, late_s=0.2, come_s=PATIENCE_S)


async def checked(
    client: Callable[[str], Awaitable[object]], times: Times, *, websocket: bool = False
) -> ConformanceReport:
    listener = listening("127.0.0.1", 0, times.come_s, websocket=websocket)
    async with asyncio.timeout(WALK_S), listener as (url, come):
        playing = asyncio.ensure_future(client(url))
        try:
            return await check(KgpRobot(await come(), times), "trial")
        finally:
            playing.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await playing


@pytest.mark.parametrize("websocket", [False, True])
async def test_our_client_passes_all(*, websocket: bool) -> None:
    """As ``mancala kgp`` plays, over both transports."""

    async def ours(url: str) -> None:
        await run(url, make_bot("greedy"), Introduction(name="trial"))

    report = await checked(ours, PATIENT, websocket=websocket)
    assert report.failed == []
    assert [verdict.situation for verdict in report.verdicts] == list(SITUATIONS)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield reader, writer
    finally:
        writer.close()


def broken(answer: Callable[[Command], list[Command]]) -> Callable[[str], Awaitable[None]]:

    async def client(url: str) -> None:
        async with connected(url) as (reader, writer):
            while line := await reader.readline():
                for each in answer(parse(line.decode())):
                    writer.write(write(each).encode())

    return client


def plain(command: Command, *, first: int = 1, pongs: bool = True) -> list[Command]:
    """Answer as a client should, but for the number of the first pit and for pongs."""
    match command.name, command.arguments:
        case "kgp", _:
            return [Command("mode", ("freeplay",))]
        case "state", (Board() as board,):
            move = Command("move", (board.legal()[0] + first,), ref=command.id)
            return [move, Command("yield", ref=command.id)]
        case "ping", _:
            return [Command("pong", ref=command.id)] if pongs else []
    return []


async def test_a_plain_client_passes_all() -> None:
    """What the broken ones below are variations of."""
    assert (await checked(broken(plain), PATIENT)).failed == []


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda command: plain(command, first=0), "one of the legal pits [1, 2, 3, 4, 5, 6]"),
        (lambda _: [Command("goodbye")], "mode freeplay"),
        (
            lambda command: plain(command)[:1] if command.name == "kgp" else [],
            "within 0.3 s; got none",
        ),
    ],
    ids=["pits from 0", "no mode", "no moves"],
)
async def test_a_broken_client_fails_with_the_right_sentence(
    answer: Callable[[Command], list[Command]], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And with the rule of the protocol."""
    monkeypatch.setattr("mancala.scripts.conformance.kgp.GREETING_S", 2.0)
    (failed,) = (
        await checked(broken(answer), BRIEF if "within" in sentence else PATIENT)
    ).as_json()["failed"]
    assert sentence in f"{failed['expected']}; got {failed['got']}"
    assert failed["spec"].startswith("Kalah Game Protocol 1.0: ")


async def test_a_client_that_never_ends_a_line_fails() -> None:
    """The check ended with a traceback."""

    async def endless(url: str) -> None:
        async with connected(url) as (reader, writer):
            writer.write(b"x" * 200_000)
            await reader.read()

    (failed,) = (await checked(endless, PATIENT)).failed
    assert str(failed.failure) == "expected a command; got a line without an end"
