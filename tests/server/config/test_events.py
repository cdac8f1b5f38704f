"""What an organiser may set of an event."""

from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.clock import TimeControl
from mancala.server.config.events import EventSettings
from mancala.server.config.loading import parse
from mancala.server.config.settings import ConfigError

EVENT = """
[[event]]
name = "final"
format = "swiss"
entrants = ["ann", "bob", "cid"]
"""


def test_name_format_and_entrants_are_all_it_takes() -> None:
    """The rest has defaults; the clock is the server's."""
    [event] = parse("[clock]\nmove_ms = 70\n" + EVENT).event
    assert event == EventSettings(
        name="final", format="swiss", entrants=("ann", "bob", "cid"), clock=TimeControl(move_ms=70)
    )


def test_bots_may_enter_by_themselves() -> None:
    """Then the list may be empty; times are TOML's own or text."""
    [event] = parse(
        '[[event]]\nname = "final"\nformat = "swiss"\nenter = "open"\n'
        "opens = 2026-12-01T18:00:00Z\ncheck_in = 2026-12-01T18:50:00Z\n"
        'starts = "2026-12-01T20:00:00+01:00"\nlate = "half-bye until round 3"\n'
    ).event
    assert (event.entrants, event.late_until) == ((), 3)
    assert event.check_in == "2026-12-01T18:50:00+00:00"


def test_the_event_of_kgp_clients_is_one_that_they_can_play() -> None:
    """It is there, and its rules are theirs."""
    with pytest.raises(ConfigError, match=r"kgp\.event: there is no event cup"):
        parse(EVENT + '[kgp]\nevent = "cup"\n')
    with pytest.raises(ConfigError, match=r"kgp\.event: clients know the rules kalah only"):
        parse(EVENT + 'rules = "article"\n[kgp]\nevent = "final"\n')


def test_openings_are_read_from_a_file(tmp_path: Path) -> None:
    """Without its comments, from the folder of the settings."""
    literal = "<6,0,0,0,5,5,5,5,4,4,4,4,4,4,4>"
    (tmp_path / "fair.txt").write_text(f"# fair\n{literal}  # one\n\n")
    [event] = parse(f'{EVENT}openings_file = "fair.txt"\n', tmp_path).event
    assert [board.text for board in event.positions] == [literal]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('rules = "chess"', "event[0].rules: "),
        ('openings = ["<6,0,0>"]', "event[0].openings: "),
        ('openings_file = "none.txt"', "event final: openings_file: none.txt: "),
        ('starts = "tomorrow"', "event[0].starts: write it as 2026-12-01T19:00:00+01:00, not "),
        ('starts = "2026-12-01T19:00:00"', "event[0].starts: write it as "),
        (
            'check_in = "2026-12-01T19:00:00Z"\nstarts = "2026-12-01T18:00:00Z"',
            "starts: comes before",
        ),
        ("per_owner = 1", "event[0].per_owner: bots enter by themselves only with"),
        ('enter = "all"', "event[0].enter: "),
        ('password = "wari"', "event[0].password: bots enter by themselves only with"),
        (
            'enter = "open"\nmin_games = 5',
            "event[0].min_games: in which ladder? Name it as rating_in",
        ),
        (
            'enter = "open"\nmin_rating = 5\nrating_in = "none"',
            "rating_in: there is no ladder none",
        ),
        (
            'enter = "open"\nrating_in = "a"\nmin_rating = 1600\nmax_rating = 1500',
            "event[0].max_rating: 1500 is below min_rating, 1600",
        ),
        ('late = "always"', "event[0].late: write it as half-bye until round 3, not 'always'"),
        ("boards = 0", "event[0].boards: "),
        ("duration_s = 0", "event[0].duration_s: "),
        ('tie_breaks = ["luck"]', "event[0].tie_breaks[0]: "),
        ("round = 3", "event[0].round: "),
        ("starts = 2026-12-01", "starts: write it as 2026-12-01T19:00:00+01:00, not '2026-12-01'"),
        ("opens = 19:00:00", "opens: write it as 2026-12-01T19:00:00+01:00, not '19:00:00'"),
        ("every_days = 1e-12", "event[0].every_days: "),
        ("edition = 9007199254740992", "event[0].edition: "),
        ('starts = "9999-12-31T23:00:00-10:00"', "event[0].starts: write it as 2026-12-01"),
        ('starts = "0001-12-01T19:00:00Z"', "event[0].starts: the year 1 can't be meant"),
        ('fill = "Bad/Name"', "event[0].fill: a name is 1 to 48 letters, digits and _ . @ + -, "),
    ],
)
def test_what_can_not_be_used_is_named_in_one_line(line: str, fault: str) -> None:
    """With the key and the place of its event."""
    with pytest.raises(ConfigError) as caught:
        parse(f"{EVENT}{line}\n")
    assert fault in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"entrants": ("ann",)}, "entrants: an event needs two or more, not 1"),
        ({"entrants": ("ann", "bob", "Ann")}, "entrants: named twice: ann"),
        ({"format": "match"}, "entrants: a match has two, not 3"),
        (
            {"format": "match", "entrants": (), "enter": "open"},
            "enter: a match is between the two in entrants",
        ),
        ({"late": "half-bye until round 2"}, "late: only for a Swiss event"),
        (
            {"format": "gauntlet", "fill": "dan"},
            "fill: an odd number is made even only in rr, drr, swiss, arena",
        ),
        ({"accelerated": True}, "accelerated: only for a Swiss event"),
        ({"every_days": 7.0}, "every_days: only for a series"),
        ({"division": 2}, "division: only for a series"),
        (
            {"series": "friday", "every_days": 7.0, "starts": None},
            "every_days: the first edition needs its time, starts",
        ),
        (
            {"freeze": "results", "freeze_rounds": 1, "rated": "main"},
            "rated: the ladder would show the results that freeze hides",
        ),
        (
            {"format": "swiss", "rounds": 9},
            "rounds: 3 players can have 3 Swiss rounds without meeting again, not 9",
        ),
        ({"format": "arena"}, "duration_s: an arena lasts as long as this says"),
        ({"duration_s": 60.0}, "duration_s: only for an arena"),
        (
            {"format": "arena", "duration_s": 60.0, "freeze_rounds": 1},
            "freeze_rounds: knockouts and arenas have no fixed number of rounds",
        ),
        (
            {"format": "arena", "duration_s": 60.0, "late": "half-bye until round 2"},
            "late: only for a Swiss event",
        ),
    ],
)
def test_entrants_must_be_enough_and_differ(changes: dict[str, Any], fault: str) -> None:
    """Names that differ only in case are one bot."""
    usual: dict[str, Any] = {"name": "final", "format": "rr", "entrants": ("ann", "bob", "cid")}
    assert EventSettings(**(usual | changes)).problem() == fault


def test_two_events_have_two_names() -> None:
    """The store keeps them by it."""
    with pytest.raises(ConfigError, match=r"event\[1\]\.name: there are two events named final"):
        parse(EVENT + EVENT)
    friday = EVENT + 'series = "friday"\n'
    said = r"event\[1\]\.edition: final is edition 1 of friday in division 1 already"
    with pytest.raises(ConfigError, match=said):
        parse(friday + friday.replace('"final"', '"other"'))
    parse(friday + friday.replace('"final"', '"other"') + "division = 2\n")
