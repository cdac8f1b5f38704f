"""What a host keeps of a hand-in."""

from __future__ import annotations

import os
from pathlib import Path

from mancala.scripts.hosting.shelf import ARRIVALS, MOST_ARRIVALS, HostedVersion, Shelf


def _built(shelf: Shelf, version: str) -> None:
    shelf.program(version).mkdir(parents=True)
    (shelf.program(version) / "bot").write_text("ELF")


def test_only_the_program_that_plays_is_kept(tmp_path: Path) -> None:
    """One bad version after another would fill the disk."""
    shelf = Shelf(tmp_path)
    for version, is_good in (("a", True), ("b", False), ("c", False), ("d", True), ("e", False)):
        _built(shelf, version)
        shelf.keep_verdict(HostedVersion(version=version, is_good=is_good))
    assert [place.parent.name for place in tmp_path.glob("*/program")] == ["d"]
    assert {each.version for each in shelf.verdicts} == set("abcde")
    assert shelf.current == HostedVersion(version="d", is_good=True)


def test_only_the_last_arrivals_are_kept(tmp_path: Path) -> None:
    """One upload after another would leave one file after another."""
    shelf = Shelf(tmp_path)
    for number in range(MOST_ARRIVALS + 5):
        shelf.keep_arrival(f"{number:02}", float(number))
        os.utime(tmp_path / ARRIVALS / f"{number:02}", (number, number))
    assert shelf.arrival("04") is None
    assert shelf.arrival("05") == 5.0
    assert len(list((tmp_path / ARRIVALS).iterdir())) == MOST_ARRIVALS
