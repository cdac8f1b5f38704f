"""What ``mancala admin`` prints for people."""

from __future__ import annotations

import pytest

from mancala.scripts.commands.hosting.admin import say_check, say_reload


def test_what_waits_for_a_restart_says_what_else_it_can_wait_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A ladder's clock and rules are taken up by a running server as well."""
    keys = ["ladder main.clock", "ladder main.rules", "port"]
    say_reload({"changed": [], "dry_run": False, "wait_for_restart": keys})
    assert capsys.readouterr().out.splitlines() == [
        "nothing to change",
        "waits for a restart, a new season or --same-season: ladder main.clock",
        "waits for a restart or a new season: ladder main.rules",
        "waits for a restart: port",
    ]


def test_one_row_differs_and_two_rows_differ(capsys: pytest.CaptureFixture[str]) -> None:
    """The verb bends, too."""
    for count in (1, 2):
        say_check({"equal": False, "differences": [], "count": count})
    assert capsys.readouterr().out.splitlines() == [
        "1 row differs from the games",
        "2 rows differ from the games",
    ]
