"""``mancala token``: the credentials of bots on a server, whether or not it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from scripts.console import output as console
from scripts.console.options import JsonOption
from scripts.console.store import ConfigOption, StoreOption, store_of

if TYPE_CHECKING:
    from server.store.tokens import TokenAdmin

Name = Annotated[str, typer.Argument(help="The bot's name.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    tokens = typer.Typer(no_args_is_help=True)
    tokens.command("new")(_new)
    tokens.command("list")(_list)
    tokens.command("revoke")(_revoke)
    app.add_typer(tokens, name="token", help="Issue, list and revoke bots' tokens on a server.")


def _new(
    *,
    name: Name,
    reviewer: Annotated[
        bool, typer.Option("--reviewer", help="Its holder may review games (mancala reviewer).")
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Reserve a name and print its token.

    The token is shown only now. A former token of the name becomes void.
    """
    bot = _checked(name)
    with _desk(config, store, "OWN") as desk:
        token = desk.issue(bot, is_reviewer=reviewer)
    if json:
        console.emit({"name": name, "token": token})
    else:
        typer.echo(token)
        typer.echo(
            f"mancala: the token of {name}; only its hash is kept, so it cannot be shown again",
            err=True,
        )


def _list(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List the names that have a token."""
    with _desk(config, store, "READ") as desk:
        found = desk.issued()
    if json:
        console.emit({"tokens": [credential._asdict() for credential in found]})
        return
    for name, created_at, revoked_at, is_reviewer in found:
        state = f"revoked {revoked_at}" if revoked_at is not None else "good"
        state += "\treviewer" if is_reviewer else ""
        typer.echo(f"{name}\t{created_at}\t{state}")


def _revoke(
    *, name: Name, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Revoke a name's token.

    The name stays reserved; its bot is disconnected.
    """
    with _desk(config, store, "BESIDE") as desk:
        was_good = desk.revoke(name)
    if not was_good:
        console.fail(f"{name} has no valid token", code=console.FAILED)
    if json:
        console.emit({"name": name, "revoked": True})
    else:
        typer.echo(f"the token of {name} is void")


@contextmanager
def _desk(
    config: Path | None, store: str | None, access: Literal["OWN", "BESIDE", "READ"]
) -> Iterator[TokenAdmin]:
    from server.store import StoreError
    from server.store.database import Access, StoreMissingError
    from server.store.tokens import token_admin
    from server.system import utc

    try:
        with token_admin(store_of(config, store), utc, Access[access]) as desk:
            yield desk
    except StoreMissingError as error:
        console.fail(error)
    except StoreError as error:
        console.fail(error, code=console.FAILED)


def _checked(name: str) -> str:
    import msgspec

    from protocol.messages import Name as BotName

    try:
        return msgspec.convert(name, BotName)
    except msgspec.ValidationError:
        console.fail(f"{name!r} cannot be a name: use at most 48 letters, digits and _.@+-")
