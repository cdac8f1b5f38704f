"""``mancala archive``: the games of a ladder as one file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption
from ...console.store import ConfigOption, StoreOption, config_of, store_of, work_on_store

if TYPE_CHECKING:
    from mancala.server.store.carrying.archive_file import Contents
    from mancala.server.store.carrying.moving import Progress


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    group = typer.Typer(name="archive", help="Keep the games of a ladder in a file.")
    group.command("export")(_export)
    group.command("import")(_import)
    app.add_typer(group)


def _export(
    *,
    ladder: Annotated[str, typer.Argument(help="The ladder.")],
    file: Annotated[Path, typer.Argument(help="The file; one that exists is continued.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write the finished games of a ladder to a file, after those that it has already.

    A server may run. The file is gzip, with a match in each line as JSON.
    """
    from mancala.server.store.carrying.ladder_archive import export_ladder

    place, server = store_of(config, store), config_of(config).name

    def export(progress: Progress) -> tuple[Contents, int]:
        return export_ladder(place, ladder, file, server=server, progress=progress)

    _show(*work_on_store("Writing", export), json=json)


def _import(
    *,
    file: Annotated[Path, typer.Argument(help="The file.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Read the games of a file into a store that lacks them; no server may run on it.

    Each game is replayed before. Ratings follow when a server starts.
    """
    from mancala.server.store.carrying.ladder_archive import import_ladder

    place = store_of(config, store)
    _show(
        *work_on_store("Reading", lambda progress: import_ladder(place, file, progress)), json=json
    )


def _show(contents: Contents, new: int, *, json: bool) -> None:
    facts = {"games": contents.games, "new": new, "digest": contents.digest_text}
    text = f"{quantity(contents.games, 'game')}, {new} of them new, digest {contents.digest_text}"
    console.show(facts, text, json=json)
