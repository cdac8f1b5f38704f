"""Results as tables."""

import sys
from types import SimpleNamespace

import pytest

from mancala.protocol.tabular import MOST_SHOWN, frame_of, html_of


def test_a_table_is_escaped_and_says_what_it_leaves_out() -> None:
    """Names come from strangers, and a thousand rows fill no notebook."""
    rows = [{"player": "<b>", "elo": 12.3456, "none": None}] * (MOST_SHOWN + 2)
    shown = html_of(rows, "a & b")
    assert "&lt;b&gt;" in shown
    assert "a &amp; b\nand 2 rows" in shown
    assert "<td>12.3</td><td></td>" in shown
    assert "<table>" in html_of([], "nothing")


def test_a_frame_is_of_the_first_package_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any, what is missing is said."""
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match="pandas or polars"):
        frame_of([{"a": 1}])
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=tuple))
    assert frame_of([{"a": 1}]) == ({"a": 1},)
