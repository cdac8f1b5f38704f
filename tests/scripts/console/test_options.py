"""Options that many commands have."""

from __future__ import annotations

import pytest
import typer

from protocol.rules import Rules
from scripts.console import output as console
from scripts.console.options import rules_of


def test_rules_are_a_preset_with_changes() -> None:
    """As the rules themselves read them."""
    assert rules_of("kalah:pits=4,seeds=3") == Rules(pits=4, seeds=3)


def test_rules_that_do_not_exist_are_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 2 and says what there is instead."""
    with pytest.raises(typer.Exit) as ended:
        rules_of("chess")
    assert ended.value.exit_code == console.USAGE
    assert "known: kalah" in capsys.readouterr().err
