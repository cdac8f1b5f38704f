"""``python -m tests.drills.half_open``: half-open requests, and a web process that hangs.

A flood keeps more half-open requests at the page's port than it has places, and renews each as soon
as it is closed. Meanwhile the page, and health on both ports, are asked again and again. Then the
web process is stopped with SIGSTOP, and another one must take over.
"""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from typing import Annotated, Final, NamedTuple

import httpx
import psutil
import typer

from tests.drills.hosting import HostedServer, temporary_server
from tests.drills.ports import HOST
from tests.drills.report import DrillReport, command_line
from tests.patience import PATIENCE_S

SETTINGS: Final = "http_port = 0\nhealth_port = 0\n"
HALF_A_REQUEST: Final = b"GET / HTTP/1.1\r\nHost: x\r\n"
RETRY_S: Final = 0.05
LONGEST_S: Final = 5.0
"""An orchestrator's usual patience; the flood once kept all others out for 15.6 s."""
PATHS: Final = ("/healthz", "/api/v1/ladders", "/")


class HalfOpenPlan(NamedTuple):
    """What happens."""

    half_open: Annotated[int, typer.Option(min=1, help="Connections of the flood.")] = 330
    rounds: Annotated[int, typer.Option(min=1, help="How often all paths are asked.")] = 50
    longest_s: float = LONGEST_S


@dataclass(slots=True)
class PathAnswers:
    """What the questions came to."""

    allowed_s: float
    answered: int = 0
    failed: list[str] = field(default_factory=list)
    longest_s: float = 0.0

    async def ask(self, url: str) -> None:
        began = asyncio.get_running_loop().time()
        try:
            async with httpx.AsyncClient(timeout=2 * self.allowed_s) as http:
                status = (await http.get(url)).status_code
        except httpx.HTTPError as error:
            self.failed.append(f"{url}: {type(error).__name__}")
        else:
            self.answered += status == 200
            if status != 200:
                self.failed.append(f"{url}: {status}")
        self.longest_s = max(self.longest_s, asyncio.get_running_loop().time() - began)


async def drill(plan: HalfOpenPlan) -> DrillReport:
    """Keep the page's port full of half-open requests, and stop the web process."""
    asked = PathAnswers(plan.longest_s)
    async with temporary_server(SETTINGS) as life:
        page, health = life.arena.http or "", life.arena.health or ""
        await _until_answered(page, within_s=PATIENCE_S)
        async with flood(int(page.rsplit(":", 1)[1]), plan.half_open):
            for _ in range(plan.rounds):
                for url in (*(page + path for path in PATHS), f"{health}/readyz"):
                    await asked.ask(url)
        is_replaced = await _replace(life, page)
    figures = {
        "half_open": plan.half_open,
        "answered": asked.answered,
        "failed": asked.failed,
        "longest_answer_s": round(asked.longest_s, 3),
    }
    promises = {
        "every question was answered": not asked.failed,
        "no answer took as long as an orchestrator waits": asked.longest_s < plan.longest_s,
        "a web process that hangs is replaced": is_replaced,
    }
    return DrillReport("half_open", 0, figures, promises)


@asynccontextmanager
async def flood(port: int, connections: int) -> AsyncIterator[None]:
    opened = asyncio.Semaphore(0)

    async def hold() -> None:
        is_first = True
        while True:
            with suppress(OSError):
                reader, writer = await asyncio.open_connection(HOST, port)
                with closing(writer):
                    writer.write(HALF_A_REQUEST)
                    if is_first:
                        is_first = False
                        opened.release()
                    await reader.read()
            await asyncio.sleep(RETRY_S)

    holding = [asyncio.create_task(hold()) for _ in range(connections)]
    try:
        for _ in holding:
            await opened.acquire()
        yield
    finally:
        for task in holding:
            task.cancel()
        await asyncio.gather(*holding, return_exceptions=True)


async def _replace(life: HostedServer, page: str) -> bool:
    server = psutil.Process(life.child.process.pid)
    (stopped,) = (
        child for child in server.children() if "mancala.server.web.standalone" in child.cmdline()
    )
    stopped.send_signal(signal.SIGSTOP)
    is_answered = await _until_answered(page, within_s=PATIENCE_S)
    return is_answered and not stopped.is_running()


async def _until_answered(page: str, *, within_s: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(within_s), httpx.AsyncClient(timeout=within_s) as http:
            while True:
                with suppress(httpx.HTTPError):
                    return (await http.get(f"{page}/healthz")).status_code == 200
                await asyncio.sleep(RETRY_S)
    return False


if __name__ == "__main__":
    command_line(drill)
