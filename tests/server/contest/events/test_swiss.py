"""Swiss rounds: FIDE's pairs, no avoidable rematch, byes go round, and answers are checked."""

from collections import Counter
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mancala.server.config.events import Format
from mancala.server.contest.events.dutch import PairingFailedError, Pairs
from mancala.server.contest.events.plan import plan
from mancala.server.contest.events.swiss import acceleration, rounds_for, swiss_round
from mancala.server.contest.events.terms import Attendance, Terms
from mancala.server.contest.events.trf import PastRound, SwissEvent
from mancala.server.model.game import Encounter, Forfeit, RatedGame, Round
from tests.server.contest.events.test_trf import EVENT, PAST, SCORES


def all_pairings(names: list[str]) -> list[list[frozenset[str]]]:
    """List every way to pair an even number of players."""
    if not names:
        return [[]]
    one, rest = names[0], names[1:]
    return [
        [frozenset((one, two)), *further]
        for two in rest
        for further in all_pairings([name for name in rest if name != two])
    ]


def met(played: Sequence[Round]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pairing) for turn in played for pairing in turn.encounters)


def after(
    names: Sequence[str],
    played: Sequence[Round],
    *,
    winners: Collection[str] = (),
    absent: Collection[str] = (),
    apart: Collection[frozenset[str]] = (),
) -> Round:
    """Return the round after some in which those named won all, and others drew."""
    past, scores = list[PastRound](), [dict.fromkeys(names, 0.0)]
    for turn in played:
        games, gained = list[tuple[RatedGame, ...]](), dict(scores[-1])
        for pair in turn.encounters:
            won = [seat for seat, name in enumerate(pair) if name in winners]
            games.append((RatedGame(*pair, won[0] if len(won) == 1 else None),))
            for seat, name in enumerate(pair):
                gained[name] += games[-1][0].points(seat)
        for name in turn.byes:
            gained[name] += 1
        past.append(PastRound(turn, tuple(games), frozenset()))
        scores.append(gained)
    rounds = max(len(played) + 1, rounds_for(len(names)))
    return swiss_round(
        SwissEvent(names, rounds, 1), past, scores, absent=absent, apart=[frozenset(apart)]
    )


def answered(answer: Pairs | None, *, absent: tuple[str, ...] = ()) -> Round:
    return swiss_round(
        *(EVENT, PAST, SCORES), absent=absent, asked=lambda _report, _number, _unpaired: answer
    )


def test_the_first_round_is_upper_half_against_lower() -> None:
    """By strength: first meets fifth, second meets sixth; the better ones take turns to begin."""
    assert [*map("".join, after("12345678", []).encounters)] == ["15", "62", "37", "84"]


def test_four_winners_are_paired_as_fide_does() -> None:
    """Seats 2nd, 1st, 2nd, 2nd: the group as a whole is weighed, not player by player."""
    first = Round(tuple(Encounter(*pair) for pair in ("ea", "bf", "gc", "hd")))
    found = after("abcdefgh", [first], winners="abcd")
    assert {frozenset(pair) for pair in found.encounters[:2]} == {frozenset("ac"), frozenset("bd")}


def test_the_lowest_sits_out_and_not_twice() -> None:
    """Of five the fifth has the first bye; then another. The absent have none."""
    first = after("12345", [])
    assert first.byes == ("5",)
    assert after("12345", [first]).byes == ("2",)
    turn = after("12345", [first], absent="4")
    assert not turn.byes
    assert {name for pair in turn.encounters for name in pair} == {*"1235"}


