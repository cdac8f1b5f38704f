"""What a host keeps of a hand-in."""

import os
from pathlib import Path

from mancala.scripts.hosting.shelf import (
    ARRIVALS,
    MOST_ARRIVALS,
    MOST_PROGRAMS,
    HostedVersion,
    Shelf,
)


def _built(shelf: Shelf, version: str) -> None:
    shelf.program(version).mkdir(parents=True)
    (shelf.program(version) / "bot").write_text("ELF")


def test_only_the_last_good_programs_are_kept(tmp_path: Path) -> None:
    """One version after another would fill the disk; a deadline may still be moved."""
    shelf = Shelf(tmp_path)
    for number, version in enumerate("aBcdefG"):
        _built(shelf, version)
        is_good = version.islower()
        shelf.keep_verdict(HostedVersion(version=version, is_good=is_good, handed_in=number))
    kept = sorted(place.parent.name for place in tmp_path.glob("*/program"))
    assert kept == sorted("acdef"[-MOST_PROGRAMS:])
    assert {each.version for each in shelf.verdicts} == set("aBcdefG")
    assert shelf.current is not None
    assert shelf.current.version == "f"


def test_only_the_last_arrivals_are_kept(tmp_path: Path) -> None:
    """One upload after another would leave one file after another."""
    shelf = Shelf(tmp_path)
    for number in range(MOST_ARRIVALS + 5):
        shelf.keep_arrival(f"{number:02}", float(number))
        os.utime(tmp_path / ARRIVALS / f"{number:02}", (number, number))
    assert shelf.arrival("04") is None
    assert shelf.arrival("05") == 5.0
    assert len(list((tmp_path / ARRIVALS).iterdir())) == MOST_ARRIVALS
