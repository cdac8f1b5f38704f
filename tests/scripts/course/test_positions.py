"""The proven positions of a season, kept."""

from pathlib import Path

from mancala.protocol.loss import ProvenPosition
from mancala.scripts.course.grading import keep_positions, kept_positions
from mancala.server.contest.rate.answers import PositionAnswer, baselines_of

ONE = ProvenPosition(1, "late", "<1,0,0,1,1>", {0: 2})
TWO = ProvenPosition(2, "late", "<2,0,0,2,1,0,1>", {0: -2, 1: 0})


def test_what_was_proven_is_kept_for_its_seed(tmp_path: Path) -> None:
    """A season whose seed was drawn anew has none yet; only the owner may read them."""
    keep_positions(tmp_path, "2027", 7, [TWO])
    keep_positions(tmp_path, "2027", 7, [ONE])
    assert kept_positions(tmp_path, "2027", 7) == {1: ONE, 2: TWO}
    assert kept_positions(tmp_path, "2027", 8) == {}
    assert kept_positions(tmp_path, "2028", 7) == {}
    (file,) = (file for file in tmp_path.rglob("*") if file.is_file())
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_season_that_another_version_began_is_taken_up(tmp_path: Path) -> None:
    """Its baselines may have other names than those of positions that are proven now."""
    keep_positions(tmp_path, "2027", 7, [ONE._replace(choices={"of old": (0,)})])
    begun = kept_positions(tmp_path, "2027", 7)[1]
    now = PositionAnswer(TWO._replace(choices={"of now": (0,)}), 0, 1.0)
    assert baselines_of([PositionAnswer(begun, 0, 1.0), now]).keys() == {"of now"}
