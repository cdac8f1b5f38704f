"""What an event consists of, and what comes next."""

from collections import Counter
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from mancala.server.app.config_check import check_events
from mancala.server.config import events
from mancala.server.config.events import EventSettings, Format
from mancala.server.config.settings import Config, ConfigError
from mancala.server.contest.events import plan as plans
from mancala.server.contest.events.dutch import PairingFailedError
from mancala.server.contest.events.lifecycle import EventState
from mancala.server.contest.events.plan import (
    FormatKind,
    most_encounters,
    plan,
    played_rounds,
    table_of,
    usual_rounds,
)
from mancala.server.contest.events.terms import Attendance, Plan, Terms, Tie
from mancala.server.contest.live.state import prepared, problem_of_size
from mancala.server.model.game import Encounter, Forfeit, RatedGame, Round

Games = dict[int, RatedGame]
AB, CA = Round((Encounter("a", "b"),)), Round((Encounter("c", "a"),))


def terms(format_: Format, players: int, rounds: int | None = None) -> Terms:
    """Set up an event of players named a, b, c…, with one pair of games each time two meet."""
    names = tuple("abcdefghijklmnopqrst"[:players])
    return Terms(format_, names, 2, rounds or usual_rounds(format_, players), seed=1)


def missing(held: Terms, played: Games) -> dict[int, tuple[str, str]]:
    pairs = [pair for each in plan(held, played).rounds for pair in each.encounters]
    seats = [(pair, pair[::-1])[leg] for pair in pairs for leg in range(held.games)]
    return {number: (one, two) for number, (one, two) in enumerate(seats) if number not in played}


def play_out(held: Terms, winners: tuple[int | None, ...] = (0, 1, None)) -> tuple[Plan, Games]:
    played: Games = {}
    while left := missing(held, played):
        for number, seats in left.items():
            rng = Random(number)
            played[number] = RatedGame(*seats, rng.choice(winners), 0)
    return plan(held, played), played


def plug_in(monkeypatch: pytest.MonkeyPatch, decided: object, **says: Callable[[Any], int]) -> None:
    """Have a format "odd" of a plug-in, which decides on this plan."""
    says.setdefault("encounters", lambda _terms: 1)
    monkeypatch.setattr(events, "FORMATS", {"odd": None})
    odd = FormatKind("Odd", lambda *_: cast("Plan", decided), **says)
    monkeypatch.setattr(plans, "FORMATS", {"odd": odd})


@pytest.mark.parametrize(
    ("winner", "by", "said"), [(None, None, ""), ("ann", "replay", ", ann by replay")]
)
def test_a_tie_is_said_in_a_line(winner: str | None, by: str | None, said: str) -> None:
    """Its stage and its score, and who won it by what, once that is known."""
    tie = Tie("final", ("ann", "bob"), (1.5, 1.0), winner, by)
    assert tie.sentence() == f"final: ann 1.5 : 1 bob{said}"


@pytest.mark.parametrize(("format_", "worth"), [(Format.SWISS, 1.0), (Format.ROUND_ROBIN, 2.0)])
def test_one_that_was_absent_met_no_one_in_a_swiss_event(format_: Format, worth: float) -> None:
    """Its Buchholz is then by its own points; in a round robin the opponent's count."""
    rounds = (
        Round((Encounter(*"ab"), Encounter(*"cd"))),
        Round((Encounter(*"ac"), Encounter(*"db"))),
    )
    seats = (("c", "d"), ("a", "c"), ("b", "d"))
    games = (Forfeit("a", "b", 0), *(RatedGame(one, two, 0) for one, two in seats))
    played = dict(enumerate(games))
    held = Terms(format_, tuple("abcd"), 1, 3)
    rows = table_of(held, rounds, played, (), reached={})
    assert [row.buchholz for row in rows if row.name == "b"] == [worth]


def test_a_double_round_robin_is_two_laps() -> None:
    """All meet twice, and who began an encounter begins the other one second; all is decided."""
    assert plan(terms(Format.DOUBLE_ROUND_ROBIN, 5), {}).is_complete
    pairs = Counter(
        pair
        for each in plan(terms(Format.DOUBLE_ROUND_ROBIN, 5), {}).rounds
        for pair in each.encounters
    )
    assert len(pairs) == 20
    assert set(pairs.values()) == {1}


def test_a_match_is_of_two() -> None:
    """Two meet as often as asked for; a third has no place."""
    rounds = plan(terms(Format.MATCH, 2, 3), {}).rounds
    assert [[*map(tuple, each.encounters)] for each in rounds] == [
        [("a", "b")],
        [("b", "a")],
        [("a", "b")],
    ]
    with pytest.raises(ValueError, match="a match has two players, not 3"):
        terms(Format.MATCH, 3)


