"""A server on a store of years: when its port opens, and how soon its page and API answer.

`python -m mancala.scripts.bench.serving.store_pages PLACE` starts a server on a store that
`mancala.scripts.bench.serving.store` made, asks each address again and again over HTTP, and prints
one JSON object: what a game and a review take in bytes, `start_s` until it listens and the
processor time of that, `page_s` until its page answers too, and of each address the median and the
99th percentile of the milliseconds, and the most processor time that one answer took, the first one
included. Other programs delay an answer, but take little from that. No request waits for the pace
that one address is held to. The store stays as it is.
"""

from __future__ import annotations

import asyncio
import os
import time
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import quote

import typer

from mancala.protocol import codec
from mancala.protocol.rules import Board, Rules

from ...console import output as console
from ...console.processes.supervisor import mancala
from ...console.processes.temporary import ServedArena
from .store import sizes

SETTINGS: Final = """
http_port = 0
port = 0
[limits]
http_per_s = 1e9
http_burst = 1000000000
[mqtt]
private_broker = false
[[ladder]]
name = "main"
[[ladder]]
name = "blitz"
"""
AGAIN_S: Final = 0.05


def main(
    place: str,
    tries: Annotated[int, typer.Option(min=1, help="Questions to each address.")] = 100,
    *,
    hold: Annotated[bool, typer.Option("--hold", help="Print the address and serve on.")] = False,
) -> None:
    """Start a server on a store and measure its answers."""
    asyncio.run(measure(place, tries, hold=hold))


async def measure(place: str, tries: int, *, hold: bool) -> None:
    """Print what a server on a store costs."""
    with TemporaryDirectory(prefix="mancala-years-") as name:
        folder = Path(name)
        config = folder / "years.toml"
        config.write_text(f'name = "years"\nstore = "{place}"\n{SETTINGS}')
        env = {**os.environ, "XDG_STATE_HOME": name, "PYTHONPYCACHEPREFIX": f"{name}/compiled"}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        arguments = "serve", "--config", str(config), "--json"
        async with mancala("first server", *arguments, folder=folder, env=env) as child:
            await child.line()  # its modules are compiled now, as those of an installation are
        began = time.perf_counter()
        async with mancala("server", *arguments, folder=folder, env=env) as child:
            http = codec.from_json(await child.line(), ServedArena).http or ""
            start_s = time.perf_counter() - began
            start_cpu_s = cpu_s(child.process.pid)
            await asyncio.to_thread(_until_answered, http)
            page_s = time.perf_counter() - began
            if hold:
                console.emit({"http": http})
                await child.process.wait()
            found = await asyncio.to_thread(_answered, http, tries, child.process.pid)
    starts = {"start_s": start_s, "start_cpu_s": start_cpu_s, "page_s": page_s}
    rounded = {name: round(each, 2) for name, each in starts.items()}
    figures = {
        name: {path: getattr(each, name) for path, each in found.items()}
        for name in Answered._fields
    }
    console.emit({**rounded, **sizes(place), **figures})


def cpu_s(process: int) -> float:
    """Return the processor time that a process has used, in seconds; needs Linux."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Answered(NamedTuple):
    """What the answers of an address took: the median, the 99th percentile, the most CPU of one."""

    p50_ms: float
    p99_ms: float
    most_cpu_ms: float


def _until_answered(http: str) -> None:
    while True:
        try:
            return _ask(f"{http}/healthz")
        except OSError:
            time.sleep(AGAIN_S)


def _answered(http: str, tries: int, server: int) -> dict[str, Answered]:
    serving = list(_with_children(server))
    return {path: _ask_often(http + path, tries, serving) for path in _paths(http)}


def _with_children(process: int) -> Iterator[int]:
    """Yield a process and all that it started."""
    yield process
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield from _with_children(int(child))


def _cpu_ms(processes: Iterable[int]) -> float:
    """Return the processor time that processes have used, to a nanosecond."""
    threads = (each for process in processes for each in Path(f"/proc/{process}/task").iterdir())
    return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e6


def _paths(http: str) -> Iterator[str]:
    """Yield the addresses of all kinds: of the API, and of pages with the API's first answers."""
    (game,) = codec.from_json(_read(f"{http}/api/v1/games?limit=1"), dict[str, Any])["games"]
    bot, other = game["players"]
    shown = ("", f"/bots/{bot}", f"/bots/{bot}/vs/{other}", f"/matches/{game['match']}")
    games = f"/games/{game['game']}"
    for path in ("/ladders", "/games", "/bots", "/events", "/stage", "/puzzles", games, *shown):
        yield path or "/"
        yield f"/api/v1{path}"
    for path in (f"{games}/positions", f"{games}/neighbours", "/terms", "/opponents"):
        yield f"/api/v1{path}"
    for path in ("explorer", "river"):
        yield f"/api/v1/{path}?board={quote(Board.start(Rules()).text)}"
    for ladder in ("main", "blitz"):
        yield f"/ladders/{ladder}"
        for path in ("standings", "ratings", "superiority"):
            yield f"/api/v1/ladders/{ladder}/{path}"
    for path in (f"/bots/{bot}/ratings", f"/bots/{bot}/statistics"):
        yield f"/api/v1{path}"
    for wanted in (
        *("ladder=main", "ladder=blitz", "status=running", f"bot={bot}", "reason=wedged"),
        *(f"bot={bot}&opponent={other}", f"bot={bot}&result=loss&since=2016-02-01"),
        *(f"bot={bot}&ladder=main", f"bot={bot}&version=1.0"),
    ):
        yield f"/api/v1/games?{wanted}"


def _ask_often(url: str, tries: int, serving: Sequence[int]) -> Answered:
    times, most_cpu_ms = [], 0.0
    for _ in range(tries):
        before, began = _cpu_ms(serving), time.perf_counter()
        _ask(url)
        times.append(1000 * (time.perf_counter() - began))
        most_cpu_ms = max(most_cpu_ms, _cpu_ms(serving) - before)
    times.sort()
    p99_ms = times[tries * 99 // 100 - 1 if tries > 1 else 0]
    return Answered(round(times[tries // 2], 1), round(p99_ms, 1), round(most_cpu_ms, 1))


def _ask(url: str) -> None:
    _read(url)


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as response:  # noqa: S310  # our own server
        body: bytes = response.read()
    return body


if __name__ == "__main__":
    typer.run(main)
