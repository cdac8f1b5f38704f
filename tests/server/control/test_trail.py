"""Who did what, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from mancala.server.control.actions import UsageError
from tests.server.control.operators import order
from tests.server.peers import arena


async def test_the_trail_has_the_latest_first(tmp_path: Path) -> None:
    """As many lines as wanted; reading it leaves no line."""
    async with arena(tmp_path) as running:
        await order(running.server, "ban", name="eve", reason="she cheats", why="she cheats")
        await order(running.server, "notice", text="Hello.")
        await order(running.server, "log")
        lines = (await order(running.server, "log"))["log"]
        [last] = (await order(running.server, "log", last=1))["log"]
    assert [(line["number"], line["action"], line["by"]) for line in lines] == [
        (2, "notice", "root"),
        (1, "ban", "root"),
    ]
    assert lines[1]["why"] == "she cheats"
    assert lines[1]["arguments"]["name"] == "eve"
    assert last == lines[0]


async def test_no_line_is_no_number_of_lines(tmp_path: Path) -> None:
    """The bounds are named."""
    async with arena(tmp_path) as running:
        with pytest.raises(UsageError, match=r"log: .*>= 1.*last"):
            await order(running.server, "log", last=0)
