"""Check a configuration as far as possible without starting a server."""

import socket  # noqa: TID251  # to ask whether an address is this machine's; nothing listens
from collections.abc import Callable
from pathlib import Path  # noqa: TID251  # settings name the file
from typing import Final

from ..config.checks import checked
from ..config.events import Format
from ..config.settings import Config, ConfigError
from ..contest.live.state import listed_first, problem_of_size
from ..model.entrant import bot_name
from ..net.gateways import wanted
from ..net.tls import context_of
from ..publish.address import check_broker
from ..store import StoreError
from ..store.reading.inspection import begun_events, known_bots

SMALLER: Final = "lower games or rounds, list fewer entrants, or leave fill out"
LONGEST_SOCKET: Final = 107
"""Bytes of a unix socket's path, in Linux."""


def check(config: Config) -> None:
    """Check the values and all that they name; ConfigError says which key is invalid."""
    checked(config)
    _ = list(wanted(config))
    for key in ("host", "front_host", "http_host"):
        _check_host(key, getattr(config, key))
    if len((config.web_feed or "").encode()) > LONGEST_SOCKET:
        raise ConfigError(f"web_feed: {config.web_feed}: longer than {LONGEST_SOCKET} bytes")
    for key in ("web_feed", "ctl"):
        if (path := getattr(config, key)) is not None and not Path(path).parent.is_dir():
            raise ConfigError(f"{key}: {Path(path).parent} is no directory")
    context_of(config.tls)
    check_broker(config)
    _expect_anchors(config, config.store_path)


def check_events(config: Config) -> None:
    """Check that each event could start; one that has begun goes on, whatever its size."""
    for place, event in enumerate(config.event):
        problem = problem_of_size(event, listed_first(event, ()))
        if problem and event.name not in _of_store(begun_events, config.store_path):
            hint = "" if Format(event.format).is_plugged else f": {SMALLER}"
            raise ConfigError(f"event[{place}]: {problem}{hint}")


def _of_store(read: Callable[[str], frozenset[str]], store: str) -> frozenset[str]:
    try:
        return read(store)
    except StoreError as error:
        raise ConfigError(f"store: {error}") from error


def check_anchors(config: Config, store: str) -> None:
    """Check that the anchors are bots of the house or of the store in force, if there are any."""
    if any(ladder.anchors for ladder in config.ladder):
        _expect_anchors(config, store)


def _expect_anchors(config: Config, store: str) -> None:
    known = _of_store(known_bots, store) | config.house_names
    for place, ladder in enumerate(config.ladder):
        for anchor in ladder.anchors:
            if anchor not in known and bot_name(anchor) not in known:
                raise ConfigError(
                    f"ladder[{place}].anchors.{anchor}: there is no such bot, neither in the house"
                    " nor in the store ('mancala token new' makes one known)"
                )


def _check_host(key: str, host: str) -> None:
    try:
        family, kind, protocol, _, (address, *_) = socket.getaddrinfo(
            host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as port:
            port.bind((address, 0))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"{key}: {host!r} is no address of this machine: {reason}") from None
