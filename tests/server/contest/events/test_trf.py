"""An event as a report in FIDE's format."""

from __future__ import annotations

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


def test_a_report_says_who_is_to_be_kept_apart() -> None:
    """In the round that is to be paired alone."""
    apart = (frozenset("db"), frozenset("ea"))
    lines = report(EVENT, PAST, SCORES, apart).splitlines()
    assert [line for line in lines if line[:3] == "260"] == [
        "260   2   2    1    5",
        "260   2   2    2    4",
    ]
