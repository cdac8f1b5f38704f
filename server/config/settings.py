"""The settings of a server: one frozen object, built at the composition root."""

import hashlib
import os  # noqa: TID251  # for the default of the place of the store
import re
from dataclasses import dataclass
from pathlib import Path  # noqa: TID251  # for the default of the place of the store
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from mancala.protocol.clock import TimeControl
from mancala.protocol.results import Topics
from mancala.protocol.rules import Rules

from .annotations import (
    ClientId,
    Count,
    Days,
    File,
    FrontCount,
    Hour,
    Port,
    PositiveCount,
    PositiveMilliseconds,
    PositiveSeconds,
    Rate,
    Reloadable,
    RenewsPublisher,
    RenewsWeb,
    Seconds,
)
from .events import EventSettings
from .ladders import LadderSettings

MOST_HOUSE_REVIEWERS: Final = 64
LONGEST_NAME: Final = 128
SHORTEST_TOKEN: Final = 12
LEVEL_NAMES: Final = tuple(f"level-{level}" for level in range(1, 11))
IN_MEMORY: Final = ":memory:"
POSTGRESQL: Final = re.compile(r"postgres(ql)?(\+psycopg)?://")


LogLevel = Literal["debug", "info", "warning"]


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
        exempt: networks without a limit per address, such as this machine.
        proxies: networks of reverse proxies, which are trusted to name their clients by the PROXY
            protocol, ``Forwarded`` or ``X-Forwarded-For``; none by default. Limits and budgets are
            then the clients'. Of all others such headers are ignored.
        http_connections: maximum number of connections to the page and the API, as many as sixteen
            addresses may have; a browser opens up to six, and a viewer of a running game keeps one.
        http_connections_per_address: maximum number of them from one address; forty browsers behind
            one router that open a page together fit.
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
            a reverse proxy that is not among ``proxies`` all clients have its address.
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
        ping_s: interval of round-trip measurements of a bot that plays; its dead connection is
            noticed after twice that.
        keepalive_s: the same for a connection that does not play; many proxies close one that is
            silent for half a minute.
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
        voids_per_day: how many games may be void in 24 hours for one bot's sake, by an answer in
            doubt or since it stayed away after the server had cut it off; after that they are lost,
            since a bot can bring about either. Guests count by their address, too.
    """

    connections: Reloadable[PositiveCount] = 4000
    connections_per_address: Reloadable[PositiveCount] = 64
    exempt: RenewsWeb[tuple[str, ...]] = ("127.0.0.0/8", "::1/128")
    proxies: RenewsWeb[tuple[str, ...]] = ()
    http_connections: RenewsWeb[PositiveCount] = 4096
    http_connections_per_address: RenewsWeb[PositiveCount] = 256
    http_per_s: RenewsWeb[Rate] = 4000.0
    http_burst: RenewsWeb[PositiveCount] = 4000
    handshake_s: PositiveSeconds = 10.0
    idle_s: Reloadable[PositiveSeconds] = 6 * 3600.0
    messages_per_s: Reloadable[Rate] = 20.0
    messages_burst: Reloadable[PositiveCount] = 400
    address_per_s: Reloadable[Rate] = 1000.0
    address_burst: Reloadable[PositiveCount] = 1000
    flood_s: Reloadable[PositiveSeconds] = 5.0
    moves_per_s: Reloadable[Rate] = 100.0
    games: Reloadable[PositiveCount] = 1000
    tables: Reloadable[PositiveCount] = 64
    challenges: Reloadable[PositiveCount] = 16
    watched: Reloadable[PositiveCount] = 256
    outgoing_bytes: Reloadable[PositiveCount] = 256 * 1024
    ping_s: PositiveSeconds = 5.0
    keepalive_s: PositiveSeconds = 25.0
    loop_lag_ms: Reloadable[PositiveMilliseconds] = 250.0
    own_delay_ms: Reloadable[PositiveMilliseconds] = 50.0
    info_move_bytes: Reloadable[PositiveCount] = 4096
    info_game_bytes: Reloadable[PositiveCount] = 64 * 1024
    info_bot_bytes: Reloadable[PositiveCount] = 36 * 1000 * 1000
    info_guests_bytes: Reloadable[PositiveCount] = 200 * 1000 * 1000
    info_bytes: Reloadable[PositiveCount] = 4 * 1000 * 1000 * 1000
    voids_per_day: Reloadable[PositiveCount] = 2


class Tls(Section, frozen=True):
    """The certificate for all ports; without one, nothing is encrypted.

    Attributes:
        cert: PEM file with the certificate chain; its path is relative to the configuration's
            folder.
        key: PEM file with the private key, its path relative to the same folder; by default, the
            key is in ``cert``.
        ca: PEM file with the certificates of the authority that all others are checked against to
            which the server or its house bots connect: the broker, unless ``mqtt.ca`` names another
            one, and the endpoints of ``llm`` players. By default, the system's certificates.
    """

    cert: RenewsWeb[File | None] = None
    key: RenewsWeb[File | None] = None
    ca: File | None = None


class Mqtt(Section, frozen=True):
    """Where results are published.

    Attributes:
        url: ``mqtt://host[:port]`` or ``mqtts://…``; without one, a private broker is started.
        user: user name at the broker.
        password: password at the broker.
        client_id: the client id at the broker, where rights go by it; each server needs its own,
            and one that stands by has the first one's. By default, the broker chooses, and with
            PostgreSQL it follows from the prefix.
        prefix: prefix of every topic; ``mancala/<server name>`` by default.
        private_broker: whether to start a broker when there is no URL.
        live_moves: whether every move is published as it is played; off by default, since it costs
            about as much as the move itself.
        keep_days: how many days a payload stays in the outbox after its publication: a month to
            investigate what a consumer missed. The results themselves are kept.
        outbox_rows: the most payloads in the outbox, published or not. Beyond it the oldest are
            deleted, and those that the broker never got are counted; the results stay.
        outbox_bytes: the most bytes of all payloads in it; beyond it the oldest are deleted, too.
        ca: PEM file with the CA certificates for a ``mqtts://`` broker; its path is relative to the
            configuration's folder. By default, those of ``tls.ca``, or the system's.
        cert: PEM file with the certificate that a ``mqtts://`` broker asks for, if it does.
        key: PEM file with its private key, unless ``cert`` has that, too.
    """

    url: RenewsPublisher[str | None] = None
    user: RenewsPublisher[str | None] = None
    password: RenewsPublisher[str | None] = None
    client_id: RenewsPublisher[ClientId | None] = None
    prefix: str | None = None
    private_broker: RenewsPublisher[bool] = True
    live_moves: Reloadable[bool] = False
    keep_days: Reloadable[Days] = 30.0
    outbox_rows: Reloadable[PositiveCount] = 1_000_000
    outbox_bytes: Reloadable[PositiveCount] = 2_000_000_000
    ca: RenewsPublisher[File | None] = None
    cert: RenewsPublisher[File | None] = None
    key: RenewsPublisher[File | None] = None


class Keep(Section, frozen=True):
    """How long games are kept; for ever where no number stands.

    Totals, ratings and accuracies stay. The outbox has bounds of its own in ``[mqtt]``.

    Attributes:
        games_days: days after which a finished match is deleted, with its games and their reviews.
        reviews_days: the same for reviews alone.
        reports_days: the same for what bots report with their moves; ``limits.info_bytes`` bounds
            all of them together.
        quiet_hour: the hour of the day, UTC, in which a SQLite store gives the room of what was
            deleted back to the disk, and renews its statistics; PostgreSQL does both by itself.
    """

    games_days: Reloadable[Days | None] = None
    reviews_days: Reloadable[Days | None] = None
    reports_days: Reloadable[Days | None] = None
    quiet_hour: Reloadable[Hour] = 3


class Kgp(Section, frozen=True):
    """The gateway for clients of the Kalah Game Protocol.

    Attributes:
        tcp_port: port for clients over TCP, 0 for any free one; closed by default.
        ws_port: port for clients over websockets, 0 for any free one; closed by default.
        ladder: the ladder they join; by default, they seek matches.
        event: the event they enter, besides the ladder or instead of seeking matches.
        rated: whether the matches they seek count.
        games: games per match that they seek; two, so that each player moves first once.
        claim_names: whether a free name is bound to the first token that comes with it, which the
            client has chosen itself; later the name needs that token, as if it had been issued. By
            default, only issued tokens count.
        claims_a_day: how many names the clients of one address may bind in 24 hours; after that one
            in five minutes, and other clients play as guests meanwhile.
        connections: maximum number of clients; enough for a class of students.
    """

    tcp_port: Port | None = None
    ws_port: Port | None = None
    ladder: Reloadable[str | None] = None
    event: Reloadable[str | None] = None
    rated: Reloadable[bool] = True
    games: Reloadable[PositiveCount] = 2
    claim_names: Reloadable[bool] = False
    claims_a_day: Reloadable[Count] = 20
    connections: Reloadable[PositiveCount] = 256


class Play(Section, frozen=True):
    """Opponents for people who play in the browser.

    Attributes:
        levels: whether ten bots of the organiser, ``level-1`` to ``level-10``, take challenges of
            people and bots; they share one process. Off by default, since it takes 250 MB.
        analysis: whether the page gives hints and values of positions. The first question starts a
            process of low priority for it, which needs the extra ``engine``.
        challenges: how many challenges each house bot plays at a time, the ladders' included;
            beside their ladders, they don't wait for each other.
        lease_s: how long a place of a house bot is lent at least. After that a match yields to a
            challenge that waits, at the end of its game; after three times as long its game ends,
            and so does one whose challenger has not moved for a minute.
        longest_turn_s: the longest time for a turn that a challenge of a house bot may ask for; the
            page offers five minutes.
        games: the most games of a match that it may ask for.
        exhibition_s: how often two house bots begin a game with each other, unless one is under
            way, so that the page always shows a moving board; 0 for never. The levels answer each
            other slowly, in about a second and a half.
    """

    levels: bool = False
    analysis: bool = True
    challenges: Count = 4
    lease_s: Reloadable[PositiveSeconds] = 300.0
    longest_turn_s: Reloadable[PositiveSeconds] = 900.0
    games: Reloadable[PositiveCount] = 100
    exhibition_s: Seconds = 0.0


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

    house: Annotated[int, Meta(ge=0, le=MOST_HOUSE_REVIEWERS)] = 0
    queue: Count = 10_000
    patience_s: PositiveSeconds = 120.0
    seconds: PositiveSeconds = 2.8


class Config(Section, frozen=True):
    """The match server's settings.

    Attributes:
        name: the server's name, in ``welcome`` and in every payload.
        host: address to listen on; by default only this machine can connect.
        port: port for bots and spectators; 0 for any free one.
        fronts: how many processes hold the sockets of ``port``: TLS, frames and pings are theirs,
            so that the server's own core is left to the games. By default the server has them.
        front_port: port for fronts on other machines, which ``mancala front`` runs, with TLS unless
            only this machine can connect; 0 for any free one, closed by default.
        front_host: address of that port; by default only this machine can connect.
        front_tokens: the name of each such front, and its token.
        http_port: port for the page, the API and metrics, 0 for any free one; closed by default.
        http_host: address of that port; by default only this machine can connect.
        web_feed: path of a unix socket for ``mancala web``, relative to the configuration's folder.
            By default ``mancala serve`` starts the web process itself; with a path it opens no
            ``http_port``, and the web process runs as a service of its own.
        ctl: path of the control socket, for ``mancala admin``, relative to the configuration's
            folder; only this user may open it. By default it stands beside the store's file, or,
            where that is none, in ``$XDG_STATE_HOME/mancala-arena``.
        log_level: the least events that are logged, in all processes of the server: ``debug`` has
            every game, review and fit.
        docs: folder of the documentation rendered by ``make docs``, served under ``/docs`` on
            ``http_port`` if it exists; relative to the server's working directory.
        public_url: public URL of ``port``, such as ``wss://arena.example.org/play``; by default,
            the page uses its own host and ``port``.
        origins: origins of web pages that may connect, such as ``https://club.example.org``,
            besides those of the same host, if that is one of this server's (see ``hosts``). Who
            sends no origin, as most bots do, may always connect.
        hosts: names under which the page and the API are asked for, besides addresses, this
            machine's name, names without a dot, and the hosts of ``public_url`` and ``origins``.
            Requests for others are refused, since a page elsewhere may have its own name lead here
            (DNS rebinding); ``*`` allows all.
        health_port: port of the game server's own for ``/healthz``, ``/readyz`` and ``/metrics``,
            which viewers of the page can't keep busy; 0 for any free one, closed by default.
        health_host: address of that port; by default only this machine can connect.
        public_log: whether what the operator does is public: on the page ``/log``, in the API and
            over MQTT; without networks, tokens and the values of settings.
        status_token: the password of ``/status`` on that port, the organiser's page; by default
            only this machine is answered.
        store: path of the SQLite file, relative to the configuration's folder, or
            ``postgresql://…``, or ``:memory:``; by default, ``NAME.sqlite3`` in
            ``$XDG_STATE_HOME/mancala-arena``. In PostgreSQL each
            server has a schema of its own, named after it or by ``?schema=…``.
        rules: default rules of a match.
        clock: default time control of a match.
        guests: whether a bot without a token may log in.
        stage_names: whose games the home page and the stage name: ``known`` bots have a token or a
            rating, or are the organiser's or levels; ``all`` are guests, too.
        stage_words: names that contain one of these words, in capitals or not, are never named
            there, nor on the wall of a league.
        grace_s: how long the seat of a disconnected bot is kept; enough to restart a process.
        drain_s: how long running games may continue when the server shuts down.
        reconnect_after_s: when bots should reconnect after a restart.
        tls: the certificate for all ports.
        mqtt: where results are published.
        keep: how long games are kept.
        kgp: the gateway for clients of the Kalah Game Protocol.
        gateways: gateways that plug-ins add, each ``[gateways.NAME]`` one with keys of its own.
        play: opponents for people.
        ladder: the ladders, each ``[[ladder]]`` one.
        event: the events, each ``[[event]]`` one.
        reviewers: reviews of finished games.
        limits: what one connection, bot or match may take.
    """

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)] = "arena"
    host: str = "127.0.0.1"
    port: Port = 8765
    fronts: FrontCount = 0
    front_port: Port | None = None
    front_host: str = "127.0.0.1"
    front_tokens: Reloadable[dict[str, Annotated[str, Meta(min_length=SHORTEST_TOKEN)]]] = {}
    http_port: Port | None = None
    http_host: str = "127.0.0.1"
    web_feed: File | None = None
    ctl: File | None = None
    log_level: RenewsWeb[RenewsPublisher[LogLevel]] = "info"
    docs: str = "build/docs"
    public_url: RenewsWeb[str | None] = None
    origins: RenewsWeb[tuple[str, ...]] = ()
    hosts: RenewsWeb[tuple[str, ...]] = ()
    health_port: Port | None = None
    health_host: str = "127.0.0.1"
    public_log: Reloadable[bool] = False
    status_token: Annotated[str, Meta(min_length=SHORTEST_TOKEN)] | None = None
    store: str | None = None
    rules: Reloadable[str] = "kalah"
    clock: Reloadable[TimeControl] = TimeControl(move_ms=1000)
    guests: Reloadable[bool] = True
    stage_names: Reloadable[Literal["known", "all"]] = "known"
    stage_words: RenewsWeb[tuple[str, ...]] = ("fuck", "shit", "cunt", "nazi", "hitler")
    grace_s: Seconds = 30.0
    drain_s: Reloadable[Seconds] = 5.0
    reconnect_after_s: Reloadable[Seconds] = 1.0
    tls: Tls = Tls()
    mqtt: Mqtt = Mqtt()
    keep: Keep = Keep()
    kgp: Kgp = Kgp()
    gateways: dict[str, dict[str, Any]] = {}
    play: Play = Play()
    ladder: tuple[LadderSettings, ...] = ()
    event: tuple[EventSettings, ...] = ()
    reviewers: Reviewers = Reviewers()
    limits: Limits = Limits()

    @property
    def default_rules(self) -> Rules:
        return Rules.parse(self.rules)

    @property
    def gateway_tables(self) -> dict[str, Any]:
        """The tables of the gateways that are set, by name."""
        return {**self.gateways, **({"kgp": self.kgp} if self.kgp != Kgp() else {})}

    @property
    def house_names(self) -> frozenset[str]:
        levels = LEVEL_NAMES if self.play.levels else ()
        return frozenset((*levels, *(name for each in self.ladder for name in each.house)))

    @property
    def reviewer_names(self) -> tuple[str, ...]:
        return tuple(f"house-reviewer-{number}" for number in range(1, self.reviewers.house + 1))

    @property
    def own_names(self) -> frozenset[str]:
        """The names of all programs that the server runs: its bots and its reviewers."""
        return self.house_names.union(self.reviewer_names)

    @property
    def broker(self) -> Mqtt:
        """Where results are published, with the authority that the broker is checked against."""
        return msgspec.structs.replace(self.mqtt, ca=self.mqtt.ca or self.tls.ca)

    @property
    def topics(self) -> Topics:
        return Topics(self.mqtt.prefix) if self.mqtt.prefix else Topics.of_server(self.name)

    @property
    def store_path(self) -> str:
        """The store's path or URL: as configured, or under the user's state directory."""
        if self.store is not None and POSTGRESQL.match(self.store):
            return with_schema(self.store, self.name)
        return self.store or str(state_directory() / f"{self.name}.sqlite3")

    @property
    def ctl_path(self) -> str | None:
        """The control socket's path; None for a store in memory unless one is configured."""
        if self.ctl is not None or self.store == IN_MEMORY:
            return self.ctl
        if self.store is None or not POSTGRESQL.match(self.store):
            return f"{self.store_path}.ctl"
        key = hashlib.sha256(self.store_path.encode()).hexdigest()[:12]
        return str(state_directory() / f"{key}.ctl")

    @property
    def store_display(self) -> str:
        """The store's path or URL without the password."""
        return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:***@", self.store_path)


@dataclass(slots=True)
class LiveConfig:
    """The settings in force: rooms read ``now`` when they need it; a reload replaces it."""

    now: Config


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
