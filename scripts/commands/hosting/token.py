"""``mancala token``: the credentials of bots on a server, whether or not it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ...console import output as console
from ...console.options import JsonOption
from ...console.seat import expect_name
from ...console.store import ConfigOption, StoreOption, failing, store_of

if TYPE_CHECKING:
    from mancala.server.store.database.writer import Transaction

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
    submitter: Annotated[
        bool,
        typer.Option(
            "--submitter",
            help="Its holder may submit events played elsewhere (tournament and match --publish).",
        ),
    ] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Reserve a name and print its token.

    The token is shown only now. A former token of the name becomes void.
    """
    from mancala.server.app.system import utc
    from mancala.server.model.credentials import Rights
    from mancala.server.store.rows.tokens import issue

    expect_name(name)
    with _token_admin(config, store, "BESIDE") as transaction:
        token = issue(transaction, name, utc(), Rights(reviewer, submitter))
    if json:
        console.emit({"name": name, "token": token})
    else:
        console.say(token)
        console.say(
            f"mancala: the token of {name}; only its hash is kept, so it cannot be shown again",
            err=True,
        )


def _list(
    *, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List the names that have a token."""
    from mancala.server.store.rows.tokens import issued

    with _token_admin(config, store, "READ") as transaction:
        found = issued(transaction)
    if json:
        console.emit({"tokens": [credential._asdict() for credential in found]})
        return
    for each in found:
        state = f"revoked {each.revoked_at}" if each.revoked_at is not None else "good"
        state += "\treviewer" if each.is_reviewer else ""
        state += "\tsubmitter" if each.is_submitter else ""
        console.say(f"{each.name}\t{each.created_at}\t{state}")


def _revoke(
    *, name: Name, config: ConfigOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Revoke a name's token.

    The name stays reserved; its bot is disconnected.
    """
    from mancala.server.app.system import utc
    from mancala.server.store.rows.tokens import revoke

    with _token_admin(config, store, "BESIDE") as transaction:
        was_good = revoke(transaction, name, utc())
    if not was_good:
        console.fail(f"{name} has no valid token", code=console.FAILED)
    console.show({"name": name, "revoked": True}, f"the token of {name} is void", json=json)


@contextmanager
def _token_admin(
    config: Path | None, store: str | None, access: Literal["BESIDE", "READ"]
) -> Iterator[Transaction]:
    from mancala.server.store.database.database import Access
    from mancala.server.store.rows.tokens import token_admin

    with failing(), token_admin(store_of(config, store), Access[access]) as transaction:
        yield transaction
