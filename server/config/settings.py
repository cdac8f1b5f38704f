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
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from protocol.clock import TimeControl
from protocol.results import Topics
from protocol.rules import InvalidPositionError, Rules
from server.config.ladders import LadderSettings

PUBLIC_URL: Final = re.compile(r"wss?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/%-]*)?")
"""Narrow, since it goes into the page's Content-Security-Policy."""

ORIGIN: Final = re.compile(r"https?://[a-z0-9.\[\]:-]+")
"""As browsers state it: no path, lower case, the port where it isn't the usual one."""
POSTGRESQL: Final = re.compile(r"postgres(ql)?(\+psycopg)?://")

HERE: Final = Path()
LONGEST_DAYS: Final = 36500
FILES: Final = ("cert", "key", "ca")
"""Settings that are paths, taken from the configuration's folder."""


class ConfigError(ValueError):
    """The configuration can't be used; the message names the key."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the TOML file."""


S = TypeVar("S", bound=Section)


class Limits(Section, frozen=True):
    """What one connection, bot or match may take.

    Attributes:
        connections: most connections for bots and spectators at once, KGP's included; at 40 kB
            each, 160 MB.
        connections_per_address: most of them from one address; a class behind one router with two
            bots each fits.
        exempt: networks whose addresses may have more: this machine itself, which is also where
            a reverse proxy connects from. Such a proxy must bound addresses itself.
        http_connections: most connections to the page and the API at once; a browser opens up to
            six, so some forty people look on.
        handshake_s: time for the first ``hello``; a slow mobile link needs two or three seconds.
        idle_s: after so long without a word, whoever plays nothing, seeks nothing and watches
            nothing is asked to come back; six hours are a night of waiting for challenges.
        messages_per_s: messages that one connection may send, on top of answers; a person's
            impatience, not a program's.
        messages_burst: how many of them may come at once; a bot that comes back and takes up
            all its watching and seeking needs some fifty.
        games: most games of a match; a thousand is a night's work at a second a move.
        tables: most matches, hence games, a bot plays at once.
        challenges: most challenges of one bot that wait for an answer.
        watched: most games one connection watches at once.
        outgoing_bytes: what may wait to be sent to one connection; a reader that lets a quarter
            of a megabyte pile up, about five whole games, isn't reading any more.
        ping_s: how often the round trip is measured; also how soon a dead link is noticed, twice
            that.
        loop_lag_ms: no game begins while the event loop's lateness, at its 99th percentile over
            some seconds, exceeds this; a quarter of a second is what the smallest lag quota
            covers.
        own_delay_ms: a flag that fell because the server itself was held up for at least so long
            is nobody's fault, and voids the game; less is within what clocks are kept to.
    """

    connections: int = 4000
    connections_per_address: int = 64
    exempt: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    http_connections: int = 256
    handshake_s: float = 10.0
    idle_s: float = 6 * 3600.0
    messages_per_s: float = 20.0
    messages_burst: int = 400
    games: int = 1000
    tables: int = 64
    challenges: int = 16
    watched: int = 256
    outgoing_bytes: int = 256 * 1024
    ping_s: float = 5.0
    loop_lag_ms: float = 250.0
    own_delay_ms: float = 50.0


class Tls(Section, frozen=True):
    """The certificate for all ports; without one, nothing is encrypted.

    Attributes:
        cert: file with the certificate and what leads to its root, as PEM; its path is taken from
            the configuration's folder.
        key: file with its key, likewise; without one, it is in the same file.
    """

    cert: str | None = None
    key: str | None = None


