"""A server of this machine whose page shows an event for as long as the command runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mancala.protocol import codec

from ..console import output as console
from ..console.processes.arena import ServedArena
from ..console.processes.supervisor import ChildError, mancala
from ..console.processes.temporary import temporary_folder
from .sender import SubmissionTarget

NAME: Final = "here"
EVERY_S: Final = 1.0
CONFIG: Final = """\
name = "live"
port = 0
http_port = {port}
store = "{store}"
guests = false
drain_s = 0.0

[play]
analysis = false

[mqtt]
private_broker = false
"""


@contextmanager
def served_page(port: int) -> Iterator[tuple[str, SubmissionTarget]]:
    """Serve a page during the block, 0 for a free port; yield its address, and where to submit."""
    with temporary_folder("live") as folder, asyncio.Runner() as runner:
        store, config = folder / "live.sqlite3", folder / "live.toml"
        config.write_text(CONFIG.format(port=port, store=store))
        token = _token(store)
        serving = mancala(
            *("page", "serve", "--config", str(config), "--json"),
            folder=folder,
            env={**os.environ, "XDG_STATE_HOME": str(folder)},
        )
        server = runner.run(serving.__aenter__())
        try:
            arena = codec.from_json(runner.run(server.line()), ServedArena)
            yield arena.http or "", SubmissionTarget(arena.url, NAME, token, EVERY_S)
        except ChildError as error:
            console.fail(f"--live {port}: {error}", code=console.FAILED)
        finally:
            runner.run(serving.__aexit__(None, None, None))


def _token(store: Path) -> str:
    """Make a store with a token that may submit; return the token."""
    from mancala.server.app.system import utc
    from mancala.server.model.credentials import Rights
    from mancala.server.store.rows.tokens import token_admin

    with token_admin(str(store), utc) as tokens:
        return tokens.issue(NAME, Rights(is_submitter=True))
