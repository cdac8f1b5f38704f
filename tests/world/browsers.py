"""Browsers of others: a person plays a whole game on the page, by keyboard and mouse.

Firefox speaks Marionette, WebKitGTK WebDriver: the same commands, over a socket or over HTTP. In
the middle of the game Firefox is ended and started again, and restores its tab; a driven WebKitGTK
keeps no tabs, so its page is reloaded.
"""

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from mancala.protocol import codec
from mancala.protocol.messages import Reason
from tests.drills.newcomer import SETTINGS, games_on
from tests.drills.ports import HOST, free_port
from tests.end_to_end.arena import hosted
from tests.world.programs import ForeignProgram, ProgramError

ATTEMPT_S: Final = 300.0
LOOK_S: Final = 0.1
NAME: Final = "person"
OPPONENT: Final = "house-random"
DISTURBED: Final = 4
"""The turn at which the browser goes away."""
FIREFOX: Final = """\
user_pref("browser.startup.page", 3);
user_pref("marionette.port", {port});
user_pref("browser.aboutwelcome.enabled", false);
"""
"""Restores its tabs, as a person may set it."""
LISTEN: Final = """\
window.faults ??= [];
for (const kind of ["error", "unhandledrejection", "securitypolicyviolation"])
  addEventListener(kind, (it) => window.faults.push(
    String(it.message ?? it.reason ?? `${it.violatedDirective} ${it.blockedURI}`)));
"""
SEEN: Final = """\
const each = (css) => [...document.querySelectorAll(css)].filter((one) => one.checkVisibility());
return {
  form: document.querySelector(`option[value=${arguments[0]}]`) !== null,
  ended: each(".ending").some((one) => one.textContent !== ""),
  board: document.querySelector(".board")?.getAttribute("aria-label") ?? "",
  pits: each("button.pit[aria-disabled=false]").map((one) => /[0-9]+/.exec(one.ariaLabel)[0]),
  faults: window.faults ?? [],
}"""


