"""``mancala serve``: the match server."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...console import output as console
from ...console.options import JsonOption
from ...console.store import failing
from ...console.surroundings import allow_many_connections

if TYPE_CHECKING:
    from mancala.server.app.server import Server
    from mancala.server.config.settings import Config
    from mancala.server.health.log import Log


def command(
    *,
    config: Annotated[
        Path | None,
        typer.Option(help="Settings, a TOML file; every setting has a default."),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 for a free one.")
    ] = None,
    http_port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Port of the web page and the API; 0 for a free one."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help="Where games and results are kept: a SQLite file or a postgresql:// URL."
        ),
    ] = None,
    ladder: Annotated[
        str | None,
        typer.Option(help="Open a ladder of this name, with defaults, if the file has none."),
    ] = None,
    mqtt: Annotated[
        str | None, typer.Option(help="URL of the MQTT broker: mqtt:// or mqtts://.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info or warning.")] = None,
    standby: Annotated[
        bool,
        typer.Option("--standby", help="While another server has the store, wait, and take over."),
    ] = False,
    check_config: Annotated[
        bool, typer.Option("--check-config", help="Check the settings and exit.")
    ] = False,
    connect: Annotated[
        bool,
        typer.Option("--connect", help="With --check-config, all that 'mancala doctor' looks at."),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Run the match server.

    SIGHUP reloads the settings; SIGTERM finishes running games, then ends the server. With
    --standby, a second server takes over when the first one ends, however it does.
    """
    given = {"host": host, "port": port, "http_port": http_port, "store": store}
    read = partial(_read, config, {**given, "log_level": log_level}, ladder=ladder, mqtt=mqtt)
    settings = _checked(read, apart=not check_config, may_wait=standby)
    if check_config and connect:
        from ...console.doctor import examine, report

        report(examine(settings, config), json=json)
    elif check_config:
        console.show(
            {"ok": True, "server": settings.name, "store": settings.store_display},
            f"{settings.name}: these settings can be used",
            json=json,
        )
    else:
        _serve(settings, read, _print_json if json else _print_text, config, standby=standby)


def _checked(read: Callable[[], Config], *, apart: bool, may_wait: bool = False) -> Config:
    """Return the settings, checked against the machine; programs of the house apart if wanted."""
    from mancala.server.app.config_check import check, check_events
    from mancala.server.health.log import StructuredLog
    from mancala.server.store.database.database import expect_unclaimed, is_postgresql
    from mancala.server.store.database.faults import StoreInUseError

    from ...console.processes.house import check_house, check_house_apart

    with failing():
        settings = read()
        check(settings)
        if not apart:
            check_events(settings)
        else:  # before the players of the house are tried, which takes a while
            with failing(console.FAILED):
                try:
                    expect_unclaimed(settings.store_path)
                except StoreInUseError as error:
                    if not (may_wait or is_postgresql(settings.store_path)):
                        raise
                    if not may_wait:
                        console.say(f"{error}; waiting some seconds for its end", err=True)
            if any(ladder.house for ladder in settings.ladder):
                log = StructuredLog(sys.stderr, settings.log_level)
                log.info("trying the players of the house")
        (check_house_apart if apart else check_house)(settings)
        return settings


def _serve(
    settings: Config,
    read: Callable[..., Config],
    ready: Callable[[Server], None],
    path: Path | None,
    *,
    standby: bool,
) -> None:
    from mancala.server.app.config_check import check_anchors
    from mancala.server.app.serving import serve
    from mancala.server.config.loading import expect_regular
    from mancala.server.health.log import StructuredLog
    from mancala.server.net.event_loop import run

    from ...console.processes.house import house

    def again() -> Config:
        config = read(is_running=True)
        tls, mqtt = config.tls, config.broker
        for file in filter(None, (tls.cert, tls.key, mqtt.ca, mqtt.cert, mqtt.key)):
            expect_regular(Path(file))
        check_anchors(config, settings.store_path)
        return config

    def adopt(config: Config) -> None:
        log.set_level(config.log_level)

    def started(server: Server) -> None:
        adopt(server.config)
        server.noticed = tuple(_noticed(path, server.config, log))
        ready(server)
        notify()

    @cache  # one that stood by has done so
    def notify() -> None:
        if address := os.environ.get("NOTIFY_SOCKET"):
            _notify_unit(address, log)

    def beside(server: Server) -> AbstractAsyncContextManager[object]:
        return house(server, log=server.target.context.log)  # whose warnings are counted

    with failing(console.FAILED):
        allow_many_connections()
        log = StructuredLog(sys.stderr, settings.log_level)
        runs = partial(serve, log=log, ready=started, again=again, beside=beside, on_reload=adopt)
        run(runs(settings, standing_by=notify if standby else None))


