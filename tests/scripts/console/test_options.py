"""Options that many commands have."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from mancala.protocol.rules import Rules
from mancala.scripts.console import output as console
from mancala.scripts.console.options import rules_of, spread_options


def test_rules_are_a_preset_with_changes() -> None:
    """As the rules themselves read them."""
    assert rules_of("kalah:pits=4,seeds=3") == Rules(pits=4, seeds=3)


def test_rules_that_do_not_exist_are_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 2 and says what there is instead."""
    with pytest.raises(typer.Exit) as ended:
        rules_of("chess")
    assert ended.value.exit_code == console.USAGE
    assert "known: kalah" in capsys.readouterr().err


@dataclass(frozen=True)
class MadeUpLimits:
    """A group of options."""

    depth: Annotated[int, typer.Option("--depth", min=1)] = 4
    nodes: Annotated[int | None, typer.Option("--nodes")] = None


def search(board: str, *, limits: MadeUpLimits, fast: bool = False) -> None:
    """Search a board."""
    typer.echo(f"{board} {limits} {fast}")


def test_a_group_of_options_is_written_once() -> None:
    """Its options appear as if the command had named them, and reach it as one object."""
    app = typer.Typer()
    app.command()(spread_options(search))
    run = CliRunner().invoke(app, ["start", "--nodes", "7", "--fast"])
    assert run.stdout == "start MadeUpLimits(depth=4, nodes=7) True\n"
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert "Search a board." in shown
    assert "--depth" in shown
    assert "--limits" not in shown