class Browser(ABC):
    """A browser that is driven."""

    @abstractmethod
    async def command(self, name: str, path: str, values: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        """Have it do something: by its name in Marionette, at its path in WebDriver."""

    @abstractmethod
    async def disturb(self) -> None:
        """Have it go away and come back to its page."""

    async def go(self, url: str) -> None:
        await self.command("Navigate", "url", {"url": url})
        await self.run(LISTEN)

    async def run(self, script: str, *values: str) -> Any:  # noqa: ANN401  # JSON
        sent = {"script": script, "args": values}
        return await self.command("ExecuteScript", "execute/sync", sent)

    async def click(self, css: str) -> None:
        found = await self._find(css)
        await self.command("ElementClick", f"element/{found}/click", {"id": found})

    async def type(self, css: str, text: str) -> None:
        found = await self._find(css)
        values = {"id": found, "text": text}
        await self.command("ElementSendKeys", f"element/{found}/value", values)

    async def _find(self, css: str) -> str:
        values = {"using": "css selector", "value": css}
        (found,) = (await self.command("FindElement", "element", values)).values()
        return str(found)


class Firefox(Browser):
    """Firefox, which is driven over a socket."""

    def __init__(self, program: ForeignProgram) -> None:
        self._program = program
        self._ids = itertools.count(1)
        self._socket: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def command(self, name: str, path: str, values: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        domain = path if path == "Marionette" else "WebDriver"
        if self._socket is None:
            self._socket = await asyncio.open_connection(HOST, self._program.port)
            await self._read(self._socket[0])
            await self.command("NewSession", "", {})
        reader, writer = self._socket
        data = codec.to_json([0, next(self._ids), f"{domain}:{name}", values])
        writer.write(f"{len(data)}:".encode() + data)
        _, _, error, answer = await self._read(reader)
        if error is not None:
            raise ProgramError(f"{name}: {error['message']}")
        return answer["value"] if isinstance(answer, dict) and "value" in answer else answer

    async def _read(self, reader: asyncio.StreamReader) -> Any:  # noqa: ANN401  # JSON
        length = int((await reader.readuntil(b":"))[:-1])
        return codec.from_json(await reader.readexactly(length), Any)

    async def disturb(self) -> None:
        """Quit, as its menu does, and start it again: it restores its tab."""
        await self.command("Quit", "Marionette", {"flags": ["eAttemptQuit"]})
        await self._program.ended()
        self._socket = None
        await self._program.restart()


class WebKit(Browser):
    """WebKitGTK, which is driven over HTTP."""

    def __init__(self, program: ForeignProgram) -> None:
        self._address = f"http://{HOST}:{program.port}/session"
        self._session = ""

    async def open(self) -> None:
        options = {"binary": minibrowser(), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._session = (await asyncio.to_thread(self._post, "", wanted))["sessionId"]

    async def command(self, name: str, path: str, values: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        del name
        return await asyncio.to_thread(self._post, f"/{self._session}/{path}", values)

    def _post(self, path: str, values: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        request = Request(f"{self._address}{path}", codec.to_json(values))  # noqa: S310  # the driver
        try:
            with urlopen(request, timeout=ATTEMPT_S) as answer:  # noqa: S310  # the driver
                return codec.from_json(answer.read(), dict[str, Any])["value"]
        except HTTPError as error:
            raise ProgramError(f"{path}: {error.read().decode()[:500]}") from error

    async def disturb(self) -> None:
        await self.command("", "refresh", {})


def minibrowser() -> str:
    """Return the path of WebKitGTK's own browser, which is not on the path."""
    (program,) = Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser")
    return str(program)


@asynccontextmanager
async def firefox(folder: Path) -> AsyncIterator[Browser]:
    port = free_port()
    (folder / "user.js").write_text(FIREFOX.format(port=port))
    command = ("firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", str(folder))
    home = {"HOME": str(folder)}
    async with ForeignProgram(command, port, folder / "firefox.log", home) as program:
        yield Firefox(program)


@asynccontextmanager
async def webkit(folder: Path) -> AsyncIterator[Browser]:
    port = free_port()
    command = ("xvfb-run", "--auto-servernum", "WebKitWebDriver", f"--port={port}")
    home = {"HOME": str(folder)}
    async with ForeignProgram(command, port, folder / "webkit.log", home) as program:
        browser = WebKit(program)
        await browser.open()
        yield browser


BROWSERS: Final = {"Firefox": firefox, "WebKitGTK": webkit}


async def attempt(name: str) -> dict[str, bool]:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(asyncio.timeout(ATTEMPT_S))
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-browser-")))
        server = await stack.enter_async_context(hosted(folder, SETTINGS))
        api = server.arena.http or ""
        profile = folder / "profile"
        profile.mkdir()
        browser = await stack.enter_async_context(BROWSERS[name](profile))
        await challenge(browser, api)
        before, after, faults = await play(browser)
        games = await games_on(api, bot=NAME)
    return {
        "the game ended by the rules": [each["reason"] for each in games] == [Reason.NORMAL],
        "the page came back with the same game": bool(before) and before == after,
        "no error on the page once it has loaded": not faults,
    }


async def seen(browser: Browser, is_there: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    while True:
        page: dict[str, Any] = await browser.run(SEEN, OPPONENT)
        if is_there(page) or page["ended"]:
            return page
        await asyncio.sleep(LOOK_S)


async def challenge(browser: Browser, api: str) -> None:
    await browser.go(f"{api}/play?opponent={OPPONENT}")
    await seen(browser, itemgetter("form"))
    await browser.run("document.querySelector('input[name=name]').select()")
    await browser.type("input[name=name]", NAME)
    await browser.click("form.choice button.primary")


async def play(browser: Browser) -> tuple[str, str, list[str]]:
    before, after = "", ""
    faults: list[str] = []
    page = await seen(browser, itemgetter("pits"))
    for turn in itertools.count():
        if page["ended"]:
            break
        if turn == DISTURBED:
            before, faults = page["board"], page["faults"]
            await browser.disturb()
            after = (await seen(browser, itemgetter("pits")))["board"]
            await browser.run(LISTEN)
        if turn % 2:
            await browser.click("button.pit[aria-disabled=false]")
        else:
            await browser.type("body", page["pits"][0])
        page = await seen(browser, partial(_is_next, page["board"]))
    return before, after, [*faults, *page["faults"]]


def _is_next(board: str, page: dict[str, Any]) -> bool:
    return bool(page["pits"]) and page["board"] != board
