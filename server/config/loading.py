"""Read a configuration from TOML, and check its values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from ipaddress import ip_network
from pathlib import Path  # noqa: TID251  # the caller names the file
from typing import Any, Final, TypeVar

import msgspec

from protocol.rules import InvalidPositionError
from protocol.text import find_control
from server.config.keys import located, unknown_key
from server.config.ladders import LadderSettings
from server.config.settings import IN_MEMORY, Config, ConfigError, Limits, Reviewers, Section

PUBLIC_URL: Final = re.compile(r"wss?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/%-]*)?")
"""Strict, since it is copied into the page's Content-Security-Policy."""

ORIGIN: Final = re.compile(r"https?://[a-z0-9.\[\]:-]+")
"""The form that browsers send: lower case, no path, no default port."""

HERE: Final = Path()
LONGEST_DAYS: Final = 36500
MOST_HOUSE_REVIEWERS: Final = 64
FILES: Final = ("cert", "key", "ca", "web_feed")
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
        checked(config)
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


def checked(config: Config) -> Config:
    """Return the configuration; refuse values of the right type that are invalid.

    Raises:
        ConfigError: naming the key.
    """
    if not config.name:
        raise ConfigError("name: must not be empty")
    finding = find_control(msgspec.to_builtins(config), "")
    if finding is not None:
        raise ConfigError(str(finding))
    try:
        _ = config.default_rules
    except InvalidPositionError as error:
        raise ConfigError(f"rules: {error}") from None
    try:
        _ = config.topics
    except ValueError as error:
        raise ConfigError(f"mqtt.prefix: {error}") from None
    _check_addresses(config)
    for key in ("grace_s", "drain_s", "reconnect_after_s"):
        if getattr(config, key) < 0:
            raise ConfigError(f"{key}: must be 0 or more, not {getattr(config, key)}")
    if not 0 <= config.mqtt.keep_days <= LONGEST_DAYS:
        raise ConfigError(f"mqtt.keep_days: must be 0..{LONGEST_DAYS}")
    _check_limits(config.limits)
    if config.play.challenges < 0:
        raise ConfigError(f"play.challenges: must be 0 or more, not {config.play.challenges}")
    if config.kgp.claims_a_day < 0:
        raise ConfigError(f"kgp.claims_a_day: must be 0 or more, not {config.kgp.claims_a_day}")
    _check_reviewers(config.reviewers)
    _check_ladders(config.ladder, config.kgp.ladder)
    return config


def _check_limits(limits: Limits) -> None:
    for key in Limits.__struct_fields__:
        if key != "exempt" and getattr(limits, key) <= 0:
            raise ConfigError(f"limits.{key}: must be more than 0")
    for network in limits.exempt:
        try:
            ip_network(network)
        except ValueError as error:
            raise ConfigError(f"limits.exempt: {error}") from None


def _check_reviewers(reviewers: Reviewers) -> None:
    if not 0 <= reviewers.house <= MOST_HOUSE_REVIEWERS:
        raise ConfigError(f"reviewers.house: must be 0..{MOST_HOUSE_REVIEWERS}")
    if reviewers.queue < 0:
        raise ConfigError("reviewers.queue: must be 0 or more")
    if reviewers.house and not reviewers.queue:
        raise ConfigError("reviewers.queue: house reviewers need games; must be more than 0")
    for key in ("patience_s", "seconds"):
        if getattr(reviewers, key) <= 0:
            raise ConfigError(f"reviewers.{key}: must be more than 0")


def _check_addresses(config: Config) -> None:
    for key in ("port", "http_port"):
        if not 0 <= (getattr(config, key) or 0) <= 65535:
            raise ConfigError(f"{key}: must be 0..65535, not {getattr(config, key)}")
    if not PUBLIC_URL.fullmatch(config.public_url or "ws://localhost"):
        raise ConfigError(f"public_url: must be ws://… or wss://…, not {config.public_url!r}")
    if config.web_feed is not None and config.store == IN_MEMORY:
        raise ConfigError("store: another process can't read a store in memory; see web_feed")
    for origin in config.origins:
        if not ORIGIN.fullmatch(origin):
            raise ConfigError(f"origins: must be http://HOST or https://HOST, not {origin!r}")
    if config.tls.key is not None and config.tls.cert is None:
        raise ConfigError("tls.key: a key needs its certificate, tls.cert")


def _check_ladders(ladders: Sequence[LadderSettings], wanted: str | None) -> None:
    names = [ladder.name for ladder in ladders]
    for place, ladder in enumerate(ladders):
        if problem := ladder.problem():
            raise ConfigError(f"ladder[{place}].{problem}")
        if ladder.name in names[:place]:
            raise ConfigError(f"ladder[{place}].name: there are two ladders named {ladder.name}")
    if wanted is not None and wanted not in names:
        raise ConfigError(f"kgp.ladder: there is no ladder {wanted}")


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
