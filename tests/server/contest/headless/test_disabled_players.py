"""A player that fails repeatedly is disabled, in whatever order results arrive."""

from random import Random

import pytest
from msgspec import structs

from mancala.protocol.messages import Evidence, Outcome, Reason
from mancala.server.config.events import Format
from mancala.server.contest.headless.disabled_players import progress_of
from mancala.server.contest.headless.event import Event, plan
from mancala.server.contest.headless.game import Task
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.standings import standings_of, to_bytes
from tests.server.contest.headless.players import FORMATS, down, event_of, finished


def event(format_: Format = Format.ROUND_ROBIN, *, players: str = "abcx", after: int = 3) -> Event:
    return event_of(format_, players, disable_after=after)


def crashed(task: Task, seat: int) -> PlayedGame:
    game = finished(task)
    result = Outcome(1 - seat, (24, 24), Reason.DISCONNECTED, Evidence(seat, "it crashed", 0))
    return PlayedGame.of(task.number, structs.replace(game.record, result=result))


def outcome(task: Task) -> PlayedGame:
    """Make up a game: x and y crash in each of theirs, the others win as first player."""
    for crasher in "xy":
        if crasher in task.players:
            return crashed(task, task.players.index(crasher))
    return finished(task, 0)


def play_out(held: Event, order: Random, *, at_a_time: int = 1) -> dict[int, PlayedGame]:
    played: dict[int, PlayedGame] = {}
    while missing := progress_of(held, played).missing:
        for task in order.sample(missing, min(at_a_time, len(missing))):
            played[task.number] = outcome(task)
    return played


def test_a_crasher_is_disabled_and_its_later_games_are_lost() -> None:
    """After three crashes in a row its games are not played; its opponents get the points."""
    held = event()
    tasks = plan(held, {}).tasks
    own = [task for task in tasks if "x" in task.players]
    played = {task.number: outcome(task) for task in tasks if task not in own[3:]}
    course = progress_of(held, played)
    assert course.disabled == {"x": own[2].number}
    assert course.missing == []
    for task in own[3:]:
        lost = course.games[task.number]
        assert lost.forfeiter == "x"
        assert lost.record.result is not None
        assert lost.record.result.evidence is not None
        assert lost.record.result.evidence.detail == "x disabled after 3 forfeits in a row"
    table = standings_of(held, played)
    assert table.complete
    assert table.disabled == {"x": own[2].number}
    assert {line.name: line.forfeits for line in table.standings}["x"] == len(own)


def test_after_void_games_in_a_row_the_later_ones_are_void() -> None:
    """An event does not wait for a service that is down, and its opponents win nothing by it."""
    held = event()
    tasks = plan(held, {}).tasks
    own = [task for task in tasks if "x" in task.players]
    played = {task.number: finished(task) for task in tasks if task not in own}
    played |= {task.number: down(task, task.players.index("x")) for task in own[:3]}
    course = progress_of(held, played)
    assert course.missing == []
    assert all(course.games[task.number].is_void for task in own)
    assert standings_of(held, played).void == {"x": len(own)}


@pytest.mark.parametrize("format_", [Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
@pytest.mark.parametrize("players", ["xbcde", "bcdex", "bx"])
def test_a_player_whose_service_is_down_wins_no_knockout(format_: Format, players: str) -> None:
    """Every game of it is void, so a lot decided, and it could win without a move."""
    held = event(format_, players=players)
    played: dict[int, PlayedGame] = {}
    while missing := progress_of(held, played).missing:
        for task in missing:
            is_down = "x" in task.players
            game = down(task, task.players.index("x")) if is_down else finished(task)
            played[task.number] = game
    table = standings_of(held, played)
    its = [tie for tie in table.ties if "x" in tie.players]
    assert [tie.decided_by for tie in its] == ["void"] * len(its) != []
    assert "x" not in [tie.winner for tie in its]
    assert table.complete


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("players", ["abcx", "axby"])
def test_the_table_does_not_depend_on_the_order_in_which_games_came_back(
    format_: Format, players: str
) -> None:
    """A game that was played before the server knew counts as one that was not."""
    held = event(format_, players=players, after=2)
    games = [play_out(held, Random(seed), at_a_time=1 + 3 * seed) for seed in range(5)]
    assert len({to_bytes(standings_of(held, played)) for played in games}) == 1
    if format_ is Format.ROUND_ROBIN:
        assert len({len(played) for played in games}) > 1


def test_a_game_in_between_starts_the_count_anew() -> None:
    """Only forfeits in a row disable: a bot that fails now and then plays on."""
    held = event(players="ax")
    tasks = plan(held, {}).tasks
    played = {task.number: outcome(task) for task in tasks}
    played[tasks[2].number] = finished(tasks[2])
    course = progress_of(held, played)
    assert course.disabled == {}
    assert course.games == played


def test_no_player_is_disabled_on_hearsay() -> None:
    """While an earlier game is missing, it may still turn out that the row was broken."""
    held = event(players="ax")
    tasks = plan(held, {}).tasks
    played = {task.number: outcome(task) for task in tasks[1:]}
    course = progress_of(held, played)
    assert course.disabled == {}
    assert course.missing == [tasks[0]]
    assert progress_of(held, {**played, 0: outcome(tasks[0])}).disabled == {"x": 2}


def test_two_disabled_players_draw() -> None:
    """When neither can play, neither wins."""
    held = event(players="axby", after=1)
    course = progress_of(held, play_out(held, Random(1)))
    neither = [
        course.games[task.number].record.result
        for task in course.plan.tasks
        if set(task.players) == {"x", "y"} and task.number > max(course.disabled.values())
    ]
    assert set(course.disabled) == {"x", "y"}
    assert neither
    assert all(result is not None and result.winner is None for result in neither)


def test_an_event_may_disable_no_player() -> None:
    """With 0 every game is played, whatever happens in it."""
    held = event(after=0)
    played = {task.number: outcome(task) for task in plan(held, {}).tasks}
    course = progress_of(held, played)
    assert course.disabled == {}
    assert course.games == played
    with pytest.raises(ValueError, match="counted from 0"):
        event(after=-1)
