"""An organiser's walk from an empty folder to a printed table goes as ``hosting.md`` says."""

import asyncio
import re
import shlex
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.request import urlopen

from mancala.scripts.console.processes.supervisor import Child
from tests.end_to_end.arena import hosted, start
from tests.patience import WALK_S
from tests.sources import ROOT

DOCUMENT = ROOT / "docs" / "hosting.md"
HEADING = "### From an empty folder to a printed table\n"
NO_BROKER = "http_port = 0\n[mqtt]\nprivate_broker = false\n"
URL = "ws://127.0.0.1:8765"


def walk(language: str) -> list[str]:
    text = DOCUMENT.read_text().partition(HEADING)[2].partition("\n### ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def arguments(block: str, **given: str) -> Iterator[list[str]]:
    for line in block.splitlines():
        yield [given.get(word, word) for word in shlex.split(line)[1:]]


async def test_an_event_is_played_from_an_empty_folder_to_its_table(tmp_path: Path) -> None:
    """The commands of the document, with another port and without a broker."""
    [settings], (bots, orders) = walk("toml"), walk("sh")
    settings = settings.replace('name = "club"\n', NO_BROKER, 1)
    config = str(tmp_path / "arena.toml")
    begin, *rest = arguments(orders, **{"club.toml": config})
    async with asyncio.timeout(WALK_S), hosted(tmp_path, settings) as arena:
        async with AsyncExitStack() as stack:
            children: list[Child] = [
                await stack.enter_async_context(start(f"bot{number}", *command, folder=tmp_path))
                for number, command in enumerate(arguments(bots, **{URL: arena.url}))
            ]
            await _run("order", begin, tmp_path)
            await asyncio.gather(*(child.succeed() for child in children))
        for number, command in enumerate(rest):
            await _run(f"order{number}", command, tmp_path)
        assert arena.arena.http is not None
        address = f"{arena.arena.http}/events/evening"
        table = await asyncio.to_thread(_read, f"{address}/standings.csv")
        page = await asyncio.to_thread(_read, address)
    head, *rows = table.splitlines()
    assert "points" in head
    assert {name for row in rows for name in ("ann", "bob", "cid") if name in row} == {
        *("ann", "bob", "cid")
    }
    assert len(rows) == 3
    assert "published" in page


async def _run(name: str, command: list[str], folder: Path) -> None:
    async with start(name, *command, folder=folder) as child:
        await child.succeed()


def _read(address: str) -> str:
    with urlopen(address) as answer:  # noqa: S310  # the server of the test
        return str(answer.read().decode())
