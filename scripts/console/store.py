"""Commands that work on a server's store, whether or not the server runs: options and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from . import output as console

if TYPE_CHECKING:
    from mancala.server.config.settings import Config
    from mancala.server.store.carrying.moving import Progress

T = TypeVar("T")

ConfigOption = Annotated[
    Path | None, typer.Option("--config", help="The server's settings, a TOML file; default: none.")
]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="The server's store; overrides the one in the settings."),
]


def store_of(path: Path | None, store: str | None) -> str:
    """Return where a server keeps its store: the one named, or else the one in its settings."""
    return config_of(path, store).store_path


def config_of(path: Path | None, store: str | None = None) -> Config:
    """Return a server's settings, by default the defaults, with another store if any."""
    from msgspec.structs import replace

    from mancala.server.config.checks import checked
    from mancala.server.config.loading import load
    from mancala.server.config.place import placed
    from mancala.server.config.settings import Config, ConfigError

    with console.bad_input(ConfigError):
        config = load(path) if path is not None else Config()
        if store is not None:
            return checked(replace(config, store=store))
        return config if path is None else placed(path, config)


@contextmanager
def failing(unusable: int = console.USAGE) -> Iterator[None]:
    """Exit where the block fails: with 2 for settings, with ``unusable`` for a store or a file."""
    from mancala.server.config.settings import ConfigError
    from mancala.server.store import StoreError
    from mancala.server.store.carrying.archive_file import ArchiveFileError
    from mancala.server.store.database.faults import StoreMissingError

    try:
        yield
    except ConfigError as error:
        console.fail(error)
    except (StoreMissingError, ArchiveFileError, OSError) as error:
        console.fail(error, code=unusable)
    except StoreError as error:
        console.fail(error, code=console.FAILED)


def work_on_store(what: str, act: Callable[[Progress], T]) -> T:
    """Return the result of work on a store, whose progress the user sees under a heading."""
    with failing(), console.progress(what) as progress:
        return act(progress)
