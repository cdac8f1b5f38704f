"""``mancala store``: give a store another form, take it to another place, or look into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption
from ...console.store import ConfigOption, StoreOption, store_of, work_on_store

if TYPE_CHECKING:
    from mancala.server.store.carrying.moving import Digest


def register(app: typer.Typer) -> None:
    """Add the command and its subcommands."""
    group = typer.Typer(name="store", help="Change, copy or check a server's store.")
    group.command("upgrade")(_upgrade)
    group.command("downgrade")(_downgrade)
    group.command("digest")(_digest)
    group.command("copy")(_copy)
    group.command("show")(_show_game)
    app.add_typer(group)


def _upgrade(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Bring a store of an earlier version to this one; no server may run on it.

    A server that starts on it does the same.
    """
    from mancala.server.store.carrying.moving import upgrade_store

    place = store_of(config, store)
    is_former = work_on_store("Upgrading", lambda _progress: upgrade_store(place))
    _report(place, "" if is_former else "; there was nothing to upgrade", json=json)


def _downgrade(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Downgrade a store to the form that the version before reads; no server may run on it."""
    from mancala.server.store.carrying.moving import digest_of, downgrade_store

    place = store_of(config, store)
    digest = work_on_store("Reading", lambda progress: digest_of(place, progress))
    work_on_store("Downgrading", lambda _progress: downgrade_store(place))
    _show(digest, json=json)


def _digest(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Print a number that two stores share when they hold the same games."""
    _report(store_of(config, store), json=json)


def _copy(
    *,
    source: Annotated[str, typer.Argument(help="The store: a path or URL.")],
    target: Annotated[str, typer.Argument(help="Where the copy is made: a path or URL.")],
    json: JsonOption = False,
) -> None:
    """Copy a store to a new place, between SQLite and PostgreSQL too, and compare every row.

    No server may run on either. What was interrupted goes on where it was.
    """
    from mancala.server.store.carrying.copying import copy_store

    work_on_store("Copying", lambda progress: copy_store(source, target, progress))
    _report(target, json=json)


def _show_game(
    *,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Print how a store holds a game: its columns, and what the packed moves unpack to."""
    from mancala.server.store.reading.showing import show_game

    place = store_of(config, store)
    found = work_on_store("Reading", lambda _progress: show_game(place, game))
    if found is None:
        console.fail(f"{game}: there is no such game in the store")
    console.show(found.as_json, found.text, json=json)


def _report(place: str, remark: str = "", *, json: bool) -> None:
    from mancala.server.store.carrying.moving import digest_of

    digest = work_on_store("Reading", lambda progress: digest_of(place, progress))
    _show(digest, remark, json=json)


def _show(digest: Digest, remark: str = "", *, json: bool) -> None:
    games, number = digest.games, digest.text
    text = f"{quantity(games, 'game')}, digest {number}{remark}"
    console.show({"games": games, "digest": number}, text, json=json)