@pytest.mark.parametrize("format_", [Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
@pytest.mark.parametrize("players", [2, 3, 6, 8, 13])
@pytest.mark.parametrize("replays", [0, 2])
def test_a_knockout_has_one_champion(format_: Format, players: int, replays: int) -> None:
    """Every encounter is decided, one player reaches the highest stage, and two the one before."""
    held = replace(terms(format_, players), replays=replays)
    decided, played = play_out(held)
    assert decided.is_complete
    assert len(played) <= 2 * most_encounters(held)
    assert all(tie.winner in tie.players for tie in decided.ties)
    champion = max(decided.reached, key=lambda name: decided.reached[name])
    assert decided.ties[-1].winner == champion
    assert sorted(decided.reached.values())[-2] < decided.reached[champion]
    lost = Counter(name for tie in decided.ties for name in tie.players if name != tie.winner)
    lives = 2 if format_ is Format.DOUBLE_KNOCKOUT else 1
    assert lost.pop(champion, 0) < lives
    assert lost == dict.fromkeys(set(held.players) - {champion}, lives)


def test_a_tie_is_replayed_then_goes_by_margin_then_by_lot() -> None:
    """Drawn encounters are played again as often as was stated, then decided, and it says how."""
    held = replace(terms(Format.KNOCKOUT, 2), replays=1)
    played = dict(enumerate([RatedGame("a", "b", None), RatedGame("b", "a", None)]))
    pending = plan(held, played)
    assert not pending.is_complete
    assert pending.ties[0].winner is None
    assert [tuple(each.encounters[0]) for each in pending.rounds] == [("a", "b"), ("b", "a")]

    def ended(*games: RatedGame) -> tuple[str | None, str | None]:
        (tie,) = plan(held, played | dict(enumerate(games, start=2))).ties
        return tie.winner, tie.decided_by

    drawn = RatedGame("b", "a", None)
    assert ended(drawn, RatedGame("a", "b", 1)) == ("b", "replay")
    assert ended(RatedGame("b", "a", 0, 3), RatedGame("a", "b", 0, 9)) == ("a", "margin")
    assert ended(drawn, drawn)[1] == "lot"
    first = dict(enumerate([RatedGame("a", "b", 0), RatedGame("b", "a", None)]))
    assert plan(held, first).ties[0].decided_by == "points"


def test_a_lot_is_the_seed_s() -> None:
    """The same seed draws the same; over many seeds both win."""
    drawn = {
        number: RatedGame(seats[0], seats[1], None) for number, seats in enumerate(["ab", "ba"])
    }

    def winner(seed: int) -> str | None:
        held = Terms(Format.KNOCKOUT, ("a", "b"), 2, 1, seed=seed)
        return plan(held, drawn).ties[0].winner

    assert [winner(seed) for seed in range(20)] == [winner(seed) for seed in range(20)]
    assert {winner(seed) for seed in range(20)} == {"a", "b"}


def test_late_entries_byes_and_withdrawals_are_not_paired() -> None:
    """Rounds missed bring half a point a game until one withdraws, and then none."""
    absent = {"a": Attendance(leaves=2), "b": Attendance(joins=3), "c": Attendance(byes=(2,))}
    held = replace(terms(Format.SWISS, 8, 4), attendance=absent)
    decided, played = play_out(held)
    rounds = played_rounds(held, decided.rounds, played)
    seated = [
        {name for pair in each.encounters for name in pair} | {*each.byes}
        for each in decided.rounds
    ]
    assert ["a" in names for names in seated] == [True, True, False, False]
    assert ["b" in names for names in seated] == [False, False, True, True]
    assert ["c" in names for names in seated] == [True, False, True, True]
    assert [each.unplayed.get("a") for each in rounds] == [None, None, 0, 0]
    assert [each.unplayed.get("b") for each in rounds] == [1, 1, None, None]
    assert rounds[1].unplayed["c"] == 1
    assert [sum(len(names) for names in seated)] == [7 + 6 + 7 + 7]
    for each, paired in zip(rounds, decided.rounds, strict=True):
        assert all(each.unplayed[name] == 2 for name in paired.byes)


def test_who_won_by_absence_has_no_bye_and_may_meet_that_opponent_still() -> None:
    """It had a round's points without play, which FIDE counts as a bye (C.04.1, C.04.3 C2)."""
    held = replace(terms(Format.SWISS, 5, 4), games=1)
    results = (("ac", 1), ("db", 0), ("ce", 0), ("ad", 0), ("bc", 1), ("ea", 1))
    played: Games = {
        at: RatedGame(seats[0], seats[1], won) for at, (seats, won) in enumerate(results)
    }
    assert plan(held, played).rounds[3].byes == ("a",)
    assert plan(held, played | {3: Forfeit("a", "d", 0)}).rounds[3].byes == ("c",)
    both = replace(terms(Format.SWISS, 2, 2), games=1)
    assert plan(both, {0: Forfeit("a", "b", 0)}).rounds[1].encounters == (Encounter("a", "b"),)


def test_who_is_away_has_no_points_for_the_round() -> None:
    """Neither a bye nor a half; what it chose not to play is cut first in tie-breaks."""
    held = replace(terms(Format.SWISS, 5, 3), attendance={"e": Attendance(away=((1, 2),))})
    decided, played = play_out(held)
    rounds = played_rounds(held, decided.rounds, played)
    assert [each.unplayed.get("e") for each in rounds][:2] == [0, 0]
    assert all("e" not in {*each.byes} for each in decided.rounds[:2])
    assert decided.rounds[0].byes == ()


def test_an_accelerated_event_lets_the_upper_half_meet_first() -> None:
    """In round 1 the upper half meets its own lower half, not the lower half of all."""
    plain = plan(terms(Format.SWISS, 8, 5), {}).rounds[0].encounters
    fast = plan(replace(terms(Format.SWISS, 8, 5), accelerated=True), {}).rounds[0].encounters
    assert {frozenset(pair) for pair in plain} == {frozenset(it) for it in ["ae", "bf", "cg", "dh"]}
    assert {frozenset(pair) for pair in fast} == {frozenset(it) for it in ["ac", "bd", "eg", "fh"]}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"attendance": {"z": Attendance()}}, "no player is named 'z'"),
        ({"attendance": {"a": Attendance(joins=9)}}, "a: rounds are 1 to 2"),
        ({"attendance": {"a": Attendance(joins=2, leaves=1)}}, "before it joins"),
        ({"replays": -1}, "counted from 0"),
        ({"format": Format.KNOCKOUT, "accelerated": True}, "only a Swiss event"),
        ({"games": 0}, "a game or more"),
    ],
)
def test_terms_that_contradict_one_another_are_refused(
    more: dict[str, Any], complaint: str
) -> None:
    """An organiser's mistake is named before the first pairing."""
    usual: dict[str, Any] = {
        "format": Format.SWISS,
        "players": ("a", "b", "c"),
        "games": 2,
        "rounds": 2,
    }
    with pytest.raises(ValueError, match=complaint):
        Terms(**usual | more)


