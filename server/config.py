"""What an organiser may set: one frozen object, read from TOML and built at the composition root.

A key that is not known, or a value of the wrong type, is one error that names the key. Each
default says why it is that number.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import msgspec

from protocol.clock import TimeControl
from protocol.results import Topics
from protocol.rules import InvalidPositionError, Rules
from server.ladder.settings import LadderSettings

PUBLIC_URL: Final = re.compile(r"wss?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/%-]*)?")
"""Narrow, since it goes into the page's Content-Security-Policy."""

HERE: Final = Path()


class ConfigError(ValueError):
    """The configuration can't be used; the message names the key."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the TOML file."""


class Limits(Section, frozen=True):
    """What one connection, bot or match may take.

    Attributes:
        handshake_s: time for the first ``hello``; a slow mobile link needs two or three seconds.
        games: most games of a match; a thousand is a night's work at a second a move.
        tables: most matches a bot plays at once.
        challenges: most challenges of one bot that wait for an answer.
        watched: most games one connection watches at once.
        outgoing_bytes: what may wait to be sent to one connection; a reader that lets a quarter
            of a megabyte pile up, about five whole games, isn't reading any more.
        ping_s: how often the round trip is measured; also how soon a dead link is noticed, twice
            that.
    """

    handshake_s: float = 10.0
    games: int = 1000
    tables: int = 64
    challenges: int = 16
    watched: int = 256
    outgoing_bytes: int = 256 * 1024
    ping_s: float = 5.0


class Mqtt(Section, frozen=True):
    """Where results are published.

    Attributes:
        url: ``mqtt://host[:port]`` or ``mqtts://…``; without one, a private broker is started.
        user: name at the broker.
        password: the password that goes with it.
        prefix: first levels of every topic; ``mancala/<server name>`` by default.
        private_broker: whether to start a broker when there is no URL.
    """

    url: str | None = None
    user: str | None = None
    password: str | None = None
    prefix: str | None = None
    private_broker: bool = True


class Kgp(Section, frozen=True):
    """The gateway for clients of the Kalah Game Protocol.

    Attributes:
        tcp_port: port for clients over TCP, 0 for any free one; without one there is none.
        ws_port: port for clients over websockets, likewise.
        ladder: the ladder they join; without one they seek matches among those who are here.
        rated: whether the matches they seek count.
        games: games of a match they seek; two, so that each begins once.
        connections: most clients at once; each forks a process a move on its own machine, so a
            class of students fits and a flood doesn't.
    """

    tcp_port: int | None = None
    ws_port: int | None = None
    ladder: str | None = None
    rated: bool = True
    games: int = 2
    connections: int = 256


class Config(Section, frozen=True):
    """The match server's settings.

    Attributes:
        name: the server's name, in ``welcome`` and in every payload.
        host: address to listen on; only this machine by default.
        port: port for bots and spectators; 0 for any free one.
        http_port: port for the page, the API and metrics, 0 for any free one; without one there
            are none.
        http_host: address to listen on for them; only this machine by default.
        public_url: where bots and spectators from outside reach ``port``, such as
            ``wss://arena.example.org/play``; the page uses its own host and ``port`` without one.
        store: path of the SQLite file, or ``:memory:``.
        rules: what a bot that names no rules plays.
        clock: what a bot that names no clock plays.
        guests: whether a bot without a token may come in.
        grace_s: how long the seat of a dropped bot is kept; enough to restart a process.
        drain_s: how long running games may go on when the server is told to stop.
        reconnect_after_s: when bots that are sent away for a restart should come back.
        mqtt: where results are published.
        kgp: the gateway for clients of the Kalah Game Protocol.
        ladder: the ladders, each ``[[ladder]]`` one.
        limits: what one connection, bot or match may take.
    """

    name: str = "arena"
    host: str = "127.0.0.1"
    port: int = 8765
    http_port: int | None = None
    http_host: str = "127.0.0.1"
    public_url: str | None = None
    store: str | None = None
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    guests: bool = True
    grace_s: float = 30.0
    drain_s: float = 5.0
    reconnect_after_s: float = 1.0
    mqtt: Mqtt = Mqtt()
    kgp: Kgp = Kgp()
    ladder: tuple[LadderSettings, ...] = ()
    limits: Limits = Limits()

    @property
    def default_rules(self) -> Rules:
        """What a bot that names no rules plays."""
        return Rules.parse(self.rules)

    @property
    def topics(self) -> Topics:
        """Where results are published."""
        return Topics(self.mqtt.prefix) if self.mqtt.prefix else Topics.of_server(self.name)

    @property
    def store_path(self) -> str:
        """The SQLite file: as configured, or under the user's state directory."""
        return self.store or str(state_directory() / f"{self.name}.sqlite3")


def state_directory() -> Path:
    """Tell where this user's programs keep what outlives them (XDG base directories)."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "mancala-arena"


def load(path: Path) -> Config:
    """Read the configuration from a TOML file.

    Raises:
        ConfigError: when the file can't be read or holds what can't be used.
    """
    try:
        return parse(path.read_text(), path.parent)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse(text: str, folder: Path = HERE) -> Config:
    """Read the configuration from TOML.

    Args:
        text: the TOML.
        folder: what the paths in it are relative to.

    Raises:
        ConfigError: when it is no TOML, a key is unknown, or a value can't be used.
    """
    try:
        document = tomllib.loads(text)
        _refuse_unknown_clock_keys(document.get("clock"))
        config = msgspec.convert(document, Config)
        for ladder in document.get("ladder", ()):
            _refuse_unknown_clock_keys(ladder.get("clock"))
        ladders = tuple(_with_openings(ladder, folder) for ladder in config.ladder)
        config = msgspec.structs.replace(config, ladder=ladders)
        checked(config)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(str(error)) from None
    return config


def checked(config: Config) -> Config:
    """Refuse values that have the right type and can't be used all the same.

    Raises:
        ConfigError: naming the key.
    """
    if not config.name:
        raise ConfigError("name: a server needs one")
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
    for key in Limits.__struct_fields__:
        if getattr(config.limits, key) <= 0:
            raise ConfigError(f"limits.{key}: must be more than 0")
    _check_ladders(config.ladder, config.kgp.ladder)
    return config


def _check_addresses(config: Config) -> None:
    for key in ("port", "http_port"):
        if not 0 <= (getattr(config, key) or 0) <= 65535:
            raise ConfigError(f"{key}: must be 0..65535, not {getattr(config, key)}")
    if not PUBLIC_URL.fullmatch(config.public_url or "ws://localhost"):
        raise ConfigError(f"public_url: must be ws://… or wss://…, not {config.public_url!r}")


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
        lines = (folder / ladder.openings_file).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"ladder {ladder.name}: openings_file: {error}") from None
    found = [literal for line in lines if (literal := line.partition("#")[0].strip())]
    openings = (*ladder.openings, *found)
    return msgspec.structs.replace(ladder, openings=openings, openings_file=None)


def _refuse_unknown_clock_keys(clock: Any) -> None:  # noqa: ANN401  # whatever TOML holds
    known = {field.name for field in fields(TimeControl)}
    for key in clock if isinstance(clock, dict) else ():
        if key not in known:
            raise ConfigError(f"Object contains unknown field `{key}` - at `$.clock`")
