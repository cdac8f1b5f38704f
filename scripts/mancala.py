"""The ``mancala`` command: one module for each subcommand, registered here.

A command's module imports little at its head. The engine, the server and other large parts are
imported by the function that needs them, so that ``--help`` and usage errors answer quickly.
"""

from __future__ import annotations

from typing import Annotated

import typer

from scripts.commands import (
    analyze,
    backup,
    bench,
    bot,
    classics,
    demo,
    endgame,
    import_games,
    kgp,
    learn,
    match,
    new,
    openings,
    perft,
    play,
    players,
    review,
    serve,
    solve,
    token,
    tournament,
    tune,
    web,
)

COMMANDS = (
    *(demo, serve, web, token, backup, new, bot, kgp, play),
    *(perft, analyze, solve, bench, endgame),
    *(match, tournament, review, import_games, openings, players, classics, learn, tune),
)


def build() -> typer.Typer:
    """Return the command line with every subcommand."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_mancala)
    for command in COMMANDS:
        command.register(app)
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
