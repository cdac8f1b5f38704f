"""The settings of a server: one frozen object, built at the composition root.

``loading.py`` reads it from TOML. The attributes give the reason for each default.
"""

from __future__ import annotations

import os  # noqa: TID251  # for the default of the place of the store
import re
from pathlib import Path  # noqa: TID251  # likewise
from typing import Final

import msgspec

from protocol.clock import TimeControl
from protocol.results import Topics
from protocol.rules import Rules
from server.config.ladders import LadderSettings

LEVEL_NAMES: Final = tuple(f"level-{level}" for level in range(1, 11))
IN_MEMORY: Final = ":memory:"
POSTGRESQL: Final = re.compile(r"postgres(ql)?(\+psycopg)?://")


class ConfigError(ValueError):
    """The configuration is invalid; the message names the key."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the TOML file."""


class Limits(Section, frozen=True):
    """Limits of a connection, bot or match.

    Attributes:
        connections: maximum number of bot and spectator connections, KGP included; 160 MB at 40 kB
            each.
        connections_per_address: maximum number of them from one address; a class behind one
            router with two bots each fits.
        exempt: networks without a limit per address: this machine, from which a reverse proxy also
            connects. Such a proxy must limit addresses itself.
        http_connections: maximum number of connections to the page and the API; a browser opens up
            to six, so about forty people can watch.
        http_per_s: budget of one address for requests to the page and the API, in units of 50 µs: a
            fifth of a core. A page view costs about 400 units. A request beyond the budget waits up
            to two seconds, then gets 429.
        http_burst: how much of it may be used in a burst; ten people who open the page together,
            and thirty more within the two seconds.
        handshake_s: time for a TLS handshake, for the websocket's, and for the first ``hello``; a
            slow mobile link needs two or three seconds.
        idle_s: a connection that sends nothing for this long, and plays, seeks and watches nothing,
            is closed; six hours are a night of waiting for challenges.
        messages_per_s: budget of one connection in messages per second, besides answers; ample for
            all but a flood. Other work is paid in parts or multiples of a message, such as 0.6 for
            a ping and 1.5 for a ``watch``. One that has overdrawn its budget is not read until the
            budget has refilled.
        messages_burst: how much of it may be used in a burst; a bot that reconnects and renews all
            its watches and seeks needs about fifty.
        address_per_s: the same for all connections of one address together, and for opening
            connections, at 30 messages each; a twentieth of a core. An IPv6 /64 network counts as
            one address, and so does this machine; an exempt network has four times as much. Behind
            a reverse proxy all clients have the proxy's address, so this must be larger there.
        address_burst: how much of it may be used in a burst; a class of thirty that reconnects at
            the same time needs most of it.
        flood_s: how long a connection may be overdrawn before it is cut off; a client that renews
            its watches of 256 games needs less.
        moves_per_s: turns a second that are put to one bot at two tables or more; later ones wait,
            and its clocks with them. Sixty-four games with more than half a second a move don't
            notice it. Guests of one address have twenty times as many together.
        games: maximum number of games of a match; a thousand is a night's work at a second a move.
        tables: maximum number of matches, hence games, that a bot plays in parallel.
        challenges: maximum number of pending challenges of one bot.
        watched: maximum number of games that one connection watches.
        outgoing_bytes: size of the send buffer of one connection; a peer with a quarter of a
            megabyte unread, about five whole games, has stopped reading.
        ping_s: interval of round-trip measurements; a dead connection is noticed after twice that.
        loop_lag_ms: no game begins while the 99th percentile of the event loop's recent lag exceeds
            this; the smallest lag quota covers a quarter of a second.
        own_delay_ms: a game may be void if the event loop was blocked for at least this long when
            the flag fell, and it can't be known whether the answer had arrived by then; shorter
            delays are within the precision of the clocks.
        info_move_bytes: how much is stored of what a bot reports about one move; a comment of a
            thousand letters fits, in any script. The opponent and spectators see more.
        info_game_bytes: the same for one game; 300 bytes for each of two hundred moves.
        info_bot_bytes: the same for one bot by the hour; a hundred moves a second with a usual
            report of a hundred bytes.
        info_guests_bytes: the same for all guests together.
        info_bytes: how much is stored of all reports; beyond that the oldest are dropped, while
            moves and results stay.
        voids_per_day: how many games may be void in 24 hours for one bot's sake; after that they
            are lost, since a bot can bring about the doubt. Guests count by their address, too.
    """

    connections: int = 4000
    connections_per_address: int = 64
    exempt: tuple[str, ...] = ("127.0.0.0/8", "::1/128")
    http_connections: int = 256
    http_per_s: float = 4000.0
    http_burst: int = 4000
    handshake_s: float = 10.0
    idle_s: float = 6 * 3600.0
    messages_per_s: float = 20.0
    messages_burst: int = 400
    address_per_s: float = 1000.0
    address_burst: int = 1000
    flood_s: float = 5.0
    moves_per_s: float = 100.0
    games: int = 1000
    tables: int = 64
    challenges: int = 16
    watched: int = 256
    outgoing_bytes: int = 256 * 1024
    ping_s: float = 5.0
    loop_lag_ms: float = 250.0
    own_delay_ms: float = 50.0
    info_move_bytes: int = 4096
    info_game_bytes: int = 64 * 1024
    info_bot_bytes: int = 36 * 1000 * 1000
    info_guests_bytes: int = 200 * 1000 * 1000
    info_bytes: int = 4 * 1000 * 1000 * 1000
    voids_per_day: int = 2


