"""``python -m tests.drills.visitors``: a page beside strangers who ask for the dearest pictures.

Bots play on the largest board. Then strangers of many networks, named by a proxy, each ask for the
game as a moving picture, and for another part of it as soon as they have an answer; no two ask for
the same. Meanwhile a visitor opens pages, each on a connection of its own: every one is answered,
and 99 of 100 within a second. Eighty strangers once closed the page to all others.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from itertools import cycle
from typing import Annotated, Any, Final, NamedTuple

import httpx
import typer

from mancala.protocol.rules import Rules
from tests.drills.databases import Database
from tests.drills.doors import fetched
from tests.drills.duellists import DuelTally, duels
from tests.drills.hosting import SQLITE_FILES, temporary_server
from tests.drills.ports import HOST, free_port
from tests.drills.report import DrillReport, SeedOption, command_line, quantile
from tests.drills.spell import until
from tests.patience import PATIENCE_S

LARGEST: Final = Rules(pits=12, seeds=4)
GAMES: Final = 3
"""Whose pictures are more than a server keeps."""
VISITOR: Final = "192.0.2.1"
LONGEST_S: Final = 1.0
DRAWN, ELSE = 200, frozenset((429, 503))
"""The answers to strangers: a picture, or a refusal in a sentence."""
SETTINGS: Final = f"""\
http_port = {{http}}
[limits]
proxies = ["{HOST}/32"]
"""


class VisitorsPlan(NamedTuple):
    """The size of the drill.

    Attributes:
        is_timed: whether to promise times, which needs a machine without other work.
    """

    networks: Annotated[int, typer.Option(min=1, max=256, help="Networks of the strangers.")] = 80
    looks: Annotated[int, typer.Option(min=1, help="How often the visitor opens all pages.")] = 50
    seed: SeedOption = 1
    is_timed: bool = True


async def drill(plan: VisitorsPlan, where: Database = SQLITE_FILES) -> DrillReport:
    """Have strangers ask for pictures, and time what a visitor gets."""
    tally, http, looks, told = DuelTally(), free_port(), list[float](), Counter[int]()
    site, failed = f"http://{HOST}:{http}", list[str]()
    async with AsyncExitStack() as stack:
        server = temporary_server(SETTINGS.format(http=http), where)
        life = await stack.enter_async_context(server)
        async with duels(life.url, 1, tally, think_s=(0.0, 0.0), seed=plan.seed, rules=LARGEST):
            await until(lambda: tally.games >= GAMES, PATIENCE_S)
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            games = (await client.get(f"{site}/api/v1/games?limit={GAMES}")).json()["games"]
        number, parts = games[0]["game"], cycle(_parts(games))
        strangers = [
            asyncio.create_task(_ask(http, parts, address, told))
            for address in _addresses(plan.networks)
        ]
        try:
            await until(lambda: told, PATIENCE_S)
            for _ in range(plan.looks):
                for path in ("/", f"/games/{number}", "/api/v1/games", "/api/v1/ladders"):
                    await _look(site + path, looks, failed)
        finally:
            for stranger in strangers:
                stranger.cancel()
            await asyncio.gather(*strangers, return_exceptions=True)
    p99_s = quantile(looks, 0.99)
    figures = {
        "networks": plan.networks,
        "pages": len(looks),
        "page_s_p50": round(quantile(looks, 0.5), 3),
        "page_s_p99": round(p99_s, 3),
        "failed": failed,
        "strangers_answers": dict(told),
    }
    promises = {
        "every page of the visitor was answered": not failed,
        "strangers got pictures, or a refusal in a sentence": told[DRAWN] > 0
        and not told.keys() - ELSE - {DRAWN},
    }
    if plan.is_timed:
        promises[f"99 of 100 pages took at most {LONGEST_S:g} s"] = p99_s <= LONGEST_S
    return DrillReport("visitors", plan.seed, figures, promises)


def _addresses(networks: int) -> Iterator[str]:
    """Yield an address of each network, by turns of IPv4 and IPv6; none shares a larger one."""
    for number in range(networks):
        yield f"198.18.{number}.7" if number % 2 else f"2001:db8:{number:x}::7"


def _parts(games: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each picture of the last moves of a game, the longest first."""
    for last in range(max(game["plies"] for game in games) - 1, 0, -1):
        yield from (f"/games/{game['game']}.gif?last={last}" for game in games)


async def _ask(port: int, parts: Iterator[str], address: str, told: Counter[int]) -> None:
    while True:
        answer = await fetched(port, next(parts), f"X-Forwarded-For: {address}\r\n")
        told[int(answer.split(None, 2)[1]) if answer else 0] += 1


async def _look(url: str, looks: list[float], failed: list[str]) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
        with suppress(httpx.HTTPError):
            if (await client.get(url, headers={"X-Forwarded-For": VISITOR})).is_success:
                looks.append(loop.time() - began)
                return
    failed.append(url)


if __name__ == "__main__":
    command_line(drill)
