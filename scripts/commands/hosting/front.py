"""``mancala front``: the bots' port of a match server, on another machine."""

import random
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import AuthorityOption
from ...console.store import failing
from ...console.surroundings import allow_many_connections


def command(
    servers: Annotated[
        list[str],
        typer.Argument(
            metavar="SERVER...",
            help="The front_port of each server that may serve: tls://HOST:PORT.",
        ),
    ],
    *,
    token: Annotated[
        str, typer.Option(envvar="MANCALA_TOKEN", help="This front's token in front_tokens.")
    ],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the bots; 0 for a free one.")
    ] = 8765,
    cert: Annotated[
        Path | None, typer.Option(help="PEM file with the certificate of this port.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="PEM file with its key; default: in --cert.")
    ] = None,
    _authority: AuthorityOption = None,
    json: JsonOption = False,
) -> None:
    """Hold the sockets of bots for a match server on another machine.

    Bots that come here play on the server. When that ends, they are asked to reconnect, and this
    port is closed until a server has taken this front again. SIGHUP has it take
    up a renewed certificate, SIGTERM ends it.
    """
    from mancala.server.config.checks import checked
    from mancala.server.config.settings import Config, Tls
    from mancala.server.fronts.front import FrontRefusedError, RemoteFront, ServerAddress, serve
    from mancala.server.health.log import StructuredLog
    from mancala.server.net.event_loop import run

    def ready(url: str) -> None:
        console.show({"url": url}, f"bots and spectators: {url}", json=json)

    with failing(console.FAILED):
        allow_many_connections()
        tls = Tls(cert=str(cert) if cert else None, key=str(key) if key else None)
        config = checked(Config(host=host, port=port, tls=tls))
        known = [ServerAddress.parse(each) for each in servers]
        log = StructuredLog(sys.stderr, "info")
        uniform = random.SystemRandom().uniform
        front = RemoteFront(config, known, token, log=log, ready=ready, uniform=uniform)
        with console.failing_on(FrontRefusedError):
            run(serve(front, log))
