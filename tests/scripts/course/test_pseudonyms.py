"""Names in public, and the names of private pages."""

from pathlib import Path

from mancala.scripts.course.pseudonyms import page_key, page_token, pseudonym


def test_a_courses_names_stay_and_another_courses_are_others(tmp_path: Path) -> None:
    """They follow from a key that is drawn once, and that its owner alone may read."""
    key = page_key(tmp_path)
    other = page_key(tmp_path / "other")
    assert page_key(tmp_path) == key != other
    (file,) = tmp_path.glob(".mancala/*")
    assert file.stat().st_mode & 0o777 == 0o600
    assert pseudonym(key, "ada") != pseudonym(other, "ada")


def test_no_two_of_many_teams_share_a_page() -> None:
    """A page's name has 128 bits and says nothing of the team."""
    teams = [f"team {number}" for number in range(300)]
    assert len({page_token(b"key", team) for team in teams}) == 300
    assert len({pseudonym(b"key", team) for team in teams}) >= 299
    assert "ada" not in pseudonym(b"key", "ada").lower()
