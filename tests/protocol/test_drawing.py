"""Positions drawn: each row in its owner's direction, with a mark beside the mover's."""

import re
from typing import Final

import pytest

from mancala.protocol.drawing import as_html, as_text

PITS: Final = ((1, 2, 3), (4, 5, 16))
STORES: Final = (7, 8)
DRAWN: Final = """\
        2   1   0
      |16 | 5 | 4 |{}
   8  -------------  7
      | 1 | 2 | 3 |{}
        0   1   2"""


@pytest.mark.parametrize(
    ("mover", "upper", "lower"), [(None, "", ""), (0, "", " *"), (1, " *", "")]
)
def test_a_position_is_drawn_as_it_lies_between_the_players(
    mover: int | None, upper: str, lower: str
) -> None:
    """Player 1 sits above, so that row runs from right to left; stores lie at their right."""
    assert as_text(PITS, STORES, mover) == DRAWN.format(upper, lower)


@pytest.mark.parametrize(("mover", "upper", "lower"), [(None, "", ""), (0, "", "*"), (1, "*", "")])
def test_the_table_has_the_cells_of_the_drawing(mover: int | None, upper: str, lower: str) -> None:
    """Stores span both rows, and indices stand above and below the pits."""
    table = as_html(PITS, STORES, mover, "a < b")
    assert table.startswith("<table")
    assert '<caption style="caption-side:bottom">a &lt; b</caption>' in table
    rows = [re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in table.split("<tr>")[1:]]
    assert rows == [
        ["", "2", "1", "0", ""],
        ["8", "16", "5", "4", "7", upper],
        ["1", "2", "3", lower],
        ["", "0", "1", "2", ""],
    ]
    assert re.findall(r'rowspan="2"[^>]*>(\d+)<', table) == ["8", "7"]
