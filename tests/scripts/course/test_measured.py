"""What was measured of a version, and the level that an Elo holds."""

from mancala.protocol.levels import LEVEL_ELO
from mancala.scripts.course.measured import level_at


def test_levels_are_met_at_their_elo() -> None:
    """A level's own Elo holds it; between two, a fraction."""
    assert [level_at(elo) for elo in LEVEL_ELO] == list(range(1, len(LEVEL_ELO) + 1))
    assert 3 < level_at((LEVEL_ELO[2] + LEVEL_ELO[3]) / 2) < 4
    assert level_at(LEVEL_ELO[0] - 9999) == 0
