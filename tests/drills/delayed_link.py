"""``python -m tests.drills.delayed_link``: bots behind a link that is really slow.

A network namespace of its own has a tunnel device whose other end is this program. It swaps source
and destination of each packet, which leaves the checksums right, and returns it half a round trip
later. So a bot that connects to the far address reaches a server on the near one, and every packet
is late by the same time, acknowledgements included. One bot answers pings as it should, one answers
them late as well.

This needs Linux, ``unshare`` and ``ip``, and the right to make a namespace; where they are missing
the drill says so.
"""

import asyncio
import fcntl
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer
from websockets.asyncio.client import ClientConnection

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Move, Moved, Resign
from mancala.scripts.console import output as console
from tests.drills.hosting import temporary_server
from tests.drills.stalling import late_by, pairs_of

DEVICE: Final = "slow0"
NEAR: Final = "10.9.0.1"
FAR: Final = "10.9.0.2"
TUN: Final = Path("/dev/net/tun")
TUNSETIFF: Final = 0x400454CA
PACKETS: Final = 0x1001
"""``IFF_TUN | IFF_NO_PI``: packets without a header of the device's own."""
ADDRESSES: Final = slice(12, 20)
MTU: Final = 1500
CLOCK: Final = TimeControl(move_ms=5000)
EXTRA_S: Final = 0.2
"""By how much the second bot's pongs are late on top of the link."""


class DelayedLinkFigures(msgspec.Struct, frozen=True):
    """What was found on the delayed link.

    Attributes:
        problem: why there is no such link; None if there is one.
        credits_ms: lag credited for a move, of the bot that answers pings as it should, and of the
            one that answers them late.
    """

    problem: str | None = None
    credits_ms: tuple[int, ...] = ()


async def measure(round_trip_ms: int) -> DelayedLinkFigures:
    try:
        process = await asyncio.create_subprocess_exec(
            *("unshare", "--user", "--map-root-user", "--net", sys.executable, "-m", __name__),
            *("--round-trip-ms", str(round_trip_ms)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except FileNotFoundError:
        return DelayedLinkFigures("there is no program unshare")
    out, err = await process.communicate()
    if process.returncode != 0:
        last = err.decode(errors="replace").strip().rpartition("\n")[2]
        return DelayedLinkFigures(f"no namespace with a tunnel device: {last}")
    return codec.from_json(out, DelayedLinkFigures)


def open_link(half_s: float) -> None:
    """Set up the device, and return each packet with its addresses swapped, half a trip later."""
    loop = asyncio.get_running_loop()
    tunnel = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tunnel, TUNSETIFF, struct.pack("16sH", DEVICE.encode(), PACKETS))

    def forward() -> None:
        packet = bytearray(os.read(tunnel, MTU))
        source, target = packet[12:16], packet[16:20]
        packet[ADDRESSES] = target + source
        loop.call_later(half_s, send, bytes(packet))

    def send(packet: bytes) -> None:
        with suppress(OSError):  # the device is full or gone, and TCP sends again
            os.write(tunnel, packet)

    loop.add_reader(tunnel, forward)


async def _configure() -> None:
    for command in (
        "ip link set lo up",
        f"ip address add {NEAR}/24 dev {DEVICE}",
        f"ip link set {DEVICE} up",
    ):
        process = await asyncio.create_subprocess_exec(*command.split())
        if await process.wait() != 0:
            raise OSError(f"{command} failed")


async def _credits(round_trip_ms: int) -> DelayedLinkFigures:
    open_link(round_trip_ms / 2000)
    await _configure()
    async with temporary_server(f'host = "{NEAR}"\n') as life:
        url = life.url.replace(NEAR, FAR)
        pong_s = 2 * round_trip_ms / 1000 + EXTRA_S
        honest = await _credit(url, ClientConnection, pong_s)
        return DelayedLinkFigures(None, (honest, await _credit(url, late_by(EXTRA_S), pong_s)))


async def _credit(url: str, kind: type[ClientConnection], pong_s: float) -> int:
    async with pairs_of(url, 1, [kind]) as (pair,):
        await asyncio.sleep(pong_s)  # until the first pong has arrived
        asked = await pair.begin(CLOCK)
        turn = asked.turn
        await asyncio.sleep(pong_s)  # a move is credited no more than the time it took
        await asked.side.say(Move(turn.game, turn.ply, turn.legal[0]))
        moved, _ = await asked.side.hear(Moved)
        await asked.side.say(Resign(turn.game))
        return moved.lag_ms


def main(
    *, round_trip_ms: Annotated[int, typer.Option(min=1, help="Round trip of the link.")] = 100
) -> None:
    """Print what bots behind a slow link are credited; run in a network namespace."""
    console.emit(msgspec.to_builtins(asyncio.run(_credits(round_trip_ms))))


if __name__ == "__main__":
    typer.run(main)
