"""The product as a library: players of one's own, an early end, and programs without a guard."""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import mancala
from mancala import gauntlet, headless, yardstick
from mancala.bot import Bot, Turn
from mancala.engine.classics.strategies import GreedyPlayer
from mancala.protocol.loss import ProvenPosition
from mancala.protocol.player import UNLIMITED, Budget, Choice, PlayerError
from mancala.protocol.rules import Board, Rules
from mancala.server.contest.headless.journal import GameJournal
from mancala.server.contest.headless.runs import MatchRun
from tests.sources import run_python


def first(turn: Turn) -> int:
    return turn.legal_moves[0]


class Last(Bot):
    """Plays the last legal pit, from a coroutine."""

    closed = 0

    async def choose(self, turn: Turn) -> int:
        return turn.legal_moves[-1]

    async def close(self) -> None:
        self.closed += 1


def test_functions_bots_and_players_play_one_another_here() -> None:
    """Their games are equal each time, and a bot is closed once."""
    last = Last()
    table = mancala.tournament([first, last, GreedyPlayer()], games=2, progress=False)
    assert table.is_complete
    assert {row["player"] for row in table.rows} == {"first", "Last", "GreedyPlayer"}
    assert sum(row["points"] for row in table.rows) == len(table.games) == 6
    assert str(table).startswith("rr, 6 games: GreedyPlayer ")
    assert last.closed == 1
    one, other = (mancala.match(first, first, games=2, progress=False) for _ in range(2))
    assert [game.moves for game in one.games] != []
    assert one.rows == other.rows
    assert one.run.event.names == ("first", "first#2")


WRONG: tuple[Any, ...] = (None, Last)


def failing(_turn: Turn) -> int:
    raise KeyError("b")


