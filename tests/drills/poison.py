"""``python -m tests.drills.poison``: control characters in every text that a stranger may send.

Once, one NUL in a bot's version ended a server on PostgreSQL, and again after each restart. So each
text of each message, each option of the Kalah Game Protocol and each path and query of the API is
sent with every kind of character that a database, a terminal or a page may not take. Nothing of it
may be accepted, end the server or give an internal error. Texts that are only strange (emoji, right
to left, quotes, 256 characters of four bytes) must be accepted, and their bots must be paired.
Meanwhile polite bots play, and their games must go on by the rules. What a stranger's page and
digits of other scripts get at each port is tried as well (:mod:`tests.drills.doors`).
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.drills import doors
from tests.drills.attacks import hear, say
from tests.drills.databases import Database
from tests.drills.duellists import DuelTally, duels
from tests.drills.hosting import SQLITE_FILES, temporary_host
from tests.drills.mutation import sentences
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, command_line
from tests.patience import PATIENCE_S, connect

PAIRS: Final = 2
THINK_S: Final = (0.01, 0.03)
GAMES_A_MATCH: Final = 2
AT_ONCE: Final = 8

ODD: Final = ("\0", "\x1b", "\x07", "\x7f", "\x9b", "\u2028", "\uffff", "\x08", "\x01", "\x85")
"""Characters that no text may have, the worst first."""
STRANGE: Final = (
    "🕳️" * 128,
    "\ufdfd \u2167 \ufb01",
    "'; DROP TABLE moves; --",
    '"\\%s%(x)s{}',
    "e\u0301\u0301\u0301",
    "מנקלה@1%40",
)
"""Texts that are unusual, and allowed."""
PATHS: Final = (
    *("/games/{}", "/games/{}/positions", "/games/{}/live", "/matches/{}", "/bots/{}"),
    *("/ladders/{}/standings", "/games?bot={}", "/games?match={}", "/games?cursor={}"),
    *("/bots?cursor={}", "/games?ladder={}", "/{}", "/games?{}=1"),
)
CURSOR: Final = "WyJhXHUwMDAwIiwiYlx1MDAwMCJd"
"""A cursor as the API makes them, of two texts with NUL."""
SETTINGS: Final = """\
http_port = {http}
health_port = {health}
[kgp]
tcp_port = {kgp}
ws_port = {kgp_ws}
[limits]
exempt = ["{host}/32"]
[[ladder]]
name = "main"
clock = {{ move_ms = 60000 }}
patience_s = 0.1
"""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a server listens."""

    url: str
    http: int
    kgp: int


async def drill(
    odd: Annotated[
        int, typer.Option(min=1, help="How many of the odd characters are tried, the worst first.")
    ] = len(ODD),
    where: Database = SQLITE_FILES,
) -> DrillReport:
    """Send control characters in every text that a stranger may send, while polite bots play."""
    tally = DuelTally()
    http, kgp, health, kgp_ws = (free_port() for _ in range(4))
    settings = SETTINGS.format(http=http, health=health, kgp=kgp, kgp_ws=kgp_ws, host=HOST)
    with temporary_host(settings, where) as ground:
        async with (
            ground.running() as life,
            duels(life.url, PAIRS, tally, think_s=THINK_S, seed=1, games=GAMES_A_MATCH),
        ):
            ports = Ports(life.url, http, kgp)
            await tally.first_move.wait()
            frames = await _poison_messages(ports, ODD[:odd], tally.live)
            lines = await _poison_lines(ports, ODD[:odd])
            statuses = await _poison_urls(ports, ODD[:odd])
            at_doors = await doors.held(
                doors.ListeningPorts(ground.port, http, health, kgp, kgp_ws)
            )
            strange = await _strange_bots(ports)
            before = tally.plies
            async with asyncio.timeout(PATIENCE_S):
                while tally.plies < before + 10:  # noqa: ASYNC110  # a tally has no events
                    await asyncio.sleep(THINK_S[1])
            is_alive = life.child.process.returncode is None
    figures = {
        "frames": frames.total(),
        "frames_by_answer": dict(frames),
        "kgp_conversations": lines,
        "requests_by_status": {str(status): count for status, count in sorted(statuses.items())},
        "strange_bots_paired": strange,
        "polite_games": tally.games // 2,
        "polite_plies": tally.plies,
    }
    promises = {
        "the server lives": is_alive,
        "every poisoned message is refused": set(frames) <= {"invalid", "not_json"},
        "every poisoned line is harmless": lines == len(ODD[:odd]) * len(list(_kgp_lines("x"))),
        "no request gives an internal error": bool(statuses) and max(statuses) < 500,
        "strange texts are accepted, and their bots paired": strange == len(STRANGE),
        "every polite game was played by the rules, and in time": tally.is_clean,
        **at_doors,
    }
    return DrillReport("poison", 1, figures, promises)


