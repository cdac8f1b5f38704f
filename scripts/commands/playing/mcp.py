"""Play on a match server through the Model Context Protocol, over stdio."""

import asyncio
from contextlib import suppress
from typing import Annotated
from urllib.parse import urlsplit

import typer

from mancala.protocol.messages import Agent

from ...console import output as console
from ...console.seat import (
    AuthorityOption,
    NameOption,
    TokenOption,
    UrlArgument,
    check_server,
    name_or_new,
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(_mcp)


def _mcp(
    url: UrlArgument,
    *,
    page: Annotated[
        str | None,
        typer.Option(help="The server's page, for lists and reviews: http:// or https://."),
    ] = None,
    name: NameOption = None,
    token: TokenOption = None,
    _authority: AuthorityOption = None,
) -> None:
    """Offer tools to play on a match server to a client of the Model Context Protocol, on stdio."""
    from importlib.metadata import version

    from mancala.bot.mcp.tools import Destination, make_server

    check_server(url)
    if page is not None and urlsplit(page).scheme not in {"http", "https"}:
        console.fail(f"{page!r} is not the address of a page; it begins with http:// or https://")
    agent = Agent("mcp", version("mancala-arena"))
    server = make_server(Destination(url, page, name_or_new(name, "mcp"), token, agent))
    with suppress(KeyboardInterrupt):
        asyncio.run(server.run_stdio_async(show_banner=False, log_level="WARNING"))
