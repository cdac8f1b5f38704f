"""Pictures as SVG."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from scripts.views import charts

SVG = "{http://www.w3.org/2000/svg}"
NASTY = '<b>"A&B"</b> with a name that goes on and on and on'


def parsed(drawing: str) -> ET.Element:
    """Read a picture as a browser's strictest parser would."""
    return ET.fromstring(f'<div xmlns="http://www.w3.org/2000/svg">{drawing}</div>')  # noqa: S314  # our own


@pytest.mark.parametrize(
    "drawing",
    [
        charts.ratings([charts.Interval(NASTY, 12.5, 40.0), charts.Interval("b", -12.5, 40.0)]),
        charts.ratings([charts.Interval("alone", 0.0, 0.0)]),
        charts.heat_map([NASTY, "b"], [[None, 0.75], [0.25, None]]),
        charts.opening_scores([(NASTY, 1.0, 2), ("", 0.0, 2), ("x", 0.5, 4)]),
        charts.lines({NASTY: [1.0, None, 0.5], "b": [1000.0]}, "ms"),
        charts.course([charts.Interval(NASTY, 0.25, 0.0)], level=0.25, form="{:.2f}"),
        charts.course(
            [charts.Interval("a", -1.0, 2.0), charts.Interval(NASTY, 3.0, 0.5)],
            level=0.0,
            form="{:+.1f}",
        ),
        charts.bars([(NASTY, 0.5, "1 < 2"), ("b", 1.0, "all")]),
    ],
)
def test_every_picture_is_well_formed_and_within_its_frame(drawing: str) -> None:
    """Names are escaped, a picture has a text for who cannot see it, and nothing lies outside."""
    root = parsed(drawing)
    picture = root.find(f"{SVG}svg")
    assert picture is not None
    assert picture.get("role") == "img"
    assert picture.get("aria-label")
    width, height = (float(word) for word in picture.attrib["viewBox"].split()[2:])
    for mark in picture.iter():
        for key in ("x", "x1", "x2", "cx"):
            assert 0 <= float(mark.get(key, "0")) <= width
        for key in ("y", "y1", "y2", "cy"):
            assert 0 <= float(mark.get(key, "0")) <= height


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-800, 431), (-0.3, 0.2), (0, 36), (5, 5.0001)])
def test_ticks_are_few_round_and_within_range(low: float, high: float) -> None:
    """A person can read an axis: four to ten numbers, none beyond its ends."""
    found = charts.ticks(low, high)
    assert 3 <= len(found) <= 10
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in found)


def test_a_score_is_coloured_by_its_side_of_one_half() -> None:
    """Who is ahead shows at a glance, and how far in the depth of the colour."""
    drawing = charts.heat_map(["a", "b"], [[None, 1.0], [0.0, None]])
    cells = list(parsed(drawing).iter(f"{SVG}rect"))
    assert [cell.get("class") for cell in cells] == ["cell good", "cell bad"]