class Tls(Section, frozen=True):
    """The certificate for all ports; without one, nothing is encrypted.

    Attributes:
        cert: PEM file with the certificate chain; its path is relative to the configuration's
            folder.
        key: PEM file with the private key, likewise; by default, the key is in ``cert``.
    """

    cert: str | None = None
    key: str | None = None


class Mqtt(Section, frozen=True):
    """Where results are published.

    Attributes:
        url: ``mqtt://host[:port]`` or ``mqtts://…``; without one, a private broker is started.
        user: user name at the broker.
        password: password at the broker.
        prefix: prefix of every topic; ``mancala/<server name>`` by default.
        private_broker: whether to start a broker when there is no URL.
        live_moves: whether every move is published as it is played; off by default, since it costs
            about as much as the move itself.
        keep_days: how many days a payload stays in the outbox after its publication: a month to
            investigate what a consumer missed. The results themselves are kept.
        ca: PEM file with the CA certificates for a ``mqtts://`` broker; its path is relative to the
            configuration's folder. By default, the system's certificates.
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
        tcp_port: port for clients over TCP, 0 for any free one; closed by default.
        ws_port: port for clients over websockets, likewise.
        ladder: the ladder they join; by default, they seek matches.
        rated: whether the matches they seek count.
        games: games per match that they seek; two, so that each player moves first once.
        claim_names: whether a free name is bound to the first token that comes with it, which the
            client has chosen itself; later the name needs that token, as if it had been issued. By
            default, only issued tokens count.
        claims_a_day: how many names the clients of one address may bind in 24 hours.
        connections: maximum number of clients; enough for a class of students.
    """

    tcp_port: int | None = None
    ws_port: int | None = None
    ladder: str | None = None
    rated: bool = True
    games: int = 2
    claim_names: bool = False
    claims_a_day: int = 20
    connections: int = 256


class Play(Section, frozen=True):
    """Opponents for people who play in the browser.

    Attributes:
        levels: whether ten bots of the organiser, ``level-1`` to ``level-10``, take challenges of
            people and bots; they share one process. Off by default, since it takes 250 MB.
        analysis: whether the page gives hints and values of positions. The first question starts a
            process of low priority for it, which needs the extra ``engine``.
        challenges: how many challenges each house bot plays at a time, the ladders' included;
            beside their ladders, they don't wait for each other.
    """

    levels: bool = False
    analysis: bool = True
    challenges: int = 4


