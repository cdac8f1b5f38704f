r"""``python -m tests.drills.terminal``: texts of strangers that a terminal would obey.

Once, ``error.message`` of a hostile server arrived raw on the terminal of ``mancala list``. So each
command that prints what others wrote is run on a terminal (a pty), while those others write
sequences that set its title, clear it, turn the direction of writing or are not seen:

* a match server, in each text of each message, in frames that are no JSON, in the reason of a
  closed connection and in its refusal of the websocket;
* a server of the Kalah Game Protocol, and the page of a match server;
* programs, in what they answer and in what they write as errors;
* records, lists of moves, events' folders, and the names of files.

Each command must end, and no mark may reach the terminal as it is.
"""

import asyncio
import os
import pty
import shlex
import signal
import sys
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple

import typer
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.rules import KALAH, Board
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, SeedOption, command_line, for_each
from tests.patience import PATIENCE_S

OBEYED: Final = ("\x1b]0;stolen\x07", "\x9b2J", "\r\x1b[77A")
"""What sets the title, clears, and writes over what stands above."""
UNSEEN: Final = ("\u202etxt.exe", "pi\u200bt")
"""What turns the direction of writing, and what is not seen."""
MARKS: Final = (*OBEYED, *UNSEEN)
TEXTS: Final = ("".join(OBEYED), "".join(UNSEEN))
CLOCK: Final = TimeControl(move_ms=1000)
WELCOME: Final = wire.Welcome(
    wire.VERSION, "arena", "s3cret", resumed=False, limits=wire.Limits(16384, 99, 30.0)
)
TERMINAL: Final = {"TERM": "xterm-256color", "COLUMNS": "200", "LINES": "50"}
AT_ONCE: Final = 4
CHUNK: Final = 65_536
MANCALA: Final = (sys.executable, "-m", "mancala.scripts.mancala")

Saying = Callable[[ServerConnection], Any]
Case = Callable[[], Awaitable["TerminalRun"]]


def server_messages() -> list[wire.ServerMessage]:
    clocks, state = ClockState(None, (1000, 1000)), Board.start().state
    names, seat = ("ada", "bob"), 0
    limits, agent = WELCOME.limits, wire.Agent("program", "1")
    bot, game = (
        wire.ListedBot("bob", agent),
        wire.ListedGame("g1", "m1", names, KALAH, ladder="main"),
    )
    ladder = wire.ListedLadder("main", KALAH, CLOCK, games=2, players=1, guests=True)
    evidence = wire.Evidence(player=0, detail="too late", received="xyz")
    return [
        wire.Error(wire.ErrorCode.FORBIDDEN, "no", fatal=True, ref="hello"),
        wire.Welcome(
            wire.VERSION, "arena", "s3cret", resumed=False, limits=limits, warnings=("old",)
        ),
        wire.Listing(wire.Listable.LADDERS, ladders=(ladder,)),
        wire.Listing(wire.Listable.BOTS, bots=(bot,)),
        wire.Listing(wire.Listable.GAMES, games=(game,)),
        wire.Scheduled(
            "bob", (wire.NextMatch(wire.MatchOrigin.EVENT, "final", "ada", 2, 3, "2026", "bob"),)
        ),
        wire.Goodbye("closing"),
        wire.Notice("maintenance at nine", until="2026-01-02T21:00:00Z"),
        wire.Seeking(KALAH, CLOCK, rated=True, games=2, opponent="bob"),
        wire.Joined("main", KALAH, CLOCK, games=2, matches=3),
        wire.Entered("final", KALAH, CLOCK, games=2, starts="2026-12-01T19:00:00Z"),
        wire.Withdrawn("final", "the event is finished"),
        wire.Challenged("c1", "ada", "bob", KALAH, CLOCK, rated=True, games=2),
        wire.GameStart(
            "g1", "m1", seat, KALAH, CLOCK, wire.Opponent("bob", agent), state, (), clocks, names
        ),
        wire.GameOver("g1", 0, (25, 23), wire.Reason.TIMEOUT, evidence),
    ]


class TerminalRun(NamedTuple):
    """A command as it ran on a terminal."""

    words: str
    output: bytes
    code: int | None

    @property
    def marks(self) -> list[str]:
        text = self.output.decode(errors="surrogateescape")
        return [mark for mark in MARKS if mark in text]


