"""An event as a report in FIDE's format."""

import pytest

from mancala.server.contest.events.trf import PastRound, SwissEvent, report
from mancala.server.model.game import Encounter, Forfeit, RatedGame, Round

EVENT = SwissEvent(tuple("abcde"), 3, 2)
FIRST = Round((Encounter("a", "c"), Encounter("d", "b")), ("e",))
GAMES = (
    (RatedGame("a", "c", 0), RatedGame("c", "a", None)),
    (Forfeit("d", "b", 1), Forfeit("b", "d", 0)),
)
PAST = (PastRound(FIRST, GAMES, frozenset()),)
SCORES: tuple[dict[str, float], ...] = ({}, {"a": 1.5, "b": 2.0, "c": 0.5, "e": 2.0})


def test_a_report_has_the_scores_of_the_event() -> None:
    """A round of two games is a win, a draw or a loss; what it lacks of the score is stated."""
    lines = report(EVENT, PAST, SCORES).splitlines()
    assert lines[5] == "162  W 2.0    D 1.0    L 0.0"
    rows = {line[4:8].strip(): (line[80:84], line[89:]) for line in lines if line[:3] == "001"}
    assert rows == {
        "1": (" 2.0", "     3 w 1"),
        "2": (" 2.0", "     4 b +"),
        "3": (" 0.0", "     1 b 0"),
        "4": (" 0.0", "     2 w -"),
        "5": (" 2.0", "  0000 - U"),
    }
    assert [line for line in lines if line[:3] == "250"] == [
        "250      -0.5   2   2    1    1",
        "250       0.5   2   2    3    3",
    ]


def test_two_of_whose_games_one_is_annulled_have_results_that_agree() -> None:
    """Who won the other game has won; it had a draw, and its opponent a loss."""
    past = PastRound(FIRST, (GAMES[0][:1], GAMES[1]), frozenset())
    lines = report(EVENT, (past,), ({}, {"a": 1.0, "b": 2.0, "e": 2.0})).splitlines()
    rows = {line[7]: (line[80:84], line[89:]) for line in lines if line[:3] == "001"}
    assert (rows["1"], rows["3"]) == ((" 2.0", "     3 w 1"), (" 0.0", "     1 b 0"))
    assert [line for line in lines if line[:3] == "250"] == ["250      -1.0   2   2    1    1"]


@pytest.mark.parametrize(("first", "colour"), [("bc", "W"), ("cb", "B")])
def test_the_initial_colour_is_that_of_the_best_who_was_there(first: str, colour: str) -> None:
    """Player 1 came later; gacrux and bbpPairings number those who are there."""
    paired = Round((Encounter("d", "e"), Encounter(*first)))
    games = tuple((RatedGame(*pair.games[0], 0),) for pair in paired.encounters)
    past = (PastRound(paired, games, frozenset("a")),)
    assert f"152 {colour}" in report(EVENT, past, ({}, {})).splitlines()


def test_a_report_says_who_is_to_be_kept_apart() -> None:
    """In the round that is to be paired alone."""
    apart = (frozenset("db"), frozenset("ea"))
    lines = report(EVENT, PAST, SCORES, apart).splitlines()
    assert [line for line in lines if line[:3] == "260"] == [
        "260   2   2    1    5",
        "260   2   2    2    4",
    ]


def test_scores_of_many_games_fit_their_columns() -> None:
    """After six rounds won by 11 to 9 of 20 games each, and six lost so; the order is theirs."""
    pairs = Encounter("a", "b"), Encounter("c", "d")
    seats = [pairs[0].games[at % 2] for at in range(20)]
    close = tuple(RatedGame(*it, it.index("a" if at < 11 else "b")) for at, it in enumerate(seats))
    clear = tuple(RatedGame("c", "d", 0) for _ in range(20))
    past = [PastRound(Round(pairs), (close, clear), frozenset())] * 6
    scores = [{"a": 11.0 * at, "b": 9.0 * at, "c": 20.0 * at} for at in range(7)]
    text = report(SwissEvent(tuple("abcd"), 9, 20), past, scores)
    lines = [line for line in text.splitlines() if line[:3] == "001"]
    assert [line[89:99] for line in lines] == [
        *("     2 w 1", "     1 b 0", "     4 w 1", "     3 b 0")
    ]
    points = {line[4:8]: float(line[80:84]) for line in lines}
    ahead = [line for line in text.splitlines() if line[:3] == "250" and line[14:17] == "  7"]
    for line in ahead:
        assert len(line) == len("250      -5.5   7   7    1    1")
        points[line[22:26]] += float(line[9:13])
    shares = [value / points["   3"] for value in points.values()]
    assert shares == pytest.approx([0.55, 0.45, 1, 0], abs=0.01)
