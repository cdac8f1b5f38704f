"""The table of an event: points, tie-breaks, crosstable, openings."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mancala.server.config.events import TieBreak
from mancala.server.contest.events.standings import (
    ROUND_ROBIN_TIE_BREAKS,
    SWISS_TIE_BREAKS,
    EventStanding,
    OpeningStatistics,
    PlayedRound,
    crosstable,
    opening_statistics,
    standings,
)
from mancala.server.model.game import RatedGame

games_lists = st.lists(
    st.builds(
        lambda seats, winner, margin: RatedGame(seats[0], seats[1], winner, margin),
        st.sampled_from([*permutations("abcd", 2)]),
        st.sampled_from([0, 1, None]),
        st.integers(-40, 40),
    )
)


NO_BYES: dict[str, float] = {}


def table(
    games: list[RatedGame],
    players: str = "",
    byes: dict[str, float] = NO_BYES,
    tie_breaks: Sequence[TieBreak] = ROUND_ROBIN_TIE_BREAKS,
) -> tuple[EventStanding, ...]:
    names = sorted({*players, *byes, *(name for game in games for name in game.players)})
    rounds = [PlayedRound((), byes), *(PlayedRound(((game,),)) for game in games)]
    return standings(
        rounds, players=names, games=2, tie_breaks=tie_breaks, reached={}, counts_absence=True
    )


def test_the_table_of_a_small_event() -> None:
    """Wins, draws, losses, points and margin are each player's own, whatever its seat."""
    first, second, third = table(
        [
            RatedGame("a", "b", 0, 10),
            RatedGame("b", "c", None),
            RatedGame("c", "a", 1, -4),
            RatedGame("c", "b", 0, 6),
        ]
    )
    assert (first.name, first.points, first.wins, first.margin) == ("a", 2, 2, 14)
    assert (second.name, second.points, second.draws, second.losses) == ("c", 1.5, 1, 1)
    assert (third.name, third.points, third.margin, third.games) == ("b", 0.5, -16, 3)
    assert [line.rank for line in (first, second, third)] == [1, 2, 3]


def test_sonneborn_berger_prefers_beating_the_strong() -> None:
    """Of two with one win each, the one who beat the leader stands higher."""
    games = [
        RatedGame("top", "x", 0),
        RatedGame("top", "low", 0),
        RatedGame("top", "y", 1),
        RatedGame("x", "low", 0),
    ]
    lines = {line.name: line for line in table(games)}
    assert lines["y"].sonneborn_berger == 2
    assert lines["x"].sonneborn_berger == 0
    assert (lines["y"].rank, lines["x"].rank) == (2, 3)


def test_buchholz_prefers_strong_opponents() -> None:
    """In Swiss order, of two with equal points the one who met the stronger stands higher."""
    games = [
        RatedGame("top", "x", 0),
        RatedGame("top", "low", 0),
        RatedGame("y", "low", 1),
        RatedGame("x", "y", None),
    ]
    lines = {line.name: line for line in table(games, tie_breaks=SWISS_TIE_BREAKS)}
    assert lines["x"].buchholz == 2 + 0.5
    assert lines["y"].buchholz == 1 + 0.5
    assert (lines["x"].rank, lines["y"].rank) == (3, 4)


def test_seeds_decide_where_nothing_else_does() -> None:
    """Equal in all else, more seeds ahead stand higher; without that tie-break ranks are shared."""
    games = [RatedGame("a", "c", 0, 2), RatedGame("b", "c", 0, 20), RatedGame("a", "b", None)]
    assert [line.name for line in table(games)] == ["b", "a", "c"]
    shared = table(games, tie_breaks=[TieBreak.WINS])
    assert [(line.rank, line.name) for line in shared] == [(1, "a"), (1, "b"), (3, "c")]


def test_a_bye_counts_as_a_win_over_an_equal() -> None:
    """Two points without games help neither tie-break more than beating an equal would."""
    line = table([RatedGame("a", "b", 1)], byes={"a": 2.0})[0]
    assert (line.name, line.points, line.games, line.wins) == ("a", 2, 1, 0)
    assert line.sonneborn_berger == 4
    assert line.buchholz == 4 + 1


def test_players_without_games_are_listed() -> None:
    """An event that has not begun shows its players, all first."""
    assert [(line.rank, line.name) for line in table([], players="ba")] == [(1, "a"), (1, "b")]


