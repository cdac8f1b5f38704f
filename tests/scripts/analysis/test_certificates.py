"""What the check of a certificate is expected to take is said beforehand, where that is long."""

import pytest

from mancala.engine.campaign.certificate import load
from mancala.scripts.analysis import certificates
from mancala.scripts.analysis.provers import Searching
from tests.sources import ROOT

SHIPPED = load(ROOT / "engine" / "data" / "kalah-6-6.jsonl.xz")


@pytest.mark.parametrize("asked", [16, None])
def test_a_check_says_how_many_hours_it_takes_and_which_tables_shorten_it(
    asked: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the tables of a fresh install no leaf of Kalah(6,6) was proven in minutes, silently."""
    monkeypatch.setattr(certificates, "missing_seeds", lambda _rules: 24)
    certificates.say_what_it_takes(SHIPPED, Searching(2, None, asked), 1.0, None)
    said = " ".join(capsys.readouterr().err.split())
    assert "with endgame tables of 16 seeds this takes about " in said
    assert " hours, with those of `mancala endgame build --seeds 24 --rules kalah:seeds=6` " in said


def test_a_short_check_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """One leaf with large tables takes a second."""
    certificates.say_what_it_takes(SHIPPED, Searching(2, None, 32), 1 / 3557, None)
    assert capsys.readouterr().err == ""