def test_a_match_says_why_a_function_lost_its_games() -> None:
    """It read as lost by the rules once: a first try is often faulty."""
    told = str(mancala.match(failing, "greedy", games=2, progress=False))
    assert "; the first forfeit: the player raised KeyError: 'b'" in told
    told = str(mancala.tournament([failing, "greedy"], progress=False))
    assert "; the first forfeit of failing: the player raised KeyError: 'b'" in told


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: mancala.match("greedy", WRONG[0]), "the player is None: hand over"),
        (lambda: mancala.match("greedy", WRONG[1]), "hand over an object, Last()"),
        (lambda: mancala.match("greedy", "random", workers=-1), "-1 processes cannot work"),
        (lambda: mancala.match("greedy", "random", movetime=float("nan")), "above 0, not nan"),
        (lambda: mancala.tournament("greedy"), "not the text 'greedy'"),
        (lambda: mancala.solve("<2,0,0,1,1,1,1>", threads=-1), "-1 threads cannot search"),
        (lambda: mancala.solve("<2,0,0,1,1,1,1>", time=float("nan")), "of seconds, not nan"),
        (lambda: mancala.review(mancala.GameBoard(), time=float("nan")), "of seconds, not nan"),
        (lambda: mancala.analyse("<2,0,0,1,1,1,1>", time=float("nan")), "of seconds, not nan"),
        (lambda: mancala.rate("greedy", positions=0, games=0), "some positions, or by games"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(
    call: Callable[[], object], said: str
) -> None:
    """``None`` played and lost, and fewer than no processes waited for ever."""
    with pytest.raises((ValueError, TypeError), match=re.escape(said)):
        call()


def test_a_rating_on_the_hard_positions_has_each_variant_and_what_games_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each position is asked as often as is said, so what repeats differ by is known."""
    few = [yardstick.positions("test", rules)[0] for rules in yardstick.RULE_SETS]
    monkeypatch.setattr(gauntlet, "hard_ones", lambda: few)
    heard: list[tuple[int, int]] = []
    rating = mancala.rate(
        first, hard=2, games=2, review=0.2, progress=lambda done, total: heard.append((done, total))
    )
    whole = 2 * len(few) + 2 + 2  # answers, games and reviews
    assert heard[-1] == (whole, whole)
    found = rating.to_dict()
    assert found["positions"] == 2 * len(few)
    assert list(found["rule_sets"]) == [str(Rules.of(rules)) for rules in yardstick.RULE_SETS]
    assert found["repeat_error"] == 0
    assert found["regret"]["judged"] > 0
    assert "model" not in found


def test_a_rating_has_no_other_positions_where_openings_are_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There are 500; with more positions than three times as many, the rest is not made up."""
    monkeypatch.setattr("mancala.engine.yardstick.openings", lambda *_: [])
    assert len(mancala.rate(first, positions=3, games=0, progress=False).asked) == 3


def test_a_rating_asks_about_each_board_once_and_counts_its_proofs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A seed comes by the same board again; the next other one takes its place."""
    few = yardstick.positions("test")[:3]

    def made(_seed: int, number: int, *_more: object) -> ProvenPosition:
        return few[(0, 1, 0, 0, 2)[number]]._replace(number=number)

    monkeypatch.setattr("mancala.engine.yardstick.make_position", made)
    heard: list[tuple[int, int]] = []
    rating = mancala.rate(
        first, positions=3, games=0, progress=lambda done, total: heard.append((done, total))
    )
    asked = [answer.position.number for answer in rating.asked]
    assert sorted(asked) == [0, 1, 4, 5]
    assert {done for done, total in heard if total == 3 + 3 + 1} == set(range(1, 8))


def test_a_players_owner_closes_it() -> None:
    """What the library made is closed by it, also where a later player cannot be made."""

    class Kept(GreedyPlayer):
        def close(self) -> None:
            raise AssertionError

    mancala.match(first, Kept(), games=2, progress=False)
    last = Last()
    with pytest.raises(ValueError, match="nobody"):
        mancala.tournament([last, "nobody"], progress=False)
    assert last.closed == 1


def test_what_rates_a_player_is_found_where_it_was() -> None:
    """`mancala.headless` had it before it was a module of its own."""
    assert attrgetter("rate")(headless) is gauntlet.rate  # checkers do not see it


def test_a_match_without_a_pair_of_games_has_a_score() -> None:
    """And no Elo yet."""
    contenders = headless.contenders_of(["random", "greedy"])
    run = MatchRun(headless.match_of(contenders, games=2, conditions=headless.conditions_of()))
    assert str(mancala.MatchResult(run, is_complete=False)) == "random against greedy: +0 =0 -0"


def test_games_of_the_journal_behind_a_gap_are_not_counted_as_played_now() -> None:
    """They are taken up once the games before them have been played; a void pair never counts."""
    contenders = headless.contenders_of(["random", "greedy"])
    event = headless.match_of(contenders, games=6, conditions=headless.conditions_of())
    whole = MatchRun(event)
    deque(headless.played(whole, workers=1), 0)
    kept = GameJournal()
    *games, last = map(whole.journal.games.__getitem__, range(1, 6))
    void = replace(last, facts=last.facts._replace(spared="greedy"))
    kept.add([*games, void])
    again = MatchRun(event, journal=kept)
    deque(headless.played(again, workers=1), 0)
    assert (again.score.games, again.resumed_games) == (4, 3)
    assert again.score.plies - again.resumed_plies == whole.journal.games[0].facts.plies


def test_games_that_a_service_ended_are_said_to_be_void() -> None:
    """Of the two pairs the one with such a game counts nowhere."""

    class Down(GreedyPlayer):
        games = 0

        def new_game(self, seed: int) -> None:
            self.games += 1
            super().new_game(seed)

        def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
            if self.games == 1:
                raise PlayerError("no answer", is_outage=True)
            return super().choose(board, budget)

    result = mancala.match(Down(), first, games=4, progress=False)
    assert str(result).startswith("Down against first: +1 =0 -1 and 2 void games, Elo ")
    assert result.rows[0]["reason"] == "aborted"


def test_a_dataset_is_asked_for_in_texts(tmp_path: Path) -> None:
    """As all else is."""
    card = mancala.dataset(
        str(tmp_path / "small"), positions=2, seeds=(4, 5), rules="kalah:pits=2,seeds=2", workers=1
    )
    assert card.plan.rules == Rules(pits=2, seeds=2)


def test_a_format_that_does_not_exist_is_named_with_those_that_do() -> None:
    """As the command does."""
    with pytest.raises(ValueError, match=r"one of .*swiss.*, not 'x'"):
        mancala.tournament([first, first], format="x")


def test_an_event_is_the_one_of_the_command() -> None:
    """A tied encounter of a knockout is played again, and no Swiss event has too many rounds."""
    table = mancala.tournament([first, first], format="knockout", games=2, progress=False)
    assert table.run.event.replays == 1
    with pytest.raises(ValueError, match="2 players can have 1 Swiss round without meeting again"):
        mancala.tournament([first, first], format="swiss", rounds=3)


def test_ctrl_c_ends_a_match_with_what_there_is() -> None:
    """A notebook's stop arrives as an interrupt of the call."""
    heard: list[tuple[int, int]] = []

    def stopping(done: int, total: int) -> None:
        heard.append((done, total))
        raise KeyboardInterrupt

    result = mancala.match(first, first, games=40, progress=stopping)
    assert not result.is_complete
    ((done, total),) = heard
    assert (len(result.games), total) == (done, 40)
    assert result.wins + result.draws + result.losses == done
    assert "first against first#2: +" in str(result)
    assert result._repr_html_().count("<tr>") == 1 + done


def test_a_program_needs_no_guard_around_a_match(tmp_path: Path) -> None:
    """Workers do not run the program's file again, which would play the match again."""
    program = tmp_path / "program.py"
    program.write_text(
        "import mancala\nprint(mancala.match('random', 'random', games=2, workers=1).games[0].game)"
    )
    done = run_python(program)
    assert done.stdout == "0\n"
