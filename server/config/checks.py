"""Checks of settings against one another; what one of them may be stands in its type."""

import re
from collections.abc import Iterator
from ipaddress import ip_network
from itertools import combinations
from typing import Final
from urllib.parse import urlsplit

import msgspec

from mancala.protocol.rules import InvalidPositionError
from mancala.protocol.text import find_control

from .events import EventSettings, problem_of_place
from .keys import located
from .ladders import LadderSettings
from .settings import IN_MEMORY, LEVEL_NAMES, POSTGRESQL, Config, ConfigError

PUBLIC_URL: Final = re.compile(r"wss?://[A-Za-z0-9.\[\]:-]+(/[A-Za-z0-9._~/%-]*)?")
"""Strict, since it is copied into the page's Content-Security-Policy."""

ORIGIN: Final = re.compile(r"https?://[a-z0-9.\[\]:-]+")
"""The form that browsers send: lower case, no path, no default port."""

SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "::1"})
ANY_HOST: Final = frozenset({"", "*", "0.0.0.0", "::"})  # noqa: S104  # to compare with


def checked(config: Config) -> Config:
    """Return the configuration; ConfigError names the key of a value that is invalid."""
    plain = msgspec.to_builtins(config)
    try:
        msgspec.convert(plain, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(located(error)) from None
    finding = find_control(plain, "")
    if finding is not None:
        raise ConfigError(str(finding).removeprefix("."))
    for problem in _problems(config):
        raise ConfigError(problem)
    return config


def _problems(config: Config) -> Iterator[str]:
    yield from _problems_of_names(config)
    yield from _problems_of_addresses(config)
    yield from _problems_of_ports(config)
    yield from _problems_of_the_broker(config)
    for key in ("exempt", "proxies"):
        try:
            tuple(map(ip_network, getattr(config.limits, key)))
        except ValueError as error:
            yield f"limits.{key}: {error}"
    if config.reviewers.house and not config.reviewers.queue:
        yield "reviewers.queue: house reviewers need games; must be more than 0"
    yield from _problems_of_games(config)
    for key, problem in problems_of_kgp(config):
        yield f"kgp.{key}: {problem}"
    yield from _problems_of_the_house(config)


def _problems_of_names(config: Config) -> Iterator[str]:
    if "/" in config.name:
        yield f"name: must not contain '/', since it names a file and a topic, not {config.name!r}"
    try:
        _ = config.default_rules
    except InvalidPositionError as error:
        yield f"rules: {error}"
    scheme = SCHEME.match(config.store or "")
    if scheme is not None and POSTGRESQL.match(config.store or "") is None:
        yield f"store: must be a path, postgresql://… or {IN_MEMORY}, not {scheme[1]}://…"
    if config.web_feed is not None and config.store == IN_MEMORY:
        yield "store: another process can't read a store in memory; see web_feed"


def _problems_of_addresses(config: Config) -> Iterator[str]:
    if not PUBLIC_URL.fullmatch(config.public_url or "ws://localhost"):
        yield f"public_url: must be ws://… or wss://…, not {config.public_url!r}"
    for origin in config.origins:
        if not ORIGIN.fullmatch(origin):
            yield f"origins: must be http://HOST or https://HOST, not {origin!r}"
    for section in ("tls", "mqtt"):
        named = getattr(config, section)
        if named.key is not None and named.cert is None:
            yield f"{section}.key: a key needs its certificate, {section}.cert"


def ports_of(config: Config) -> tuple[tuple[str, str, int | None], ...]:
    """Return the key of each port of a server, its host, and its number if there is one."""
    return (
        ("port", config.host, config.port),
        ("front_port", config.front_host, config.front_port),
        ("http_port", config.http_host, config.http_port),
        ("health_port", config.health_host, config.health_port),
        ("kgp.tcp_port", config.host, config.kgp.tcp_port),
        ("kgp.ws_port", config.host, config.kgp.ws_port),
    )


def opened_ports(config: Config) -> Iterator[tuple[str, str, int]]:
    """Yield those of `ports_of` that the server itself opens: `mancala web` opens the page's."""
    for key, host, port in ports_of(config):
        if port is not None and (key != "http_port" or config.web_feed is None):
            yield key, host, port


def _problems_of_ports(config: Config) -> Iterator[str]:
    pairs = combinations(ports_of(config), 2)
    for (other, other_host, other_port), (key, host, port) in pairs:
        if port and port == other_port and (host == other_host or ANY_HOST & {host, other_host}):
            yield f"{key}: {port} is the port of {other} already"
    if config.front_port is not None and not config.front_tokens:
        yield "front_tokens: each front that comes to front_port needs one"
    if len(set(config.front_tokens.values())) < len(config.front_tokens):
        yield "front_tokens: each front needs a token of its own"
    is_safe = config.front_host in THIS_MACHINE or config.tls.cert is not None
    if config.front_port is not None and not is_safe:
        yield "front_port: on the way to other machines it needs a certificate, tls.cert"


def _problems_of_the_broker(config: Config) -> Iterator[str]:
    try:
        _ = config.topics
    except ValueError as error:
        yield f"mqtt.prefix: {error}"
    try:
        parts = urlsplit(config.mqtt.url or "")
    except ValueError as error:
        yield f"mqtt.url: {error}"
        return
    if not (config.mqtt.user or parts.username):
        if config.mqtt.password is not None:
            yield "mqtt.password: a password needs its user, mqtt.user"
        if parts.password:
            yield "mqtt.url: a password needs its user, mqtt://USER:PASSWORD@HOST"


def _by_kind(config: Config) -> dict[str, tuple[LadderSettings | EventSettings, ...]]:
    return {"ladder": config.ladder, "event": config.event}


def _problems_of_games(config: Config) -> Iterator[str]:
    """Yield what is wrong with ladders and events, and names that two of a kind have."""
    for kind, tables in _by_kind(config).items():
        names: set[str] = set()
        for place, table in enumerate(tables):
            if isinstance(table, EventSettings):
                problem = problem_of_event(table, config)
                problem = problem or problem_of_place(table, config.event[:place])
            else:
                problem = table.problem()
            if problem is not None:
                yield f"{kind}[{place}].{problem}"
            if table.name in names:
                yield f"{kind}[{place}].name: there are two {kind}s named {table.name}"
            names.add(table.name)


def problem_of_event(event: EventSettings, config: Config) -> str | None:
    """Return the first invalid key of an event and the reason; None when all are valid."""
    if problem := event.problem():
        return problem
    ladders = {each.name: each for each in config.ladder}
    for key in ("rated", "rating_in"):
        if (name := getattr(event, key)) is not None and name not in ladders:
            return f"{key}: there is no ladder {name}; there are: {', '.join(ladders) or 'none'}"
    ladder = ladders.get(event.rated or "")
    if ladder is not None and ladder.parsed_rules != event.parsed_rules:
        return f"rated: the ladder {ladder.name} has the rules {ladder.rules}, not {event.rules}"
    return None


def problems_of_kgp(config: Config) -> Iterator[tuple[str, str]]:
    """Yield what the gateway names and can't use: the key in its table, and why."""
    for kind, known in _by_kind(config).items():
        wanted = getattr(config.kgp, kind)
        found = next((each for each in known if each.name == wanted), None)
        if wanted is not None and found is None:
            yield kind, f"there is no {kind} {wanted}"
        elif isinstance(found, LadderSettings) and found.requests:
            yield kind, f"the ladder {wanted} is for requests, so no client can join it"
        elif found is not None and not found.parsed_rules.is_kalah:
            yield kind, f"clients know the rules kalah only, not {found.rules}"
        elif isinstance(found, EventSettings) and found.password:
            yield kind, f"clients have no way to say the password of {wanted}"


def _problems_of_the_house(config: Config) -> Iterator[str]:
    """Yield names that two bots of the house have: each would void the other's token."""
    users = dict.fromkeys(config.reviewer_names, "reviewers.house")
    if config.play.levels:
        users |= dict.fromkeys(LEVEL_NAMES, "play.levels")
    for place, ladder in enumerate(config.ladder):
        for name in ladder.house:
            key = f"ladder[{place}].house"
            if name in users:
                yield f"{key}.{name}: {users[name]} has a bot of that name already"
            users[name] = key
