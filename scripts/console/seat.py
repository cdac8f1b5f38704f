"""What a command says about its seat on a match server: address, name, token, authority."""

import os
import secrets
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from . import output as console

T = TypeVar("T")

UrlArgument = Annotated[
    str, typer.Argument(metavar="URL", help="The server's address: ws:// or wss://.")
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", help="Name on the server; a restarted bot resumes its games by it."),
]
TokenOption = Annotated[
    str | None, typer.Option("--token", envvar="MANCALA_TOKEN", help="Token of a reserved name.")
]


def trust(authority: Path | None) -> Path | None:
    """Check certificates of servers against an authority from now on, in children as well."""
    import ssl

    if authority is None:
        return None
    try:
        ssl.create_default_context(cafile=authority)
    except OSError as error:  # what SSL refuses is one as well
        raise typer.BadParameter(f"{authority}: no usable certificates: {error}") from None
    os.environ["SSL_CERT_FILE"] = str(authority.absolute())  # what the ssl module reads
    return authority


AuthorityOption = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        envvar="SSL_CERT_FILE",
        metavar="FILE",
        callback=trust,
        help="PEM file with the certificates of the authority that a wss:// or https:// server's"
        " is checked against. Default: the system's.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatOptions:
    """Options: as whom a command connects, and whom it believes to be the server."""

    name: NameOption = None
    token: TokenOption = None
    authority: AuthorityOption = None

    def name_at(self, url: str, kind: str) -> str:
        """Return the name, or a new one of its kind, once the server's address is checked."""
        check_server(url)
        return name_or_new(self.name, kind)


def played(work: Coroutine[Any, Any, T]) -> T:
    """Return what a client's work on a server comes to; exit with code 1 when that fails."""
    import asyncio

    from mancala.bot.client.errors import ClientError

    with console.failing_on(ClientError):
        return asyncio.run(work)


def check_server(url: str) -> None:
    """Check that an address is a match server's; exit with code 2 when it is not."""
    from mancala.bot.client.reconnect import problem_of_address

    if (problem := problem_of_address(url)) is not None:
        console.fail(problem)


def name_or_new(name: str | None, kind: str) -> str:
    """Return a bot's name; without one, a new one of its kind."""
    name = name or f"{kind}-{secrets.token_hex(3)}"
    expect_name(name)
    return name


def expect_name(name: str) -> None:
    """Check that a server would take a bot's name; exit with code 2 when it would not."""
    from mancala.protocol.messages import problem_of_name

    if (problem := problem_of_name(name)) is not None:
        console.fail(problem)
