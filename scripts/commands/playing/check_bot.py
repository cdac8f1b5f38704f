"""``mancala check-bot``: put a bot through a script of situations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from ...console import output as console
from ...console.options import JsonOption

if TYPE_CHECKING:
    from ...conformance.robot import Times
    from ...conformance.verdicts import ConformanceReport


PROGRAM: Final = "cmd:"


def command(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="URL|cmd:PROGRAM",
            help="Where the bot will connect: ws://127.0.0.1:8765, or tcp://127.0.0.1:2671 in the"
            " Kalah Game Protocol (ws:// with --kgp). Or a program that reads boards:"
            " cmd:PROGRAM.",
        ),
    ] = "ws://127.0.0.1:8765",
    *,
    run: Annotated[
        str | None,
        typer.Option(help="Start the bot by this command; {url} stands for the address."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this situation; may be repeated.")
    ] = None,
    movetime: Annotated[float, typer.Option(min=0.05, help="Seconds for each move.")] = 1.0,
    patience: Annotated[
        float, typer.Option(min=1, help="Seconds to wait for the bot to connect.")
    ] = 60.0,
    is_kgp: Annotated[
        bool, typer.Option("--kgp", help="Speak the Kalah Game Protocol over ws://, too.")
    ] = False,
    late: Annotated[
        float, typer.Option(min=0, help="How late an answer may be, in seconds.")
    ] = 0.25,
    json: JsonOption = False,
) -> None:
    """Check that a bot keeps to the protocol, situation by situation.

    The command is a server that the bot connects to. Start the bot so that it keeps
    playing, and leave it running until the report is printed. With --run it is started again after
    each match that it asked for.
    """
    import asyncio

    from ...conformance.robot import Times

    times = Times(move_s=movetime, late_s=late, come_s=patience)
    with console.bad_input(OSError, ValueError):
        report = asyncio.run(_checked(bot, run, times, only or (), is_kgp=is_kgp, is_quiet=json))
    console.show(report.as_json(), report.as_text(), json=json)
    if report.failed:
        raise typer.Exit(console.FAILED)


async def _checked(
    bot: str, run: str | None, times: Times, only: Sequence[str], *, is_kgp: bool, is_quiet: bool
) -> ConformanceReport:
    from ...conformance import kgp, kgp_links, programs
    from ...conformance.robot import listening
    from ...conformance.situations import SITUATIONS, check
    from ...conformance.starting import started
    from ...conformance.verdicts import chosen

    if bot.startswith(PROGRAM):
        return await programs.check(bot.removeprefix(PROGRAM), times, only)
    address = urlsplit(bot)
    host, port = address.hostname or "127.0.0.1", address.port or 0
    is_websocket = address.scheme == "ws"
    if run is not None and not port and "{url}" not in run:
        raise ValueError(
            f"--run {run!r} has no {{url}}: a bot has no other way to know the port that takes"
            " the place of 0"
        )
    if address.scheme == "tcp" or (is_kgp and is_websocket):
        listening_to = kgp_links.listening(host, port, times.come_s, websocket=is_websocket)
        async with listening_to as (url, come):
            console.say(f"waiting for the client at {url}", err=True)
            async with started(run, url):
                robot = kgp.KgpRobot(await come(), times)
                return await kgp.check(robot, run or bot, only)
    if not is_websocket:
        known = "ws://HOST:PORT, tcp://HOST:PORT nor cmd:PROGRAM"
        raise ValueError(f"{bot!r} is neither {known}{_other_way(bot)}")
    async with listening(host, port, times) as examiner:
        console.say(f"waiting for the bot at {examiner.url}", err=True)
        async with started(run, examiner.url) as examiner.process:
            total = len(chosen(SITUATIONS, only))
            with console.counted("situations", total, quiet=is_quiet) as shown:
                return await check(examiner, run or bot, only, shown)


def _other_way(bot: str) -> str:
    """Return how a bot is checked that was named as a file or as a player; else nothing."""
    if bot.startswith("python:"):
        return "; a bot that connects is checked by ws://127.0.0.1:0 --run 'python3 FILE {url} …'"
    return f"; a program is written cmd:{bot}" if "/" in bot and "://" not in bot else ""
