"""``mancala backup``: a copy of a server's store, taken while the server runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scripts.console import output as console
from scripts.console.options import JsonOption
from scripts.console.store import ConfigOption, StoreOption, store_of


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backup")(_command)


def _command(
    *,
    target: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Copy a server's store to a new file.

    The copy is consistent, also while the server runs.
    """
    from server.store import StoreError
    from server.store.backup import back_up
    from server.store.database import StoreMissingError

    place = store_of(config, store)
    try:
        back_up(place, target)
    except StoreMissingError as error:
        console.fail(error)
    except StoreError as error:
        console.fail(error, code=console.FAILED)
    size = target.stat().st_size
    if json:
        console.emit({"target": str(target), "bytes": size})
    else:
        typer.echo(f"{target}: {size} bytes")
