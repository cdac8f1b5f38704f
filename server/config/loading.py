"""Read a configuration from TOML, and check its values."""

from __future__ import annotations

import tomllib
from pathlib import Path  # noqa: TID251  # the caller names the file
from typing import Any, Final, TypeVar

import msgspec

from mancala.server.config.checks import SCHEME, checked
from mancala.server.config.keys import located, unknown_key
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import IN_MEMORY, Config, ConfigError, Section

HERE: Final = Path()
FILES: Final = ("cert", "key", "ca", "web_feed", "ctl")
"""Settings that are paths relative to the configuration's folder."""

S = TypeVar("S", bound=Section)


def load(path: Path) -> Config:
    """Read the configuration from a TOML file.

    Raises:
        ConfigError: when the file can't be read or is invalid.
    """
    try:
        return parse(_text_of(path), path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse(text: str, folder: Path = HERE) -> Config:
    """Read the configuration from TOML.

    Args:
        text: the TOML.
        folder: folder to which its paths are relative.

    Raises:
        ConfigError: when it is not TOML, a key is unknown, or a value is invalid.
    """
    try:
        document = tomllib.loads(text)
        if problem := unknown_key(document, Config):
            raise ConfigError(problem)
        _pass_clock_on(document)
        config = msgspec.convert(document, Config)
        ladders = tuple(_with_openings(ladder, folder) for ladder in config.ladder)
        tls, mqtt = (_found_in(folder, section) for section in (config.tls, config.mqtt))
        config = msgspec.structs.replace(config, ladder=ladders, tls=tls, mqtt=mqtt)
        config = _found_in(folder, config)
        config = msgspec.structs.replace(config, store=_store_in(folder, config.store))
        checked(config)
        _check_pulses(document)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"not TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except msgspec.ValidationError as error:
        raise ConfigError(located(error)) from None
    return config


def _pass_clock_on(document: dict[str, Any]) -> None:
    """Complete each ladder's clock by what ``[clock]`` says and it does not."""
    clock, ladders = document.get("clock"), document.get("ladder")
    if not (isinstance(clock, dict) and isinstance(ladders, list)):
        return
    for ladder in ladders:
        own = ladder.get("clock", {}) if isinstance(ladder, dict) else None
        if isinstance(own, dict):
            ladder["clock"] = {**clock, **own}


def _check_pulses(document: dict[str, Any]) -> None:
    """Refuse a pulse that was set where no two house bots can play; by default there is none."""
    for place, ladder in enumerate(document.get("ladder", ())):
        if ladder.get("pulse_s") and len(ladder.get("house", ())) < 2:
            raise ConfigError(f"ladder[{place}].pulse_s: needs two house bots in ladder.house")


def _store_in(folder: Path, store: str | None) -> str | None:
    """Return the place of the store; a path is taken from the configuration's folder.

    Raises:
        ConfigError: when there is a store only where earlier versions took the path from.
    """
    if store is None or store == IN_MEMORY or SCHEME.match(store):
        return store
    found = folder / store
    if not found.exists() and Path(store).exists():
        raise ConfigError(
            f"store: {store} is taken from {folder.resolve()} and not from the working directory,"
            f" which has one; move it, or name it {Path(store).resolve()}"
        )
    return str(found)


def _with_openings(ladder: LadderSettings, folder: Path) -> LadderSettings:
    if ladder.openings_file is None:
        return ladder
    try:
        lines = _text_of(folder / ladder.openings_file).splitlines()
    except ConfigError as error:
        raise ConfigError(
            f"ladder {ladder.name}: openings_file: {ladder.openings_file}: {error}"
        ) from None
    found = [literal for line in lines if (literal := line.partition("#")[0].strip())]
    openings = (*ladder.openings, *found)
    return msgspec.structs.replace(ladder, openings=openings, openings_file=None)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError((error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise ConfigError("not text in UTF-8") from None


def _found_in(folder: Path, section: S) -> S:
    """Return the section with its paths resolved."""
    named = {key: getattr(section, key) for key in FILES if hasattr(section, key)}
    found = {key: str(folder / path) for key, path in named.items() if path is not None}
    return msgspec.structs.replace(section, **found)
