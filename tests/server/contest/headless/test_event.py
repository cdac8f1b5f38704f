"""Who plays whom, from which opening, and what comes next."""

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from mancala.server.config.events import Format
from mancala.server.contest.headless.event import Event, most_pairs, plan
from mancala.server.contest.headless.game import Task
from mancala.server.model.game import RatedGame
from tests.server.contest.headless.players import FORMATS, event_of


def event(format_: Format, players: int = 5, *, games: int = 4) -> Event:
    bare = event_of(format_, "abcdefgh"[:players], games=games)
    return replace(bare, openings=tuple(f"<{number}>" for number in range(most_pairs(bare))))


def play(task: Task, rng: Random) -> RatedGame:
    winner = rng.choice((0, 1, None))
    return RatedGame(*task.players, winner, rng.randint(-9, 9), task.opening)


def play_out(event_: Event, seed: int = 1) -> dict[int, RatedGame]:
    rng, played = Random(seed), dict[int, RatedGame]()
    while left := [task for task in plan(event_, played).tasks if task.number not in played]:
        task = rng.choice(left)
        played[task.number] = play(task, Random(task.number))
    return played


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("players", [2, 3, 5, 8])
def test_every_opening_is_played_twice_with_the_seats_swapped(
    format_: Format, players: int
) -> None:
    """No player profits from moving first, and no opening is repeated in the event."""
    held = event(format_, players)
    played = play_out(held)
    plan_ = plan(held, played)
    assert plan_.decided.is_complete
    assert [task.number for task in plan_.tasks] == list(range(len(plan_.tasks)))
    assert sorted(played) == list(range(len(plan_.tasks)))
    second_final = held.games * (format_ is Format.DOUBLE_KNOCKOUT)
    assert 2 * most_pairs(held) - second_final <= len(played) <= 2 * most_pairs(held)
    for one, two in zip(plan_.tasks[::2], plan_.tasks[1::2], strict=True):
        assert one.opening == two.opening
        assert one.players == two.players[::-1]
    assert set(Counter(task.opening for task in plan_.tasks).values()) == {2}


@pytest.mark.parametrize("format_", FORMATS)
def test_the_order_in_which_games_end_changes_nothing(format_: Format) -> None:
    """The plan depends on results alone, so that an interrupted event ends like another."""
    held = event(format_, 7)
    assert play_out(held, seed=1) == play_out(held, seed=2)


def test_a_round_robin_is_known_from_the_beginning() -> None:
    """Each pair meets, so no player waits for a round to end."""
    tasks = plan(event(Format.ROUND_ROBIN, 4, games=6), {}).tasks
    meetings = Counter(frozenset(task.players) for task in tasks)
    assert len(meetings) == 6
    assert set(meetings.values()) == {6}


def test_in_a_gauntlet_the_first_meets_all_the_others() -> None:
    """A new version is measured against a field that does not play itself."""
    tasks = plan(event(Format.GAUNTLET, 4), {}).tasks
    assert {"a" in task.players for task in tasks} == {True}
    assert {name for task in tasks for name in task.players} == set("abcd")


def test_a_swiss_round_waits_for_the_one_before() -> None:
    """The next pairings are known when every game of the round is over."""
    held = event(Format.SWISS, 5)
    first = plan(held, {})
    assert not first.decided.is_complete
    assert len(first.decided.rounds) == 1
    rng = Random(1)
    played = {task.number: play(task, rng) for task in first.tasks[:-1]}
    assert plan(held, played).decided.rounds == first.decided.rounds
    played[first.tasks[-1].number] = play(first.tasks[-1], rng)
    assert len(plan(held, played).decided.rounds) == 2


def test_a_knockout_ends_with_two() -> None:
    """Who loses is out, and the best seeded can meet only at the end."""
    held = event(Format.KNOCKOUT, 8, games=2)
    played: dict[int, RatedGame] = {}
    while left := [task for task in plan(held, played).tasks if task.number not in played]:
        for task in left:
            stronger = min(task.players)
            played[task.number] = RatedGame(*task.players, task.players.index(stronger))
    final = plan(held, played).decided.rounds[-1]
    assert [set(encounter) for encounter in final.encounters] == [{"a", "b"}]


@pytest.mark.parametrize(
    ("contenders", "games", "rounds", "complaint"),
    [
        (("a",), 2, 1, "two players"),
        (("a", "b"), 3, 1, "pairs"),
        (("a", "b"), 2, 0, "a round or more"),
        (("a", "b"), 0, 1, "pairs"),
        (("a", "a"), 2, 1, "named twice"),
    ],
)
def test_what_makes_no_event_is_refused(
    contenders: tuple[str, ...], games: int, rounds: int, complaint: str
) -> None:
    """An organiser's mistake is reported before the first game."""
    with pytest.raises(ValueError, match=complaint):
        replace(event_of(Format.ROUND_ROBIN, contenders, games=games), rounds=rounds)