@pytest.mark.parametrize("size", [3, 4, 6, 7])
def test_a_long_event_gives_each_one_bye_and_late_rematches(size: int) -> None:
    """In as many rounds as a round robin has, byes go all round; the first half is all new."""
    names = [f"bot{number}" for number in range(size)]
    played: list[Round] = []
    for _ in range(size - 1 + size % 2):
        played.append(after(names, played))
    byes = Counter(name for turn in played for name in turn.byes)
    assert byes == (dict.fromkeys(names, 1) if size % 2 else {})
    assert max(met(played[: size // 2]).values()) == 1


@settings(max_examples=30)
@given(st.integers(1, 3), st.data())
def test_no_rematch_that_any_pairing_avoids(half: int, data: st.DataObject) -> None:
    """Whatever happened before, the fewest possible rematches are chosen."""
    names = [*"abcdef"[: 2 * half]]
    drawn = data.draw(st.lists(st.sampled_from(all_pairings(names)), max_size=5))
    played = [Round(tuple(Encounter(*sorted(pair)) for pair in each)) for each in drawn]
    turn = after(names, played, winners=data.draw(st.sets(st.sampled_from(names))))
    before = met(played)
    rematches = sum(before[frozenset(pair)] for pair in turn.encounters)
    assert rematches == min(sum(before[pair] for pair in each) for each in all_pairings(names))


def test_who_had_a_bye_has_another_only_if_all_had() -> None:
    """Of two who come to the second round, one played and one had the bye: they meet."""
    played = [Round((Encounter("1", "2"),), ("3",)), Round((Encounter("1", "3"),), ("2",))]
    played.append(Round((Encounter("2", "3"),), ("1",)))
    turn = after("123", played, winners="1")
    assert (turn.byes, turn.encounters) == (("3",), (Encounter("2", "1"),))


@pytest.mark.parametrize("strong", ["12", "13"])
def test_where_all_have_met_those_with_equal_points_meet_again(strong: str) -> None:
    """They win against the two others, and draw with each other."""
    turns = (("12", "34"), ("13", "24"), ("14", "23"))
    played = [Round(tuple(Encounter(*pair) for pair in turn)) for turn in turns]
    assert frozenset(strong) in met([after("1234", played, winners=strong)])


A_AND_B, A_AND_C = [["ab", "cd"], ["ac", "bd"]]


@pytest.mark.parametrize(
    ("points", "turns", "boards"),
    [
        ((20, 20, 0, 0), [A_AND_B, ["bc"]], "ac bd"),
        ((3, 2, 1, 0), [A_AND_B], "ac bd"),
        ((3, 2, 1, 0), [A_AND_B, A_AND_C], "ad bc"),
        ((20, 0, 0), [], "ab c"),
        ((2, 1, 0), [["c"]], "ac b"),
        ((2, 1, 0), [["c"], ["b"]], "bc a"),
    ],
    ids=[
        *("a rematch weighs more than points", "two far apart weigh more than two pairs near"),
        *("the better board first", "the bye is the last one's", "no second bye", "nor for two"),
    ],
)
def test_a_round_that_no_pairing_allows_breaks_as_little_as_can_be(
    points: tuple[float, ...], turns: list[list[str]], boards: str
) -> None:
    """FIDE leaves it to the arbiter; the names are in order of points."""
    names = "abcd"[: len(points)]
    past = []
    for turn in turns:
        paired = tuple(Encounter(*pair) for pair in turn if len(pair) > 1)
        byes = tuple(name for name in turn if len(name) == 1)
        games = tuple((RatedGame(*pair, None),) for pair in paired)
        past.append(PastRound(Round(paired, byes), games, frozenset()))
    scores = [dict(zip(names, points, strict=True))] * (len(past) + 1)
    event = SwissEvent(names, len(past) + 1, 1)
    paired_now = swiss_round(event, past, scores, asked=lambda *_: None)
    found = ["".join(sorted(pair)) for pair in paired_now.encounters]
    assert " ".join([*found, *paired_now.byes]) == boards


def test_two_of_one_owner_meet_only_if_it_can_not_be_helped() -> None:
    """The other pairs of the first round would be 1-3 and 4-2."""
    turn = after("1234", [], apart=[frozenset("13")])
    assert frozenset("13") not in met([turn])
    every = [frozenset(pair) for pair in ("13", "14", "12")]
    assert [*map("".join, after("1234", [], apart=every).encounters)] == ["13", "42"]


def test_an_event_is_paired_round_by_round_and_keeps_what_was_paired() -> None:
    """Who is away is left out, and rounds that are stored stay as they are."""
    away = {"g": Attendance(away=((2, 2),))}
    held = Terms(Format.SWISS, tuple("abcdefg"), 1, 2, attendance=away)
    first = plan(held, {}).rounds
    played = {at: RatedGame(*pair, 0) for at, pair in enumerate(first[0].encounters)}
    swapped = Round(tuple(Encounter(*pair[::-1]) for pair in first[0].encounters), first[0].byes)
    games = {at: RatedGame(*pair, 1) for at, pair in enumerate(swapped.encounters)}
    kept = plan(held, games, (swapped,))
    assert kept.rounds[0] == swapped
    second = plan(held, played, first).rounds[1]
    assert {name for pair in second.encounters for name in pair} == {*"abcdef"}
    assert not met([second]) & met(first)


def test_a_round_of_absences_alone_is_a_round() -> None:
    """The round after it is the third, though no game of the second was played."""
    games = [0, 1, 2, 3]
    held = Terms(Format.SWISS, tuple("abcd"), 1, 3)
    first = plan(held, {}).rounds
    played = {at: RatedGame(*pair, 0) for at, pair in enumerate(first[0].encounters)}
    second = plan(held, played).rounds[1]
    played |= {at + 2: Forfeit(*pair, None) for at, pair in enumerate(second.encounters)}
    assert [*played] == games
    third = plan(held, played).rounds[2]
    assert not met([third]) & met(first)


@pytest.mark.parametrize(
    ("answer", "absent", "why"),
    [
        (((1, 2), (3, 4)), (), "not each player who is there has one place"),
        (((1, 3), (2, 5), (4, 0)), (), "a and c have met before"),
        (((1, 4), (2, 3), (5, 0)), (), "e had a bye before"),
        (((1, 4), (3, 5), (2, 0)), (), "b had a bye before"),
        (((1, 0), (2, 0), (3, 4)), ("e",), "more than one bye"),
        (((1, 9),), (), "is no pairing"),
    ],
)
def test_an_answer_that_breaks_a_rule_is_refused(
    answer: Pairs, absent: tuple[str, ...], why: str
) -> None:
    """What another program says is checked before a round is stored."""
    with pytest.raises(PairingFailedError, match=why):
        answered(answer, absent=absent)


def test_an_answer_that_keeps_the_rules_is_taken() -> None:
    """Two of whom one was absent have not met; who lost by it may have the bye."""
    found = answered(((2, 1), (5, 3), (4, 0)))
    assert found == Round((Encounter("b", "a"), Encounter("e", "c")), ("d",))


def test_the_upper_half_is_accelerated() -> None:
    """Nine rounds: three with a point for the upper half, two with half a point (FIDE)."""
    players = [*"123456"]
    bonus = [acceleration(players, number, 9) for number in range(1, 10)]
    assert [each.get("1", 0) for each in bonus] == [1, 1, 1, 0.5, 0.5, 0, 0, 0, 0]
    assert set(bonus[0]) == {*"1234"}


@pytest.mark.parametrize(("players", "rounds"), [(0, 0), (1, 0), (2, 1), (8, 3), (9, 4), (100, 7)])
def test_rounds_single_out_a_winner(players: int, rounds: int) -> None:
    """Enough rounds for one player to win all: the binary logarithm, rounded up."""
    assert rounds_for(players) == rounds