def _notify_unit(address: str, log: Log, *, was_heard: bool = True) -> None:
    """Let ``systemctl start`` return, and its watchdog know that the loop turns (sd_notify(3)).

    What keeps it from being heard is logged once, until it is heard again.
    """
    is_heard = True
    place = f"\0{address[1:]}" if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as unit:
            unit.sendto(b"READY=1\nWATCHDOG=1", place)
    except OSError as error:
        is_heard, why = False, console.described(error)
        if was_heard:
            log.warning("systemd does not hear that the server is up", address=address, error=why)
    if within := os.environ.get("WATCHDOG_USEC"):
        again = partial(_notify_unit, address, log, was_heard=is_heard)
        asyncio.get_running_loop().call_later(int(within) / 3e6, again)


def _noticed(path: Path | None, settings: Config, log: Log) -> Iterator[str]:
    """Note beside the settings where the server lies; yield what `doctor` would say of it."""
    from mancala.server.config.place import lines_of, note_place
    from mancala.server.config.settings import ConfigError

    from ...console.doctor import environment, place

    checks = [environment(os.environ)]
    try:
        if path is not None:
            note_place(path, settings)
    except ConfigError as error:  # the file has changed since it was taken up
        yield str(error)
    except OSError as error:
        checks.append(place(settings, path))
        log.warning(
            "commands in another shell do not find this server",
            error=f"{error.filename}: {(error.strerror or '').lower()}",
            advice=f"add to {path}: {lines_of(settings)}",
        )
    yield from (each.sentence for each in checks if not each.ok)


def _read(
    path: Path | None,
    given: Mapping[str, object],
    *,
    ladder: str | None = None,
    mqtt: str | None = None,
    is_running: bool = False,
) -> Config:
    from msgspec.structs import replace

    from mancala.server.config.checks import checked
    from mancala.server.config.ladders import LadderSettings
    from mancala.server.config.loading import load
    from mancala.server.config.settings import Config

    config = load(path, is_running=is_running) if path is not None else Config()
    config = replace(config, **{key: value for key, value in given.items() if value is not None})
    if ladder is not None and all(ladder != each.name for each in config.ladder):
        config = replace(config, ladder=(*config.ladder, LadderSettings(name=ladder)))
    if mqtt is not None:
        config = replace(config, mqtt=replace(config.mqtt, url=mqtt))
    return checked(config)


def _print_json(server: Server) -> None:
    gateways = {name: each.urls for name, each in server.gateways.items()}
    console.emit(
        {
            "server": server.config.name,
            "url": server.url,
            "front": server.front_url,
            "http": server.http_url,
            "health": server.health_url,
            "kgp": gateways.pop("kgp", ()),
            "gateways": gateways,
            "mqtt": server.mqtt_url,
            "prefix": server.config.topics.prefix,
        }
    )


def _print_text(server: Server) -> None:
    from mancala.server.net.gateways import GATEWAYS

    console.say(f"bots and spectators: {server.url}")
    if server.front_url is not None:
        console.say(f"fronts elsewhere:    {server.front_url}")
    apart = server.config.web_feed is not None
    without = "'mancala web' serves them" if apart else "off; --http-port opens them"
    console.say(f"page and API:        {server.http_url or without}")
    for name, gateway in server.gateways.items():
        console.say(f"{f'{GATEWAYS[name].title}:':<20} {', '.join(gateway.urls)}")
    console.say(f"results over MQTT:   {server.mqtt_url or 'no broker; they wait in the store'}")
