"""The ``mancala`` command: one module a group of commands, registered here.

A group's module imports at its head only what costs little; the engine, the server and their
compiled or large parts are imported by the command that needs them, so that ``--help`` and a
usage error answer at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.commands import analyze as analysis
from scripts.commands import (
    backup,
    classics,
    demo,
    kgp,
    match,
    openings,
    play,
    review,
    serve,
    tournament,
    tune,
)
from scripts.commands import bot as bot_command
from scripts.commands import token as tokens

GROUPS = (
    demo,
    serve,
    tokens,
    backup,
    bot_command,
    kgp,
    play,
    analysis,
    match,
    tournament,
    review,
    openings,
    classics,
    tune,
)


def build() -> typer.Typer:
    """Put the commands together."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_mancala)
    for group in GROUPS:
        group.register(app)
    return app


def main() -> None:
    """Run the command line; the entry point."""
    build()(prog_name="mancala")


def _print_version(asked: bool) -> None:  # noqa: FBT001  # typer hands an option's value over so
    if asked:
        from importlib.metadata import version

        typer.echo(f"mancala {version('mancala-arena')}")
        raise typer.Exit


def _mancala(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Play, host and study games of mancala between programs."""


if __name__ == "__main__":
    main()