def test_two_bots_of_one_owner_meet_in_the_last_round_only_if_it_can_not_be_helped() -> None:
    """Where all are of one owner, they are paired as if none had any."""
    held = terms(Format.SWISS, 8, 3)
    played: Games = {}
    while (left := missing(held, played)) and len(plan(held, played).rounds) < 3:
        played |= {number: RatedGame(*seats, number % 2, 0) for number, seats in left.items()}
    usual = plan(held, played).rounds[-1]
    one, two = usual.encounters[0]
    apart = plan(replace(held, owners={one: "x", two: "x"}), played).rounds[-1]
    assert {one, two} not in [{*pair} for pair in apart.encounters]
    assert {name for pair in apart.encounters for name in pair} == {*held.players}
    everyone = replace(held, owners=dict.fromkeys(held.players, "x"))
    assert plan(everyone, played).rounds[-1] == usual


def test_those_kept_apart_meet_in_no_round_while_bots_of_one_owner_yield_first() -> None:
    """The first round is paired otherwise; where all have one owner, only those named count."""
    held = terms(Format.SWISS, 6, 1)
    one, two = plan(held, {}).rounds[0].encounters[0]
    everyone = dict.fromkeys(held.players, "x")
    named = replace(held, owners=everyone, apart=((one, two, "stranger"),))
    [turn] = plan(named, {}).rounds
    assert {one, two} not in [{*pair} for pair in turn.encounters]
    assert plan(replace(held, owners=everyone), {}).rounds == plan(held, {}).rounds


def test_those_who_meet_by_order_are_paired_before_all_others() -> None:
    """The first one named moves first; where one of them is away, the other is paired as usual."""
    held = terms(Format.SWISS, 5, 1)
    last, first = held.players[-1], held.players[0]
    ordered = replace(held, meetings=((1, last, first),))
    [turn] = plan(ordered, {}).rounds
    assert turn.encounters[0] == (last, first)
    assert len(turn.encounters) == 2
    assert len(turn.byes) == 1
    away = {last: Attendance(away=((1, 1),))}
    alone = plan(replace(held, attendance=away), {}).rounds
    assert plan(replace(ordered, attendance=away), {}).rounds == alone


