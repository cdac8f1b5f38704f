"""Swiss rounds by FIDE's rules, as gacrux pairs them in a process of its own."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from mancala.server.config import events
from mancala.server.config.events import EventSettings, Format
from mancala.server.contest.events import fide
from mancala.server.contest.events.fide import PairingFailedError, PastRound, fide_round, report
from mancala.server.contest.events.plan import Attendance, Terms, plan
from mancala.server.model.game import Encounter, Forfeit, RatedGame, Round

PLAYERS = tuple("abcde")
FIRST = Round((Encounter("a", "c"), Encounter("d", "b")), ("e",))
GAMES = (
    (RatedGame("a", "c", 0), RatedGame("c", "a", None)),
    (Forfeit("d", "b", 1), Forfeit("b", "d", 0)),
)
PAST = (PastRound(FIRST, GAMES, frozenset()),)
SCORES: tuple[dict[str, float], ...] = ({}, {"a": 1.5, "b": 2.0, "c": 0.5, "e": 2.0})


def paired(answer: str, monkeypatch: pytest.MonkeyPatch, *, absent: tuple[str, ...] = ()) -> Round:
    """Return the second round as the program's answer has it."""

    def run(*_command: object, **_options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess((), 0, answer, "")

    monkeypatch.setattr(subprocess, "run", run)
    return fide_round(PLAYERS, PAST, SCORES, rounds=3, games=2, absent=absent)


def test_a_report_has_the_scores_of_the_event() -> None:
    """A round of two games is a win, a draw or a loss; what it lacks of the score is stated."""
    lines = report(PLAYERS, PAST, SCORES, rounds=3, games=2).splitlines()
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


def test_four_winners_are_paired_as_fide_does() -> None:
    """Seats 2nd, 1st, 2nd, 2nd: the group as a whole is weighed, not player by player."""
    names = tuple("abcdefgh")
    first = Round(tuple(Encounter(*pair) for pair in ("ea", "bf", "gc", "hd")))
    games = tuple((RatedGame(*pair, int(pair[0] in "efgh")),) for pair in first.encounters)
    won = dict.fromkeys("abcd", 1.0)
    past = (PastRound(first, games, frozenset()),)
    found = fide_round(names, past, ({}, won), rounds=3, games=1)
    assert {frozenset(pair) for pair in found.encounters[:2]} == {frozenset("ac"), frozenset("bd")}


def test_an_event_is_paired_round_by_round_and_keeps_what_was_paired() -> None:
    """Who is away is left out, and rounds that are stored stay as they are."""
    away = {"g": Attendance(away=((2, 2),))}
    held = Terms(Format.SWISS, tuple("abcdefg"), 1, 2, attendance=away, pairing="fide")
    first = plan(held, {}).rounds
    played = {at: RatedGame(*pair, 0) for at, pair in enumerate(first[0].encounters)}
    swapped = Round(tuple(Encounter(*pair[::-1]) for pair in first[0].encounters), first[0].byes)
    games = {at: RatedGame(*pair, 1) for at, pair in enumerate(swapped.encounters)}
    kept = plan(held, games, (swapped,))
    assert kept.rounds[0] == swapped
    second = plan(held, played, first).rounds[1]
    assert {name for pair in second.encounters for name in pair} == {*"abcdef"}
    assert not {frozenset(pair) for pair in second.encounters} & {
        frozenset(pair) for pair in first[0].encounters
    }


@pytest.mark.parametrize(
    ("answer", "absent", "why"),
    [
        ("2\n1 2\n3 4\n", (), "not each player who is there has one place"),
        ("3\n1 3\n2 5\n4 0\n", (), "a and c have met before"),
        ("3\n1 4\n2 3\n5 0\n", (), "e had a bye before"),
        ("3\n1 4\n3 5\n2 0\n", (), "b had a bye before"),
        ("3\n1 0\n2 0\n3 4\n", ("e",), "more than one bye"),
        ("2\n1 9\n", (), "is no pairing"),
        ("one\ntwo three\n", (), "is no pairing"),
        ("### Error 510\nProgram error\n", (), "gacrux found no pairing: ### Error 510"),
    ],
)
def test_an_answer_that_breaks_a_rule_is_refused(
    answer: str, absent: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another program says is checked before a round is stored."""
    with pytest.raises(PairingFailedError, match=why):
        paired(answer, monkeypatch, absent=absent)


def test_an_answer_that_keeps_the_rules_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of whom one was absent have not met; who lost by it may have the bye."""
    found = paired("3\n2 1\n5 3\n4 0\n", monkeypatch)
    assert found == Round((Encounter("b", "a"), Encounter("e", "c")), ("d",))


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The round is not paired, and the reason is stated."""

    def hang(*_command: object, **_options: Any) -> None:  # noqa: ANN401  # as subprocess.run
        raise subprocess.TimeoutExpired("gacrux", fide.LONGEST_S)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(PairingFailedError, match="gacrux did not pair within 60 s"):
        fide_round(PLAYERS, PAST, SCORES, rounds=3, games=2)


def test_an_event_by_fides_rules_needs_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its absence is a wrong setting, and says what to install."""
    cup = EventSettings(name="cup", format="swiss", entrants=("a", "b", "c"), pairing="fide")
    assert cup.problem() is None
    other = EventSettings(name="cup", format="rr", entrants=("a", "b", "c"), pairing="fide")
    assert other.problem() == "pairing: only for a Swiss event"
    monkeypatch.setattr(events, "find_spec", lambda _name: None)
    said = cup.problem()
    assert said is not None
    assert "pairing: gacrux, which pairs by FIDE's rules, is missing; pip install" in said
    assert "[fide]" in said