class Reviewers(Section, frozen=True):
    """Reviews of finished games: what each move was worth.

    Attributes:
        house: how many reviewers the server runs beside it, at the lowest priority (``nice``); one
            reviews 20 games of Kalah(6,4) a minute.
        queue: how many games may wait for a review: what one reviewer does in a night. Beyond it,
            the oldest wait no longer, those that no author waits for first. 0 for no reviews.
        patience_s: how long a reviewer may take for a game before another one gets it.
        seconds: how long a house reviewer may think about a game.
    """

    house: int = 0
    queue: int = 10_000
    patience_s: float = 120.0
    seconds: float = 2.8


class Config(Section, frozen=True):
    """The match server's settings.

    Attributes:
        name: the server's name, in ``welcome`` and in every payload.
        host: address to listen on; by default only this machine can connect.
        port: port for bots and spectators; 0 for any free one.
        http_port: port for the page, the API and metrics, 0 for any free one; closed by default.
        http_host: address of that port; by default only this machine can connect.
        web_feed: path of a unix socket for ``mancala web``, relative to the configuration's folder.
            By default ``mancala serve`` starts the web process itself; with a path it opens no
            ``http_port``, and the web process runs as a service of its own.
        docs: folder of the documentation rendered by ``make docs``, served under ``/docs`` on
            ``http_port`` if it exists; relative to the server's working directory.
        public_url: public URL of ``port``, such as ``wss://arena.example.org/play``; by default,
            the page uses its own host and ``port``.
        origins: origins of web pages that may connect, such as ``https://club.example.org``,
            besides those of the same host; bots send no origin and may always connect.
        store: path of the SQLite file, or ``postgresql://…``, or ``:memory:``. In PostgreSQL each
            server has a schema of its own, named after it or by ``?schema=…``.
        rules: default rules of a match.
        clock: default time control of a match.
        guests: whether a bot without a token may log in.
        grace_s: how long the seat of a disconnected bot is kept; enough to restart a process.
        drain_s: how long running games may continue when the server shuts down.
        reconnect_after_s: when bots should reconnect after a restart.
        tls: the certificate for all ports.
        mqtt: where results are published.
        kgp: the gateway for clients of the Kalah Game Protocol.
        play: opponents for people.
        ladder: the ladders, each ``[[ladder]]`` one.
        reviewers: reviews of finished games.
        limits: what one connection, bot or match may take.
    """

    name: str = "arena"
    host: str = "127.0.0.1"
    port: int = 8765
    http_port: int | None = None
    http_host: str = "127.0.0.1"
    web_feed: str | None = None
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
    play: Play = Play()
    ladder: tuple[LadderSettings, ...] = ()
    reviewers: Reviewers = Reviewers()
    limits: Limits = Limits()

    @property
    def default_rules(self) -> Rules:
        """The default rules of a match."""
        return Rules.parse(self.rules)

    @property
    def house_names(self) -> frozenset[str]:
        """The names of the organiser's own bots."""
        levels = LEVEL_NAMES if self.play.levels else ()
        return frozenset((*levels, *(name for each in self.ladder for name in each.house)))

    @property
    def topics(self) -> Topics:
        """The topics of results."""
        return Topics(self.mqtt.prefix) if self.mqtt.prefix else Topics.of_server(self.name)

    @property
    def store_path(self) -> str:
        """The store's path or URL: as configured, or under the user's state directory."""
        if self.store is not None and POSTGRESQL.match(self.store):
            return with_schema(self.store, self.name)
        return self.store or str(state_directory() / f"{self.name}.sqlite3")

    @property
    def store_display(self) -> str:
        """The store's path or URL without the password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self.store_path)


def state_directory() -> Path:
    """Return the user's directory for persistent state (XDG base directories)."""
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "mancala-arena"


def with_schema(url: str, server: str) -> str:
    """Return the PostgreSQL URL with a schema; by default one named after the server."""
    if re.search(r"[?&]schema=", url):
        return url
    schema = re.sub(r"[^a-z0-9]+", "_", f"mancala_{server.lower()}").rstrip("_")[:63]
    return f"{url}{'&' if '?' in url else '?'}schema={schema}"
