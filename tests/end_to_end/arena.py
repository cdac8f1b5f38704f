"""A match server as a process, and the bots around it."""

import os
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from mancala.protocol import codec
from mancala.scripts.console.processes.supervisor import Child, mancala
from mancala.scripts.console.processes.temporary import ServedArena


@dataclass(frozen=True)
class Hosted:
    """A running server."""

    child: Child
    arena: ServedArena
    folder: Path

    @property
    def url(self) -> str:
        return self.arena.url

    def bot(self, name: str, *options: str) -> AbstractAsyncContextManager[Child]:
        return start(name, "bot", self.url, "--name", name, *options, folder=self.folder)


def start(name: str, *arguments: str, folder: Path) -> AbstractAsyncContextManager[Child]:
    return mancala(
        name, *arguments, folder=folder, env={**os.environ, "XDG_STATE_HOME": str(folder)}
    )


@asynccontextmanager
async def hosted(folder: Path, settings: str = "") -> AsyncIterator[Hosted]:
    config = folder / "arena.toml"
    config.write_text(f'name = "test"\nport = 0\nstore = "{folder}/arena.sqlite3"\n{settings}')
    async with start("server", "serve", "--config", str(config), "--json", folder=folder) as child:
        arena = codec.from_json(await child.line(), ServedArena)
        try:
            yield Hosted(child, arena, folder)
        except BaseException as error:
            error.add_note(f"The server said:\n{(folder / 'server.log').read_text()}")
            raise
