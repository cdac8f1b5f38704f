"""The table of an event: points, tie-breaks, crosstable, openings."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.model.game import Game
from server.rating.standings import (
    SWISS_TIE_BREAKS,
    OpeningStatistics,
    TieBreak,
    crosstable,
    opening_statistics,
    standings,
)

games_lists = st.lists(
    st.builds(
        lambda seats, winner, margin: Game(seats[0], seats[1], winner, margin),
        st.sampled_from([*permutations("abcd", 2)]),
        st.sampled_from([0, 1, None]),
        st.integers(-40, 40),
    )
)


def test_the_table_of_a_small_event() -> None:
    """Wins, draws, losses, points and margin are each player's own, whatever its seat."""
    first, second, third = standings(
        [Game("a", "b", 0, 10), Game("b", "c", None), Game("c", "a", 1, -4), Game("c", "b", 0, 6)]
    )
    assert (first.name, first.points, first.wins, first.margin) == ("a", 2, 2, 14)
    assert (second.name, second.points, second.draws, second.losses) == ("c", 1.5, 1, 1)
    assert (third.name, third.points, third.margin, third.games) == ("b", 0.5, -16, 3)
    assert [line.rank for line in (first, second, third)] == [1, 2, 3]


def test_sonneborn_berger_prefers_beating_the_strong() -> None:
    """Of two with one win each, the one who beat the leader stands higher."""
    games = [Game("top", "x", 0), Game("top", "low", 0), Game("top", "y", 1), Game("x", "low", 0)]
    lines = {line.name: line for line in standings(games)}
    assert lines["y"].sonneborn_berger == 2
    assert lines["x"].sonneborn_berger == 0
    assert (lines["y"].rank, lines["x"].rank) == (2, 3)


def test_buchholz_prefers_strong_opponents() -> None:
    """In Swiss order, of two with equal points the one who met the stronger stands higher."""
    games = [Game("top", "x", 0), Game("top", "low", 0), Game("y", "low", 1), Game("x", "y", None)]
    lines = {line.name: line for line in standings(games, tie_breaks=SWISS_TIE_BREAKS)}
    assert lines["x"].buchholz == 2 + 0.5
    assert lines["y"].buchholz == 1 + 0.5
    assert (lines["x"].rank, lines["y"].rank) == (3, 4)


def test_seeds_decide_where_nothing_else_does() -> None:
    """Equal in all else, more seeds ahead stand higher; without that tie-break ranks are shared."""
    games = [Game("a", "c", 0, 2), Game("b", "c", 0, 20), Game("a", "b", None)]
    assert [line.name for line in standings(games)] == ["b", "a", "c"]
    shared = standings(games, tie_breaks=[TieBreak.WINS])
    assert [(line.rank, line.name) for line in shared] == [(1, "a"), (1, "b"), (3, "c")]


def test_a_bye_counts_as_a_win_over_an_equal() -> None:
    """Two points without games help neither tie-break more than beating an equal would."""
    line = standings([Game("a", "b", 1)], byes={"a": 2.0})[0]
    assert (line.name, line.points, line.games, line.wins) == ("a", 2, 1, 0)
    assert line.sonneborn_berger == 4
    assert line.buchholz == 4 + 1


def test_players_without_games_are_listed() -> None:
    """An event that has not begun shows its players, all first."""
    assert [(line.rank, line.name) for line in standings([], players=["b", "a"])] == [
        (1, "a"),
        (1, "b"),
    ]


@given(games_lists)
def test_the_table_adds_up(games: list[Game]) -> None:
    """Points are as many as games, margins cancel, and the order of games changes nothing."""
    lines = standings(games, players="abcd")
    assert sum(line.points for line in lines) == len(games)
    assert sum(line.margin for line in lines) == 0
    assert all(line.wins + line.draws + line.losses == line.games for line in lines)
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    assert sum(line.sonneborn_berger for line in lines) <= sum(line.buchholz for line in lines)
    assert standings(games[::-1], players="dcba") == lines


@given(games_lists)
def test_the_crosstable_adds_up(games: list[Game]) -> None:
    """Each row's points are the player's, each pairing's points are its games."""
    lines = standings(games, players="abcd")
    table = crosstable(games, [line.name for line in lines])
    for row, line in enumerate(lines):
        assert sum(points or 0 for points in table.points[row]) == line.points
        assert sum(table.games[row]) == line.games
        for column in range(4):
            taken, given_away = table.points[row][column], table.points[column][row]
            assert (taken is None) == (table.games[row][column] == 0)
            assert (taken or 0) + (given_away or 0) == table.games[row][column]


def test_a_crosstable_may_leave_players_out() -> None:
    """Only the players asked for are shown."""
    table = crosstable([Game("a", "b", 0), Game("a", "c", 0)], ["b", "a"])
    assert table.points == ((None, 0), (1, None))


def test_openings_are_summed_up() -> None:
    """An opening's line says how those who moved first fared."""
    games = [
        Game("a", "b", 0, 10, "<x>"),
        Game("b", "a", None, 0, "<x>"),
        Game("a", "b", 1, -4),
    ]
    assert opening_statistics(games) == (
        OpeningStatistics("<x>", 2, 1, 1, 0, 0.75, 5.0),
        OpeningStatistics("", 1, 0, 0, 1, 0.0, -4.0),
    )


@pytest.mark.parametrize("column", TieBreak)
def test_each_tie_break_is_a_column(column: TieBreak) -> None:
    """What decides the order can be read in the table."""
    assert hasattr(standings([Game("a", "b", 0)])[0], column)
