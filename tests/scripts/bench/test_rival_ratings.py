"""Rating systems that see a game once."""

from __future__ import annotations

import pytest

from mancala.scripts.bench.rival_ratings import Elo, Glicko, Rival, TrueSkill


@pytest.mark.parametrize(
    "rival", [Elo(2), Glicko(2, 0.0), TrueSkill(2, 0.1)], ids=["Elo", "Glicko-2", "TrueSkill"]
)
def test_the_winner_rises_and_a_draw_brings_both_together(rival: Rival) -> None:
    """A win moves both by as much; a draw after it moves the leader down."""
    rival.play(0, 1, 1.0)
    lead = rival.elo(0) - rival.elo(1)
    assert lead > 0
    assert rival.elo(0) + rival.elo(1) == pytest.approx(3000)
    rival.play(1, 0, 0.5)
    assert 0 < rival.elo(0) - rival.elo(1) < lead


def test_trueskill_gives_the_numbers_of_its_paper() -> None:
    """Two newcomers of 25 ± 25/3 with a draw margin for 10 %: 29.396 ± 7.171 after a win."""
    rival, unit = TrueSkill(2, 0.1), TrueSkill.BETA / (25 / 6)
    rival._variance = [(25 / 3 * unit) ** 2] * 2
    before = rival.elo(0)
    rival.play(0, 1, 1.0)
    assert (rival.elo(0) - before) / unit == pytest.approx(4.396, abs=0.01)
    assert rival.deviation(0) / unit == pytest.approx(7.171, abs=0.01)