@given(games_lists)
def test_the_table_adds_up(games: list[RatedGame]) -> None:
    """Points are as many as games, margins cancel, and the order of games changes nothing."""
    lines = table(games, players="abcd")
    assert sum(line.points for line in lines) == len(games)
    assert sum(line.margin for line in lines) == 0
    assert all(line.wins + line.draws + line.losses == line.games for line in lines)
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)
    assert sum(line.sonneborn_berger for line in lines) <= sum(line.buchholz for line in lines)
    turned = table(games[::-1], players="dcba")
    assert [replace(line, progressive=0.0) for line in turned] == [
        replace(line, progressive=0.0) for line in lines
    ]


@given(games_lists)
def test_the_crosstable_adds_up(games: list[RatedGame]) -> None:
    """Each row's points are the player's, each pairing's points are its games."""
    lines = table(games, players="abcd")
    shown = crosstable(games, [line.name for line in lines])
    for row, line in enumerate(lines):
        assert sum(points or 0 for points in shown.points[row]) == line.points
        assert sum(shown.games[row]) == line.games
        for column in range(4):
            taken, given_away = shown.points[row][column], shown.points[column][row]
            assert (taken is None) == (shown.games[row][column] == 0)
            assert (taken or 0) + (given_away or 0) == shown.games[row][column]


def test_a_crosstable_may_leave_players_out() -> None:
    """Only the players asked for are shown."""
    shown = crosstable([RatedGame("a", "b", 0), RatedGame("a", "c", 0)], ["b", "a"])
    assert shown.points == ((None, 0), (1, None))


def test_openings_are_summed_up() -> None:
    """An opening's line says how those who moved first fared."""
    games = [
        RatedGame("a", "b", 0, 10, "<x>"),
        RatedGame("b", "a", None, 0, "<x>"),
        RatedGame("a", "b", 1, -4),
    ]
    assert opening_statistics(games) == (
        OpeningStatistics("<x>", 2, 1, 1, 0, 0.75, 5.0),
        OpeningStatistics("", 1, 0, 0, 1, 0.0, -4.0),
    )


@pytest.mark.parametrize("column", TieBreak)
def test_each_tie_break_is_a_column(column: TieBreak) -> None:
    """What decides the order can be read in the table."""
    assert hasattr(table([RatedGame("a", "b", 0)])[0], column.column)


def won(*pairs: str) -> list[RatedGame]:
    """Return games, each won by the first named; ``ab=`` was drawn."""
    return [RatedGame(pair[0], pair[1], None if pair.endswith("=") else 0) for pair in pairs]


def test_the_direct_encounter_decides_if_all_met() -> None:
    """Of two level players the one who beat the other stands higher; without a game both share."""
    direct = [TieBreak.DIRECT]
    level = table(won("ba", "ac", "ad", "cb"), tie_breaks=direct)
    assert [(line.rank, line.name, line.points, line.direct) for line in level[:3]] == [
        (1, "a", 2, None),
        (2, "c", 1, 1),
        (3, "b", 1, 0),
    ]
    circle = table(won("ba", "ac", "cb"), tie_breaks=direct)
    assert [(line.rank, line.direct) for line in circle] == [(1, 1)] * 3
    apart = table(won("ac", "bd"), tie_breaks=direct)
    assert [(line.rank, line.direct) for line in apart] == [(1, None)] * 2 + [(3, None)] * 2


def test_level_players_are_compared_again_among_themselves() -> None:
    """Four with equal points: two lead among the four, and the game of the two decides."""
    among = won("cb", "ca=", "cd=", "bd", "ba", "ad")
    lines = table([*among, *won("dx", "dx=", "ax=")], tie_breaks=[TieBreak.DIRECT])
    assert [(line.name, line.points) for line in lines[:4]] == [
        ("c", 2),
        ("b", 2),
        ("a", 2),
        ("d", 2),
    ]
    assert [line.rank for line in lines[:4]] == [1, 2, 3, 4]


def test_buchholz_1_leaves_out_the_weakest_opponent() -> None:
    """One weak opponent more does not hurt; the round that adds least is cut."""
    lines = {line.name: line for line in table(won("ab", "bc", "ac", "ad"))}
    assert lines["a"].buchholz == 1 + 0 + 0
    assert lines["a"].buchholz_1 == 1
    assert lines["b"].buchholz_1 == 3


def test_progressive_rewards_early_points() -> None:
    """A point of the first of three rounds counts thrice."""
    lines = {line.name: line for line in table(won("ab", "ba", "ca"))}
    assert lines["a"].progressive == 1 + 1 + 1
    assert lines["b"].progressive == 0 + 1


def test_a_half_bye_counts_as_a_draw_with_an_equal() -> None:
    """One of two points without play: Buchholz as of two games, half of it for the other."""
    line = {line.name: line for line in table(won("ab"), byes={"a": 1.0})}["a"]
    assert line.points == 2
    assert line.buchholz == 2 * 2 + 0
    assert line.sonneborn_berger == 1 * 2 + 0