# Messages


async def _poison_messages(ports: Ports, odd: Iterable[str], game: str) -> Counter[str]:
    frames = [
        spoilt
        for character in odd
        for sentence in sentences(game, "victim")
        for spoilt in _spoilt(codec.from_json(sentence, dict[str, Any]), f"a{character}b")
    ]
    few_at_once = asyncio.Semaphore(AT_ONCE)

    async def send(number: int, frame: Mapping[str, Any]) -> str:
        async with few_at_once, connect(ports.url, compression=None) as socket:
            if frame["type"] != "hello":
                await say(socket, wire.Hello(wire.VERSION, f"poisoner-{number}"))
                await hear(socket, wire.Welcome)
            await socket.send(codec.to_json(frame), text=True)
            return str((await hear(socket, wire.Error)).code)

    async with asyncio.timeout(PATIENCE_S):
        answers = await asyncio.gather(*(send(*each) for each in enumerate(frames)))
    return Counter(answers)


def _spoilt(value: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    """Yield copies of an object with one of its texts replaced, but for its type."""
    for key, part in value.items():
        if isinstance(part, str) and key != "type":
            yield {**value, key: text}
        elif isinstance(part, dict):
            yield from ({**value, key: each} for each in _spoilt(part, text))


async def _strange_bots(ports: Ports) -> int:
    async def join(number: int, text: str) -> int:
        async with connect(ports.url, compression=None) as socket:
            agent = wire.Agent(text[:256], text[:256])
            await say(socket, wire.Hello(wire.VERSION, f"strange-{number}", agent=agent))
            await hear(socket, wire.Welcome)
            await say(socket, wire.Join("main"))
            await hear(socket, wire.GameStart)
            return 1

    paired = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            paired = sum(await asyncio.gather(*(join(*each) for each in enumerate(STRANGE))))
    return paired


# Lines


def _kgp_lines(text: str) -> Iterator[list[str]]:
    for option in ("info:name", "info:authors", "info:comment", "auth:token", "info:unknown"):
        yield [f'1 set {option} "{text}"', "3 mode freeplay"]
    yield [f"1 mode {text}"]
    yield [f"1 {text} x"]
    yield [text, "1 mode freeplay"]


async def _poison_lines(ports: Ports, odd: Iterable[str]) -> int:
    ended = 0
    for character in odd:
        for lines in _kgp_lines(f"a{character}b"):
            reader, writer = await asyncio.open_connection(HOST, ports.kgp)
            said = "".join(f"{line}\r\n" for line in (*lines, "99 goodbye"))
            writer.write(said.encode())
            async with asyncio.timeout(PATIENCE_S):
                with suppress(ConnectionError):
                    ended += bool(await reader.read())
            writer.close()
    return ended


# URLs


async def _poison_urls(ports: Ports, odd: Iterable[str]) -> Counter[int]:
    texts = [quote(f"a{character}b") for character in odd]
    paths = [path.format(text) for path in PATHS for text in (*texts, CURSOR, "%FF", "%ED%A0%80")]
    return Counter([await doors.status(ports.http, f"/api/v1{path}") for path in paths])


if __name__ == "__main__":
    command_line(drill)