async def drill(
    most: Annotated[int, typer.Option(min=1, help="Spoilt texts that each command meets.")] = 1000,
    seed: SeedOption = 1,
) -> DrillReport:
    """Let each command print on a terminal what strangers wrote."""
    rng = Random(seed)
    few_at_once = asyncio.Semaphore(AT_ONCE)

    async def run(case: Case) -> TerminalRun:
        async with few_at_once:
            return await case()

    with TemporaryDirectory(prefix="mancala-terminal-") as folder:
        cases = [*_clients(Path(folder)), *_other_clients(Path(folder)), *_files(Path(folder))]
        drawn = [case for each in cases for case in rng.sample(each, min(most, len(each)))]
        shown = await asyncio.gather(*map(run, drawn))
    reached = sorted({f"{each.words}: {mark!r}" for each in shown for mark in each.marks})
    figures = {
        "commands": dict(Counter(each.words for each in shown)),
        "printed_bytes": sum(len(each.output) for each in shown),
        "marks_on_the_terminal": reached,
        "silent_commands": sorted({each.words for each in shown if not each.output}),
    }
    promises = {
        "no text of a stranger reaches the terminal as it is": not reached,
        "every command ends": for_each(each.code is not None for each in shown),
        "no command ends with a traceback": not any(b"Traceback" in each.output for each in shown),
    }
    return DrillReport("terminal", seed, figures, promises)


# Match servers


def _clients(folder: Path) -> Iterator[list[Case]]:
    """Yield for each client of a match server its runs, one for each spoilt sentence."""
    for words in (
        *("list {} ladders", "list {} bots", "list {} games"),
        "bot {} --player random --name ada --games 1",
    ):
        sayings = (*_frames(), *_endings())
        yield [partial(_meet, folder, words, saying) for saying in sayings]


async def _meet(folder: Path, words: str, saying: Saying) -> TerminalRun:
    async with _hostile_server(saying) as url:
        return await _run(folder, words.format(url).split())


def _frames() -> Iterator[Saying]:

    def saying(frame: str) -> Saying:
        return lambda socket: socket.send(frame)

    for mark in TEXTS:
        yield saying(f"{mark} is no JSON")
        for message in server_messages():
            value = codec.from_json(codec.encode(message), dict[str, Any])
            yield from (saying(codec.to_json(each).decode()) for each in spoilt(value, mark))


def _endings() -> Iterator[Saying]:
    def saying(mark: str) -> Saying:
        return lambda socket: socket.close(4000, mark)

    return map(saying, TEXTS)


def spoilt(value: Any, mark: str) -> Iterator[Any]:  # noqa: ANN401  # any JSON value
    """Yield copies of a JSON value with a mark in one of its texts, but for its type."""
    if isinstance(value, str):
        yield f"{value}{mark}"
    elif isinstance(value, dict):
        for key, part in value.items():
            if key != "type":
                yield from ({**value, key: each} for each in spoilt(part, mark))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], each, *value[place + 1 :]] for each in spoilt(part, mark))


