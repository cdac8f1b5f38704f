"""What a server will find on this machine: its store, broker, ports and environment."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import socket
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

from mancala_arena import MEND

from . import output as console

if TYPE_CHECKING:
    from mancala.server.config.settings import Config

PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy")


class MachineCheck(NamedTuple):
    """One check."""

    name: str
    ok: bool
    sentence: str


def report(findings: Iterable[MachineCheck], *, json: bool) -> None:
    """Print findings; exit with code 1 when one is not as a server needs it."""
    checks = list(findings)
    lines = (f"{'good' if each.ok else 'BAD '}  {each.name}: {each.sentence}" for each in checks)
    console.show({"checks": [check._asdict() for check in checks]}, lines, json=json)
    if not all(check.ok for check in checks):
        raise typer.Exit(console.FAILED)


def examine(config: Config, path: Path | None) -> Iterator[MachineCheck]:
    """Yield what a server with these settings, of a file if any, would find here."""
    yield _settings(config)
    yield _store(config)
    yield place(config, path)
    yield _broker(config)
    yield from _ports(config)
    yield environment(os.environ)
    yield _command()
    programs = f"mancala-arena {version('mancala-arena')}, Python {platform.python_version()}"
    yield MachineCheck("versions", ok=True, sentence=programs)


def _settings(config: Config) -> MachineCheck:
    from mancala.server.app.config_check import check, check_events
    from mancala.server.config.settings import ConfigError
    from mancala.server.store import StoreError

    try:
        check(config)
        check_events(config)
    except ConfigError as error:
        is_of_store = isinstance(error.__cause__, StoreError)  # which has a line of its own
        said = "the store that they name cannot be used" if is_of_store else str(error)
        return MachineCheck("settings", ok=False, sentence=said)
    return MachineCheck("settings", ok=True, sentence=f"{config.name}: these settings can be used")


def _store(config: Config) -> MachineCheck:
    from mancala.server.config.settings import IN_MEMORY
    from mancala.server.store import StoreError
    from mancala.server.store.database.faults import StoreMissingError
    from mancala.server.store.reading.inspection import described, lack_of_room

    if config.store_path == IN_MEMORY:
        return MachineCheck("store", ok=True, sentence="in memory: it is gone when the server ends")
    try:
        found, amiss = described(config.store_path)
    except StoreMissingError as error:
        lack = lack_of_room(config.store_path)
        said = f"{error}; the server makes it when it starts" + (f"; {lack}" if lack else "")
        return MachineCheck("store", ok=lack is None, sentence=said)
    except StoreError as error:
        return MachineCheck("store", ok=False, sentence=str(error))
    return MachineCheck("store", ok=not amiss, sentence="; ".join((found, *amiss)))


def place(config: Config, path: Path | None) -> MachineCheck:
    """Check whether commands with the settings of a file find the server from any shell."""
    from mancala.server.config.place import lines_of, says_all

    if path is None or says_all(config):
        return MachineCheck("place", ok=True, sentence="commands find the store from any shell")
    sentence = (
        f"a shell with another environment looks elsewhere: add to {path}: {lines_of(config)}"
    )
    return MachineCheck("place", ok=False, sentence=sentence)


def _broker(config: Config) -> MachineCheck:
    from mancala.server.config.settings import ConfigError
    from mancala.server.publish.address import Address, without_password
    from mancala.server.publish.trial import not_read_back

    if config.mqtt.url is None:
        return MachineCheck(
            "broker", ok=True, sentence="none is named; the server starts a private one"
        )
    prefix, at = config.topics.prefix, without_password(config.mqtt.url)
    topics = [f"{prefix}/games/doctor/result", f"{prefix}/matches/doctor/result"]
    topics += [f"{prefix}/ladders/{ladder.name}/doctor" for ladder in config.ladder]
    try:
        address = Address.parse(config.mqtt.url, config.broker)
        if address.client_id is not None and _has_server(config):  # the broker would end its own
            sentence = (
                f"{at}: not tried, since a server is running whose client id it knows"
                f" ({address.client_id}); /readyz on its health_port says how it gets on"
            )
            return MachineCheck("broker", ok=True, sentence=sentence)
        missing = asyncio.run(not_read_back(address, topics))
    except (ConfigError, OSError) as error:
        return MachineCheck("broker", ok=False, sentence=f"{at}: {console.described(error)}")
    if missing:
        who = address.user or "a client without a user"
        sentence = (
            f"{at} did not hand back {', '.join(missing)}: may {who} write and read {prefix}/#?"
        )
        return MachineCheck("broker", ok=False, sentence=sentence)
    return MachineCheck("broker", ok=True, sentence=f"{at} takes what is published")


def _ports(config: Config) -> Iterator[MachineCheck]:
    from mancala.server.config.checks import opened_ports
    from mancala.server.net.listening import PortError, expect_free

    is_running = _is_running(config)
    for key, host, port in opened_ports(config):
        try:
            asyncio.run(expect_free(key, host, port, once=True))
        except PortError as error:
            why = console.described(error.__cause__ or error)
            why = "taken, as it seems by this server" if is_running else why
            yield MachineCheck(key, ok=is_running, sentence=f"{host}:{port}: {why}")
        else:
            if port:
                yield MachineCheck(key, ok=True, sentence=f"{host}:{port} is free")


def _is_running(config: Config) -> bool:
    from mancala.server.net.socket_path import short_path

    if config.ctl_path is None:
        return False
    with suppress(OSError), socket.socket(socket.AF_UNIX) as tried:
        with short_path(config.ctl_path) as place:
            tried.connect(place)
        return True
    return False


def _has_server(config: Config) -> bool:
    """Return whether a server has the store, on this machine or on another one."""
    from mancala.server.store.database.database import expect_unclaimed
    from mancala.server.store.database.faults import StoreError, StoreInUseError

    try:
        expect_unclaimed(config.store_path)
    except StoreError as error:
        return isinstance(error, StoreInUseError)
    return False


def environment(variables: Mapping[str, str]) -> MachineCheck:
    """Check variables of the environment: one that names a proxy leads others astray."""
    named = {name.lower() for name, value in variables.items() if value}
    found = [name for name in PROXIES if name in named]
    if not found:
        return MachineCheck("environment", ok=True, sentence="it names no proxy")
    sentence = (
        f"{', '.join(found)}: bots and commands connect through this proxy; name the server's hosts"
        " in no_proxy unless they shall"
    )
    return MachineCheck("environment", ok="no_proxy" in named, sentence=sentence)


def _command() -> MachineCheck:
    ours = Path(sysconfig.get_path("scripts")) / "mancala"
    try:
        sentence = (
            f"PyPI's package mancala ({version('mancala')}) shares files with ours, and takes them"
            f" away when it goes: {MEND}"
        )
        return MachineCheck("command", ok=False, sentence=sentence)
    except PackageNotFoundError:
        found = shutil.which("mancala")
    if found is None:
        sentence = f"`mancala` is not in PATH; ours is {ours}"
    elif Path(found).resolve() == ours.resolve():
        sentence = f"`mancala` is {found}"
    else:
        sentence = f"`mancala` is {found}, another program; ours is {ours}, and `mancala-arena`"
    return MachineCheck("command", ok=True, sentence=sentence)