class Mqtt(Section, frozen=True):
    """Where results are published.

    Attributes:
        url: ``mqtt://host[:port]`` or ``mqtts://…``; without one, a private broker is started.
        user: name at the broker.
        password: the password that goes with it.
        prefix: first levels of every topic; ``mancala/<server name>`` by default.
        private_broker: whether to start a broker when there is no URL.
        live_moves: whether every move is published as well, as it is played; not by default, as
            that costs about as much as the move itself.
        keep_days: how long a payload stays in the outbox once the broker has it: a month to look
            into what a consumer says it never got. The results themselves stay for good.
        ca: file with the certificates that a ``mqtts://`` broker's is checked against, as PEM; its
            path is taken from the configuration's folder. Without one, those of the system.
    """

    url: str | None = None
    user: str | None = None
    password: str | None = None
    prefix: str | None = None
    private_broker: bool = True
    live_moves: bool = False
    keep_days: float = 30.0
    ca: str | None = None


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
        docs: folder of the documentation that ``make docs`` renders, shown under ``/docs`` on the
            ``http_port`` if it is there; relative to where the server is started.
        public_url: where bots and spectators from outside reach ``port``, such as
            ``wss://arena.example.org/play``; the page uses its own host and ``port`` without one.
        origins: browsers' pages that may connect, such as ``https://club.example.org``, besides
            those from the host they connect to; bots state no origin, and may always.
        store: path of the SQLite file, or ``postgresql://…``, or ``:memory:``. In PostgreSQL each
            server has a schema of its own, named after it or by ``?schema=…``.
        rules: what a bot that names no rules plays.
        clock: what a bot that names no clock plays.
        guests: whether a bot without a token may come in.
        grace_s: how long the seat of a dropped bot is kept; enough to restart a process.
        drain_s: how long running games may go on when the server is told to stop.
        reconnect_after_s: when bots that are sent away for a restart should come back.
        tls: the certificate for all ports.
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
    docs: str = "build/docs"
    public_url: str | None = None
    origins: tuple[str, ...] = ()
    store: str | None = None
    rules: str = "kalah"
    clock: TimeControl = TimeControl(move_ms=1000)
    guests: bool = True
    grace_s: float = 30.0
    drain_s: float = 5.0
    reconnect_after_s: float = 1.0
    tls: Tls = Tls()
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
        """Where the store is: as configured, or under the user's state directory."""
        if self.store is not None and POSTGRESQL.match(self.store):
            return with_schema(self.store, self.name)
        return self.store or str(state_directory() / f"{self.name}.sqlite3")

    @property
    def store_display(self) -> str:
        """Where the store is, without the password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self.store_path)


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
        tls, mqtt = (_found_in(folder, section) for section in (config.tls, config.mqtt))
        config = msgspec.structs.replace(config, ladder=ladders, tls=tls, mqtt=mqtt)
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
    if not 0 <= config.mqtt.keep_days <= LONGEST_DAYS:
        raise ConfigError(f"mqtt.keep_days: must be 0..{LONGEST_DAYS}")
    _check_limits(config.limits)
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


def _check_addresses(config: Config) -> None:
    for key in ("port", "http_port"):
        if not 0 <= (getattr(config, key) or 0) <= 65535:
            raise ConfigError(f"{key}: must be 0..65535, not {getattr(config, key)}")
    if not PUBLIC_URL.fullmatch(config.public_url or "ws://localhost"):
        raise ConfigError(f"public_url: must be ws://… or wss://…, not {config.public_url!r}")
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
        lines = (folder / ladder.openings_file).read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"ladder {ladder.name}: openings_file: {error}") from None
    found = [literal for line in lines if (literal := line.partition("#")[0].strip())]
    openings = (*ladder.openings, *found)
    return msgspec.structs.replace(ladder, openings=openings, openings_file=None)


def _found_in(folder: Path, section: S) -> S:
    """Give the files that a section names their full paths."""
    named = {key: getattr(section, key) for key in FILES if hasattr(section, key)}
    found = {key: str(folder / path) for key, path in named.items() if path is not None}
    return msgspec.structs.replace(section, **found)


def with_schema(url: str, server: str) -> str:
    """Name the schema in a PostgreSQL URL that names none: the server's name, as far as it goes."""
    if re.search(r"[?&]schema=", url):
        return url
    schema = re.sub(r"[^a-z0-9]+", "_", f"mancala_{server.lower()}").rstrip("_")[:63]
    return f"{url}{'&' if '?' in url else '?'}schema={schema}"


def _refuse_unknown_clock_keys(clock: Any) -> None:  # noqa: ANN401  # whatever TOML holds
    known = {field.name for field in fields(TimeControl)}
    for key in clock if isinstance(clock, dict) else ():
        if key not in known:
            raise ConfigError(f"Object contains unknown field `{key}` - at `$.clock`")