@pytest.mark.parametrize(
    ("decided", "why"),
    [
        (
            Plan((Round((Encounter("a", "z"),)),), is_complete=True),
            "fails: it has z, who is no player",
        ),
        (Plan((Round((Encounter("a", "a"),)),), is_complete=True), "fails: it lets a meet itself"),
        (
            Plan((Round((Encounter("a", "b"),), ("a",)),), is_complete=True),
            "fails: it has a twice in round 1",
        ),
        (Plan((AB, Round(()), AB), is_complete=True), "fails: it pairs no one in round 2"),
        ("b", "fails: AttributeError: 'str' object has no attribute 'rounds'"),
    ],
)
def test_a_plug_in_whose_format_is_broken_leaves_its_event_unpaired(
    monkeypatch: pytest.MonkeyPatch, decided: object, why: str
) -> None:
    """A server pauses it with the reason; it stopped, and no command could open its store."""
    plug_in(monkeypatch, decided)
    with pytest.raises(PairingFailedError, match=f"^the format odd {why}$"):
        plan(terms(Format("odd"), 2, 1), {})


@pytest.mark.parametrize(
    ("rounds", "why"),
    [
        ((CA, AB), "changes round 1, which was paired before"),
        ((), "changes round 1, which was paired before"),
        ((AB._replace(byes=("c",)), CA), "changes round 1, which was paired before"),
        ((AB,), "has others play game 3, which c and a played"),
        ((AB, Round((Encounter("a", "c"),))), "has others play game 3, which c and a played"),
    ],
)
def test_a_plug_in_can_not_change_rounds_that_were_paired_or_played(
    monkeypatch: pytest.MonkeyPatch, rounds: tuple[Round, ...], why: str
) -> None:
    """Games are known by number, so results went to others; a server pauses with the reason."""
    plug_in(monkeypatch, Plan((AB, CA), is_complete=False))
    held, results = terms(Format("odd"), 3, 1), {2: RatedGame("c", "a", 0, 1)}
    assert len(plan(held, results, [AB]).rounds) == 2
    plug_in(monkeypatch, Plan(rounds, is_complete=False))
    with pytest.raises(PairingFailedError, match=f"^the format odd fails: it {why}$"):
        plan(held, results, [AB])


def test_what_a_plug_in_returns_in_other_types_is_a_plan_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Plain pairs passed, were stored, and then each look at the event failed; so did iterators."""
    paired = SimpleNamespace(encounters=iter([("a", "b")]), byes=iter("c"))
    loose = SimpleNamespace(rounds=iter([paired]), is_complete=True, ties=[], reached={})
    plug_in(monkeypatch, loose)
    found = plan(terms(Format("odd"), 3, 1), {})
    assert found == Plan((Round((Encounter("a", "b"),), ("c",)),), is_complete=True)
    assert found.rounds[0].encounters[0].games[1] == ("b", "a")


@pytest.mark.parametrize(
    ("format_", "bots", "games"),
    [
        *(("arena", 20, None), ("arena", 22, "110,000")),  # of one wave; its time decides how many
        *(("swiss", 7, None), ("swiss", 8, "120,000"), ("match", 2, None)),  # three rounds
        *(("rr", 5, None), ("rr", 6, "150,000"), ("drr", 5, "200,000")),
        *(("gauntlet", 11, None), ("gauntlet", 12, "110,000")),
        *(("knockout", 11, None), ("knockout", 12, "110,000"), ("double-knockout", 6, "110,000")),
    ],
)
def test_an_event_is_as_large_as_its_format_makes_it(
    format_: str, bots: int, games: str | None
) -> None:
    """With 10,000 games an encounter."""
    entrants = tuple(f"bot-{number}" for number in range(bots))
    lasts: dict[str, Any] = {"duration_s": 60.0} if format_ == "arena" else {"replays": 0}
    cup = EventSettings(name="cup", format=format_, games=10_000, entrants=entrants, **lasts)
    why = (
        games and f"{bots} players would have up to {games} games, and an event has 100,000 at most"
    )
    assert problem_of_size(cup, prepared(cup).entrants) == why


@pytest.mark.parametrize("part", ["rounds", "encounters"])
def test_an_event_whose_plug_in_cannot_say_its_size_is_there_and_does_not_begin(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """No server with such an event in its settings or store started."""
    plug_in(monkeypatch, Plan((), is_complete=True), **{part: lambda _of: 1 // 0})
    settings = EventSettings(name="cup", format="odd", entrants=("a", "b"))
    why = "the format odd fails: ZeroDivisionError: integer division or modulo by zero"
    assert prepared(settings).phase.state is EventState.DRAFT
    assert problem_of_size(settings, prepared(settings).entrants) == why
    with pytest.raises(ConfigError, match=f"^event.0.: {why}$"):
        check_events(Config(event=(settings,)))
