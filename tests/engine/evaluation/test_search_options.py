"""What can be turned in the search is known by name and range."""

import pytest

from mancala.engine.evaluation.search_options import SearchOptions


@pytest.mark.parametrize("name", SearchOptions.ranges())
def test_a_parameter_keeps_to_its_range(name: str) -> None:
    """Both ends of a range are taken, and what lies beyond is refused by name."""
    low, high = SearchOptions.ranges()[name]
    for end in (low, high):
        assert getattr(SearchOptions(**{name: end}), name) == end
    for beyond in (low - 1, high + 1):
        with pytest.raises(ValueError, match=name):
            SearchOptions(**{name: beyond})


def test_the_usual_values_lie_within_their_ranges() -> None:
    """The default search options are valid, each number in its range."""
    usual = SearchOptions()
    names = SearchOptions.ranges()
    assert list(usual) == [getattr(usual, name) for name in names]
