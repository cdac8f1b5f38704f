"""``mancala web``: the page and the API of a match server, in a process of its own."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...console import output as console
from ...console.options import JsonOption
from ...console.store import config_of, failing
from ...console.surroundings import allow_many_connections


def command(
    *,
    config: Annotated[Path, typer.Option(help="The match server's settings, a TOML file.")],
    json: JsonOption = False,
) -> None:
    """Serve the page and the API beside a match server.

    'mancala serve' does this by itself unless its settings name a web_feed: the socket over which
    this process asks the match server what is going on. Games that are over come from the store,
    also while the match server restarts. SIGTERM ends it.
    """
    from mancala.server.health.log import StructuredLog
    from mancala.server.web.standalone import serve_alone

    def ready(url: str) -> None:
        console.show({"http": url}, f"page and API:        {url}", json=json)

    with failing(console.FAILED):
        allow_many_connections()
        settings = config_of(config)
        log = StructuredLog(sys.stderr, settings.log_level)
        asyncio.run(serve_alone(settings, log, ready))
