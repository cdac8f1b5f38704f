"""What came of an event."""

from collections import Counter
from itertools import chain
from random import Random

import pytest
from msgspec.structs import replace

from mancala.protocol.messages import Evidence, Outcome, Reason
from mancala.server.config.events import Format
from mancala.server.contest.headless.disabled_players import progress_of
from mancala.server.contest.headless.event import Event, plan
from mancala.server.contest.headless.played_game import PlayedGame
from mancala.server.contest.headless.score import MatchScore
from mancala.server.contest.headless.standings import standings_of, to_bytes
from tests.server.contest.headless.players import FORMATS, down, event_of, finished


def play_out(held: Event, order: Random) -> dict[int, PlayedGame]:
    """Play an event; the stronger player, whose name comes first, usually wins."""
    played: dict[int, PlayedGame] = {}

    def missing() -> list[int]:
        games = {number: game.rated for number, game in played.items()}
        tasks = plan(held, games).tasks
        left = [task for task in tasks if task.number not in played]
        order.shuffle(left)
        for task in left:
            upset = Random(task.number).random() < 0.2
            winner = task.players.index(min(task.players)) ^ upset
            played[task.number] = finished(task, winner)
        return [task.number for task in left]

    while missing():
        pass
    return played


@pytest.mark.parametrize("format_", FORMATS)
def test_the_same_games_make_the_same_bytes_in_any_order(format_: Format) -> None:
    """However games came back, and however often the event was taken up, the table is one."""
    held = event_of(format_, "abcde")
    tables = {to_bytes(standings_of(held, play_out(held, Random(seed)))) for seed in range(4)}
    assert len(tables) == 1


@pytest.mark.parametrize("format_", FORMATS)
def test_a_table_can_be_made_at_any_time(format_: Format) -> None:
    """Before the first game and between any two, all players stand in the table."""
    held = event_of(format_, "abcde")
    played = play_out(held, Random(1))
    so_far: dict[int, PlayedGame] = {}
    for number in sorted(played):
        table = standings_of(held, so_far)
        assert not table.complete
        assert sorted(line.name for line in table.standings) == list("abcde")
        so_far[number] = played[number]
    assert standings_of(held, so_far).complete


def test_points_and_crosstable_agree() -> None:
    """A row of the crosstable adds up to the points of its player."""
    held = event_of(Format.ROUND_ROBIN, "abcd")
    table = standings_of(held, play_out(held, Random(1)))
    for line, row in zip(table.standings, table.crosstable.points, strict=True):
        assert line.points == sum(points for points in row if points is not None)
    best, worst = table.standings[0].elo, table.standings[-1].elo
    assert best is not None
    assert worst is not None
    assert best > worst


def test_a_knockout_is_won_by_the_last_one_left() -> None:
    """The champion stands first, the loser of the final second, whatever points they have."""
    held = event_of(Format.KNOCKOUT, "abcdef")
    played = play_out(held, Random(1))
    table = standings_of(held, played)
    games = {number: game.rated for number, game in played.items()}
    final = plan(held, games).decided.rounds[-1].encounters[0]
    assert {line.name for line in table.standings[:2]} == set(final)
    assert [line.rank for line in table.standings[:2]] == [1, 2]
    assert [line.rank for line in table.standings] == sorted(line.rank for line in table.standings)


def test_forfeits_are_counted_beside_the_losses() -> None:
    """Losses on time and by crashes are counted."""
    held = event_of(Format.ROUND_ROBIN, "ab")
    tasks = plan(held, {}).tasks
    lost = finished(tasks[0])
    outcome = Outcome(0, (0, 0), Reason.TIMEOUT, Evidence(1, "the time was up", 0))
    late = replace(lost.record, result=outcome)
    table = standings_of(held, {0: PlayedGame.of(0, late)})
    forfeits = {line.name: line.forfeits for line in table.standings}
    assert forfeits[tasks[0].players[1]] == 1
    assert sum(forfeits.values()) == 1


@pytest.mark.parametrize("format_", FORMATS)
def test_void_games_count_nowhere(format_: Format) -> None:
    """An event goes on to its end without them, with a loss for neither player."""
    held = event_of(format_, "abcde", disable_after=0)
    played: dict[int, PlayedGame] = {}
    while missing := progress_of(held, played).missing:
        for task in missing:
            is_down = "a" in task.players and task.number % 2 == 0
            played[task.number] = down(task, task.players.index("a")) if is_down else finished(task)
    table = standings_of(held, played)
    void = sum(game.is_void for game in played.values())
    assert table.complete
    assert table.void == {"a": void}
    assert table.games == len(played) - void
    assert sum(row.games for row in table.standings) == 2 * table.games
    assert sum(filter(None, chain(*table.crosstable.points))) == table.games
    assert not table.without_forfeits


def test_a_match_and_a_tournament_of_the_same_games_agree() -> None:
    """The leader's Elo ahead of the other is that of ``match``, and both name the scale."""
    held = event_of(Format.ROUND_ROBIN, "ab", games=60)
    games = play_out(held, Random(3))
    score = MatchScore("a")
    for game in games.values():
        score.add(game)
    table, match = standings_of(held, games), score.summary()
    elo = {line.name: line.elo or 0.0 for line in table.standings}
    assert elo["a"] - elo["b"] == pytest.approx(match["elo"], abs=1)
    assert table.scale == match["scale"] == "logistic"
    assert [line.rank_range for line in table.standings] == [(1, 1), (2, 2)]


def test_players_that_beat_one_another_in_a_circle_are_off_the_line() -> None:
    """One number each does not explain that a beats b, b beats c and c beats a."""
    held = event_of(Format.ROUND_ROBIN, "abc", games=20)
    beaten = {"a": "b", "b": "c", "c": "a"}
    played = {}
    for task in plan(held, {}).tasks:
        first, second = task.players
        winner = 0 if beaten[first] == second else 1
        played[task.number] = finished(task, winner)
    found = standings_of(held, played).misfit
    assert found is not None
    assert "do not lie on one line" in found.sentences()[0]


def test_an_event_may_leave_out_what_an_unusual_pair_played() -> None:
    """Its points count in the table; in the ratings the one that lost on purpose is level."""
    held = event_of(Format.ROUND_ROBIN, "abcd", games=20, leave_out_unusual=True)
    played, met = {}, Counter[frozenset[str]]()
    for task in plan(held, {}).tasks:
        met[frozenset(task.players)] += 1
        by_turns = sorted(task.players)[met[frozenset(task.players)] % 2]
        winner = task.players.index("a" if set(task.players) == {"a", "b"} else by_turns)
        played[task.number] = finished(task, winner)
    table = standings_of(held, played)
    assert table.misfit is not None
    assert [each.players for each in table.misfit.left_out] == [("a", "b")]
    assert table.standings[-1].name == "b"
    assert [line.elo for line in table.standings] == pytest.approx([0] * 4, abs=5)
    assert standings_of(replace(held, leave_out_unusual=False), played).misfit != table.misfit
