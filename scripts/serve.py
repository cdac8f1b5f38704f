"""``mancala serve``: the match server, until it is told to stop."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scripts import console

if TYPE_CHECKING:
    from server.app import Server
    from server.config import Config


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(_command)


def _command(
    *,
    config: Annotated[
        Path | None, typer.Option("--config", help="Settings, as TOML; all have defaults.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 for a free one.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="File that keeps games and results.")] = None,
    mqtt: Annotated[str | None, typer.Option(help="The broker: mqtt:// or mqtts://.")] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Tell where it listens as one JSON object.")
    ] = False,
) -> None:
    """Run the match server."""
    settings = _settings(config, host=host, port=port, store=store, mqtt=mqtt)
    try:
        asyncio.run(_serve(settings, json=json))
    except OSError as error:
        console.fail(str(error), code=console.FAILED)


def _settings(
    path: Path | None,
    *,
    host: str | None,
    port: int | None,
    store: str | None,
    mqtt: str | None,
) -> Config:
    from msgspec.structs import replace

    from server.config import Config, ConfigError, checked, load

    try:
        config = load(path) if path is not None else Config()
        given = {"host": host, "port": port, "store": store}
        config = replace(
            config, **{key: value for key, value in given.items() if value is not None}
        )
        if mqtt is not None:
            config = replace(config, mqtt=replace(config.mqtt, url=mqtt))
        return checked(config)
    except ConfigError as wrong:
        console.fail(str(wrong))


async def _serve(config: Config, *, json: bool) -> None:
    from server.app import Server

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with Server(config) as server:
        if json:
            console.emit(_whereabouts(server))
        else:
            typer.echo(f"bots and spectators: {server.url}")
            typer.echo(f"results over MQTT:   {server.mqtt_url or 'nowhere yet'}")
        await stop.wait()


def _whereabouts(server: Server) -> dict[str, str | None]:
    return {
        "server": server.config.name,
        "url": server.url,
        "mqtt": server.mqtt_url,
        "prefix": server.config.topics.prefix,
    }
