"""Tables as CSV."""

from mancala.scripts.course.tables import as_csv


def test_nothing_in_a_cell_is_computed_by_a_spreadsheet() -> None:
    """Texts that begin as a formula become plain, lines become one, values keep their words."""
    rows = [("=1+1", "a\nb", True), ("-x", 2.5, False), ("c", None, "d,e")]
    assert as_csv(("id", "b", "c"), rows) == ("id,b,c\n'=1+1,a b,yes\n'-x,2.5,no\nc,,\"d,e\"\n")
