"""``mancala backup``: a copy of a server's store, taken while the server runs."""

from pathlib import Path
from typing import Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption
from ...console.store import ConfigOption, StoreOption, config_of, work_on_store


def command(
    *,
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Copy a server's store to a new file, of SQLite, whichever database it is in.

    The copy is consistent, also while the server runs, which notes it in its log and its trail
    (`mancala admin log`). `mancala store copy` brings it back.
    """
    from mancala.server.store.carrying.backup import back_up

    settings = config_of(config, store)
    work_on_store("Copying", lambda progress: back_up(settings.store_path, target, progress))
    size = target.stat().st_size
    _note(settings.ctl_path, target, size)
    facts = {"target": str(target), "bytes": size}
    console.show(facts, f"{target}: {quantity(size, 'byte')}", json=json)


def _note(path: str | None, target: Path, size: int) -> None:
    """Let a running server note the copy; without one, what is printed is all."""
    from contextlib import suppress

    from mancala.server.control.client import NotRunningError, ask
    from mancala.server.control.wire import Request

    if path is not None:
        given = {"target": str(target.absolute()), "size": size}
        with suppress(NotRunningError, OSError):
            ask(path, Request("backup", given))
