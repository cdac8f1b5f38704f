"""The command reference, written from commands."""

from typing import Annotated

import typer
from typer.core import TyperGroup

from docs.command_reference import markdown
from mancala.scripts import mancala


def test_every_command_is_described() -> None:
    """Each command and each subcommand has a heading."""
    app = mancala.build()
    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    written = markdown(app)
    for name, command in root.commands.items():
        assert f"\n## `mancala {name}`\n" in written
        for below in command.commands if isinstance(command, TyperGroup) else ():
            assert f"\n### `mancala {name} {below}`\n" in written


def test_an_options_row_holds_its_meaning_default_and_range() -> None:
    """An option's row says what `--help` says, with Markdown's own characters escaped."""
    app = typer.Typer()
    app.callback()(_top)
    app.command("match")(_match)
    row = r"| `--games <int range>` | In \*pairs\*.  \[default: 100; 1\<=x\<=1000\] |"
    assert row in markdown(app).splitlines()


def _top() -> None:
    """Play."""


def _match(
    *, games: Annotated[int, typer.Option(min=1, max=1000, help="In *pairs*.")] = 100
) -> None:
    """Play a match."""
