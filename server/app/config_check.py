"""Check a configuration as far as possible without starting a server."""

from __future__ import annotations

import socket  # noqa: TID251  # to ask whether an address is this machine's; nothing listens
from pathlib import Path  # noqa: TID251  # settings name the file
from typing import Final

from ..config.checks import checked
from ..config.settings import Config, ConfigError
from ..model.entrant import bot_name
from ..net.gateways import wanted
from ..net.tls import context_of
from ..publish.address import check_broker
from ..store import StoreError
from ..store.reading.inspection import known_bots

LONGEST_SOCKET: Final = 107
"""Bytes of a unix socket's path, in Linux."""


def check(config: Config) -> None:
    """Check the values and what they name: addresses, files, the broker's URL, the store, bots.

    Raises:
        ConfigError: naming the invalid key.
    """
    checked(config)
    _ = list(wanted(config))
    for key in ("host", "http_host"):
        _check_host(key, getattr(config, key))
    _check_feed(config.web_feed)
    _check_folder("ctl", config.ctl)
    context_of(config.tls)
    check_broker(config)
    _expect_anchors(config, config.store_path)


def check_anchors(config: Config, store: str) -> None:
    """Check that the anchors are bots of the house or of a store; without anchors, read nothing.

    Args:
        config: the settings.
        store: the place of the store in force.

    Raises:
        ConfigError: naming the anchor that is neither.
    """
    if any(ladder.anchors for ladder in config.ladder):
        _expect_anchors(config, store)


def _expect_anchors(config: Config, store: str) -> None:
    try:
        known = known_bots(store) | config.house_names
    except StoreError as error:
        raise ConfigError(f"store: {error}") from None
    for place, ladder in enumerate(config.ladder):
        for anchor in ladder.anchors:
            if anchor not in known and bot_name(anchor) not in known:
                raise ConfigError(
                    f"ladder[{place}].anchors.{anchor}: there is no such bot, neither in the house"
                    " nor in the store ('mancala token new' makes one known)"
                )


def _check_host(key: str, host: str) -> None:
    """Bind a port of the address, whichever is free."""
    try:
        family, kind, protocol, _, (address, *_) = socket.getaddrinfo(
            host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as port:
            port.bind((address, 0))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{key}: {host!r} is no address of this machine: {reason}") from None


def _check_feed(path: str | None) -> None:
    if path is None:
        return
    if len(path.encode()) > LONGEST_SOCKET:
        raise ConfigError(f"web_feed: {path}: longer than {LONGEST_SOCKET} bytes")
    _check_folder("web_feed", path)


def _check_folder(key: str, path: str | None) -> None:
    if path is not None and not Path(path).parent.is_dir():
        raise ConfigError(f"{key}: {Path(path).parent} is no directory")
