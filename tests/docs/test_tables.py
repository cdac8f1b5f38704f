"""Tables that commands write into pages."""

from pathlib import Path

import pytest

from docs import tables

PAGE = "# Page\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nText.\n"
TABLE = "| a | b |\n| --- | --- |\n| 5 | 6 |"


def test_a_table_takes_the_place_of_the_former_one(tmp_path: Path) -> None:
    """The rest of the page stays as it is."""
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    tables.write(page, TABLE)
    assert page.read_text() == "# Page\n\n| a | b |\n| --- | --- |\n| 5 | 6 |\n\nText.\n"


def test_a_page_without_the_table_is_refused(tmp_path: Path) -> None:
    """A table is never put somewhere else."""
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    with pytest.raises(ValueError, match=r"\| a \| b \|"):
        tables.write(page, TABLE)
