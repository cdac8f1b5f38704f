"""The ``mancala`` command: one module for each subcommand, registered here.

A command's module imports little at its head. The engine, the server and other large parts are
imported by the function that needs them, so that ``--help`` and usage errors answer quickly.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mancala.scripts.commands import (
    admin,
    analyst,
    analyze,
    archive,
    backup,
    bench,
    bot,
    check_bot,
    classics,
    course,
    demo,
    endgame,
    event,
    host,
    import_games,
    kgp,
    learn,
    levels,
    list_server,
    match,
    mcp,
    new,
    openings,
    perft,
    play,
    play_bots,
    players,
    prove,
    rate,
    review,
    reviewer,
    serve,
    solve,
    spec,
    store,
    token,
    tournament,
    tune,
    web,
)
from mancala.scripts.console import output as console
from mancala.scripts.console.interrupt import end_interrupted

COMMANDS = (
    *(demo, serve, web, admin, event, token, store, archive, backup),
    *(new, bot, list_server, check_bot, spec, kgp, mcp, play, play_bots, levels, analyst),
    *(perft, analyze, solve, prove, bench, endgame),
    *(host, course, match, tournament, rate, review, reviewer, import_games, openings),
    *(players, classics, learn, tune),
)


class _Group(TyperGroup):
    """The commands; one that has nothing to print at Ctrl-C ends here."""

    def make_context(self, info_name: Any, args: Any, *others: Any, **extra: Any) -> Any:  # noqa: ANN401  # by typer's version
        """Read the command line; ``--debug`` may stand anywhere in it."""
        args = [word for word in args if word != console.DEBUG]
        with _ended_at_ctrl_c(json="--json" in args):
            return super().make_context(info_name, args, *others, **extra)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  # by typer's version
        """Read the command line; numbers are written with the digits 0 to 9."""
        for word in args:
            _expect_plain_digits(word)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  # by typer's version
        """Run the command that the context names."""
        with _ended_at_ctrl_c(json="--json" in ctx.args):
            return super().invoke(ctx)


def _expect_plain_digits(word: str) -> None:
    """Refuse a number in digits of another script, which Python reads as well.

    Raises:
        typer.BadParameter: when a word is one.
    """
    value = word.partition("=")[2] if word.startswith("-") else word
    if not value.isascii() and value.strip("+-.").replace(".", "", 1).isdecimal():
        raise typer.BadParameter(f"{value!r} is no number: write it with the digits 0 to 9")


@contextmanager
def _ended_at_ctrl_c(*, json: bool) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        end_interrupted(json=json)


def build() -> typer.Typer:
    """Return the command line with every subcommand."""
    app = typer.Typer(
        cls=_Group,
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

        console.say(f"mancala {version('mancala-arena')}")
        raise typer.Exit


def _mancala(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    debug: Annotated[  # read where an error is printed
        bool, typer.Option(console.DEBUG, help="Print a traceback before an error's sentence.")
    ] = False,
) -> None:
    """Play, host and study games of mancala between programs."""


if __name__ == "__main__":
    main()