@asynccontextmanager
async def _hostile_server(saying: Saying) -> AsyncIterator[str]:
    """Serve connections with a welcome and one hostile sentence; a second one is refused."""
    visits = 0

    async def handle(socket: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            await socket.recv()
            await socket.send(codec.encode(WELCOME), text=True)
            await saying(socket)
            refusal = wire.Error(wire.ErrorCode.FORBIDDEN, "enough", fatal=True)
            await socket.send(codec.encode(refusal), text=True)

    def refuse(_socket: ServerConnection, _request: Request) -> Response | None:
        nonlocal visits
        visits += 1
        mark = MARKS[visits % len(MARKS)]
        body = f"{mark} is not served".encode()
        headers = Headers({"Content-Length": str(len(body)), "Content-Type": "text/plain"})
        return Response(403, "Forbidden", headers, body) if visits > 1 else None

    async with serve(
        *(handle, HOST, 0), compression=None, process_request=refuse, select_subprotocol=_first_of
    ) as server:
        yield f"ws://{HOST}:{server.sockets[0].getsockname()[1]}"


def _first_of(_socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    return offered[0] if offered else None


# Other servers


def _other_clients(folder: Path) -> Iterator[list[Case]]:
    lines = [
        line
        for mark in TEXTS
        for line in (f'error "no{mark}"', f"kgp 9 9 {mark}", mark, f"state <{mark}>")
    ]
    kgp = "kgp tcp://{} --player random --games 1"
    yield [partial(_ask, folder, kgp, f"{line}\r\ngoodbye\r\n".encode()) for line in lines]
    review = "review --server http://{} --bot ada"
    yield [partial(_ask, folder, review, answer) for mark in TEXTS for answer in _pages(mark)]


def _pages(mark: str) -> Iterator[bytes]:
    """Yield answers of a page: a refusal, what is no JSON, and a list of games."""
    for status, body in (
        (f"403 No{mark}", codec.to_json({"error": {"code": mark, "message": f"no{mark}"}})),
        ("200 OK", f'{{"games": "{mark}"'.encode()),
        ("200 OK", codec.to_json({"games": [{"game": mark, "players": [mark, mark]}]})),
    ):
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        yield head.encode() + body


async def _ask(folder: Path, words: str, answer: bytes) -> TerminalRun:
    async with _answering(answer) as port:
        return await _run(folder, words.format(f"{HOST}:{port}").split())


@asynccontextmanager
async def _answering(answer: bytes) -> AsyncIterator[int]:
    """Send every connection the same answer, whatever it says."""

    async def handle(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(ConnectionError):
            writer.write(answer)
            writer.write_eof()
            await reader.read()
            writer.close()

    async with await asyncio.start_server(handle, HOST, 0) as server:
        yield server.sockets[0].getsockname()[1]


# Programs and files


def _files(folder: Path) -> Iterator[list[Case]]:
    by_command = zip(*(_reading(folder, *each) for each in enumerate(TEXTS)), strict=True)
    for runs in by_command:
        yield [partial(_run, folder, words) for words in runs]


def _reading(folder: Path, number: int, mark: str) -> Iterator[list[str]]:
    def written(name: str, content: bytes) -> str:
        path = folder / f"{number}-{name}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return str(path)

    program = written(
        "program.py",
        f"import sys\nprint({mark!r}, file=sys.stderr, flush=True)\n"
        f"input()\nprint({mark!r}, flush=True)\nsys.exit({mark!r})\n".encode(),
    )
    shell = f"cmd:{shlex.join((sys.executable, program))}"
    yield ["match", shell, "random", "--games", "2", "--movetime", "0.1"]
    yield ["review", written("record.json", codec.to_json({"schema": mark, mark: 1}))]
    yield ["review", str(folder / f"missing{mark}.json")]
    yield ["import", written("list.txt", f"0 1 {mark}".encode())]
    settings = written("serve.toml", b"name = " + codec.to_json(f"club{mark}"))
    yield ["serve", "--check-config", "--config", settings]
    event = written("event/event.json", codec.to_json({"players": [f"cmd:{mark}"], mark: 1}))
    yield ["match", "--resume", str(Path(event).parent)]


# The terminal


async def _run(folder: Path, words: Sequence[str]) -> TerminalRun:
    """Run a command on a terminal of its own until it ends, or for as long as patience lasts."""
    master, slave = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(*MANCALA, *words),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, **TERMINAL, "XDG_STATE_HOME": str(folder), "HOME": str(folder)},
    )
    os.close(slave)
    reading = asyncio.create_task(asyncio.to_thread(_read_all, master))
    try:
        async with asyncio.timeout(PATIENCE_S):
            code: int | None = await process.wait()
    except TimeoutError:
        code = None
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    output = await reading
    os.close(master)
    return TerminalRun(_described(words), output, code)


def _read_all(master: int) -> bytes:
    chunks = []
    with suppress(OSError):
        while chunk := os.read(master, CHUNK):
            chunks.append(chunk)
    return b"".join(chunks)


def _described(words: Sequence[str]) -> str:
    """Return a command without what differs from run to run."""
    plain = (word for word in words if not word.startswith(("ws:", "tcp:", "http:", "/", "cmd:")))
    return " ".join(plain)


if __name__ == "__main__":
    command_line(drill)
