"""Where a server lies, noted beside its settings for commands that are given elsewhere.

A server without ``store`` in its settings keeps its store in the state directory of its user, and
one with a PostgreSQL store keeps its control socket there. That folder depends on the environment,
which differs between a service and an operator's shell. So a running server notes both places in
``SETTINGS.place``, and commands with the same settings read them there.
"""

from pathlib import Path  # noqa: TID251  # the caller names the settings
from typing import Final

import msgspec
from msgspec.structs import replace

from mancala.protocol import codec

from .loading import load
from .settings import IN_MEMORY, POSTGRESQL, Config, ConfigError

SUFFIX: Final = ".place"
PRIVATE: Final = 0o600


class NotedPlace(msgspec.Struct, frozen=True):
    """Where a server lies: the path or URL of its store, and the path of its control socket."""

    store: str
    ctl: str | None


def note_place(path: Path, config: Config) -> None:
    """Note where the server lies that runs by these settings, unless the file itself says so."""
    file = _beside(path)
    if config.store_path == IN_MEMORY or says_all(load(path)):
        file.unlink(missing_ok=True)
        return
    store = config.store_path
    if POSTGRESQL.match(store) is None:
        store = str(Path(store).absolute())
    ctl = None if config.ctl_path is None else str(Path(config.ctl_path).absolute())
    content = codec.to_json(NotedPlace(store, ctl))
    if not file.exists() or file.read_bytes() != content:
        file.touch(mode=PRIVATE)
        file.write_bytes(content)


def placed(path: Path, config: Config) -> Config:
    """Return settings with the places noted beside their file by a server, where they name none."""
    file = _beside(path)
    try:
        place = codec.from_json(file.read_bytes(), NotedPlace)
    except FileNotFoundError:
        return config
    except OSError as error:
        raise ConfigError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except codec.DecodeError as error:
        raise ConfigError(f"{file}: {error}; the server writes it again when it starts") from None
    if config.store is not None and config.store_path != place.store:
        return config
    return replace(config, store=place.store, ctl=config.ctl or place.ctl)


def lines_of(config: Config) -> str:
    """Return the lines of settings that say where a server lies."""
    ctl = f'ctl = "{config.ctl_path}"'
    return ctl if config.store is not None else f'store = "{config.store_display}"'


def says_all(config: Config) -> bool:
    """Return whether settings alone lead to the store and to the control socket."""
    if config.store is None:
        return False
    return config.ctl is not None or POSTGRESQL.match(config.store) is None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}{SUFFIX}")
