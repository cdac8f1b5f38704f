"""Play on a match server through the Model Context Protocol, over stdio."""

import asyncio
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlsplit

import typer

from mancala.protocol.messages import Agent

from ...console import output as console
from ...console.options import spread_options
from ...console.seat import SeatOptions, UrlArgument


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(spread_options(_mcp))


def _mcp(
    url: UrlArgument,
    *,
    page: Annotated[
        str | None,
        typer.Option(help="The server's page, for lists and reviews: http:// or https://."),
    ] = None,
    seat: SeatOptions,
) -> None:
    """Offer tools to play on a match server to a client of the Model Context Protocol, on stdio."""
    from importlib.metadata import version

    from mancala.bot.mcp.tools import Destination, make_server

    name = seat.name_at(url, "mcp")
    if page is not None and urlsplit(page).scheme not in {"http", "https"}:
        console.fail(f"{page!r} is not the address of a page; it begins with http:// or https://")
    agent = Agent("mcp", version("mancala-arena"))
    server = make_server(Destination(url, page, name, seat.token, agent))
    with suppress(KeyboardInterrupt):
        asyncio.run(server.run_stdio_async(show_banner=False, log_level="WARNING"))
