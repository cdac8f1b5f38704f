"""A real browser for tests: Debian's chromium, driven over its DevTools websocket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from tests.patience import PATIENCE_S

PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--remote-debugging-port=0", "--window-size=1280,900"),
)


def find_program() -> str:
    """Find the browser; skip the test without one, unless nothing may be skipped."""
    for name in PROGRAMS:
        program = shutil.which(name)
        if program is not None:
            return program
    if os.environ.get("MANCALA_SKIP_NOTHING"):
        pytest.fail("chromium is missing, and nothing may be skipped")
    pytest.skip("chromium is missing")


class Page:
    """One tab.

    Attributes:
        complaints: what the browser said was wrong, the page's policy violations included.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.complaints: list[str] = []
        self._socket = socket
        self._asked = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def listen(self) -> None:
        """Take answers and complaints until the tab is closed."""
        with contextlib.suppress(websockets.ConnectionClosed):
            async for frame in self._socket:
                self._hear(json.loads(frame))

    async def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Call a method of the DevTools protocol."""
        self._asked += 1
        answer = self._answers[self._asked] = asyncio.get_running_loop().create_future()
        question = {"id": self._asked, "method": method, "params": parameters}
        await self._socket.send(json.dumps(question))
        async with asyncio.timeout(PATIENCE_S):
            result: dict[str, Any] = await answer
        return result

    async def open(self, url: str) -> None:
        """Go to an address."""
        await self.call("Page.navigate", url=url)

    async def value(self, script: str) -> Any:  # noqa: ANN401  # whatever the script gives
        """Run a script in the page; a promise is awaited."""
        answer = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    async def until(self, condition: str) -> None:
        """Wait until a condition holds in the page, looking again at each change of it."""
        await self.value(
            f"""new Promise((resolve, reject) => {{
                const holds = () => {{ try {{ return {condition}; }} catch {{ return false; }} }};
                const look = () => {{ if (holds()) resolve(); else requestAnimationFrame(look); }};
                setTimeout(() => reject(document.body.innerText), {PATIENCE_S * 900});
                look();
            }})"""
        )

    async def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def _hear(self, said: dict[str, Any]) -> None:
        answer = self._answers.pop(said.get("id", 0), None)
        if answer is not None and not answer.done():
            answer.set_result(said.get("result") or {"error": said.get("error")})
        elif said.get("method") == "Log.entryAdded":
            self.complaints.append(said["params"]["entry"]["text"])
        elif said.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(said["params"]["exceptionDetails"]))


@contextlib.asynccontextmanager
async def browsing(folder: Path) -> AsyncIterator[Page]:
    """Open a browser with one tab as long as the block runs.

    Args:
        folder: an empty folder for the browser's profile.
    """
    browser = await asyncio.create_subprocess_exec(
        find_program(),
        *FLAGS,
        f"--user-data-dir={folder}",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        port = await _debugging_port(browser)
        async with (
            websockets.connect(await _tab(port), max_size=None, ping_interval=None) as socket,
            asyncio.TaskGroup() as tasks,
        ):
            page = Page(socket)
            tasks.create_task(page.listen())
            for domain in ("Page", "Runtime", "Log"):
                await page.call(f"{domain}.enable")
            yield page
            await socket.close()
    finally:
        with contextlib.suppress(ProcessLookupError):
            browser.terminate()
        await browser.communicate()


async def _debugging_port(browser: asyncio.subprocess.Process) -> int:
    if browser.stderr is None:
        raise RuntimeError("the browser's errors go nowhere")
    async with asyncio.timeout(PATIENCE_S):
        async for line in browser.stderr:
            if b"DevTools listening on" in line:
                return int(line.rsplit(b":", 1)[1].split(b"/")[0])
    raise RuntimeError("the browser did not start")


async def _tab(port: int) -> str:
    async with httpx.AsyncClient() as client:
        tabs = (await client.get(f"http://127.0.0.1:{port}/json/list")).json()
    address: str = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
    return address
