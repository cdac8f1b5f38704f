"""From a player's text to a mind."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from engine.classics import AgentSpecError
from protocol.messages import Info, Reason
from protocol.rules import KALAH, Board
from scripts.processes.minds import ProgramMind, SprintMind, check_spec, make_mind
from server.headless.game import MindError

GOOD = """
import sys
for line in sys.stdin:
    pits = line.split()[0].strip("<>").split(",")[3:9]
    print("thinking", file=sys.stderr, flush=True)
    print(next(i for i, n in enumerate(pits) if n != "0"), flush=True)
    print("done", flush=True)
"""
CRASH = "import sys; sys.stdin.readline(); sys.exit('out of ideas')"
HANG = "import sys; [None for _ in sys.stdin]"
ILLEGAL = "import sys; sys.stdin.readline(); print(9, flush=True); sys.stdin.read()"


def program(tmp_path: Path, source: str) -> ProgramMind:
    """Write a program and make a mind of it."""
    path = tmp_path / "bot.py"
    path.write_text(source)
    mind = make_mind(f"cmd:{sys.executable} {path}", KALAH)
    assert isinstance(mind, ProgramMind)
    return mind


@pytest.mark.parametrize(
    "spec",
    [
        "engine:depth=3",
        "engine:nodes=5",
        "engine:nodes=5000",
        "engine:level=1",
        "engine:level=9,depth=4",
        "random",
        "greedy",
        "mcts:playouts=5",
    ],
)
def test_every_kind_of_mind_plays_the_same_game_again(spec: str) -> None:
    """With the same seed, limits of depth or nodes give the same moves, whatever came before."""

    def moves() -> list[int]:
        board = Board.start(KALAH)
        pits: list[int] = []
        mind.new_game(7)
        while len(pits) < 20 and not board.is_over:
            pits.append(mind.choose(board, budget_s=0.01, deadline_s=1.0).pit)
            board = board.sow(pits[-1]).board
        return pits

    mind = make_mind(spec, KALAH)
    once = moves()
    mind.new_game(8)
    mind.choose(Board.from_text("<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"), budget_s=0.1, deadline_s=1.0)
    assert moves() == once
    assert mind.overheard() == []
    mind.close()


def test_what_was_proven_in_one_game_says_nothing_in_the_next() -> None:
    """The value that one game's opening was proven to have once guided the next game's search."""
    one = Board.from_text("<6,9,3,5,1,0,6,2,4,3,0,4,6,1,4>")
    other = Board.from_text("<6,3,9,0,6,3,0,4,4,5,1,2,5,0,6>")

    def thought(*, after: bool) -> Info | None:
        mind = make_mind("engine:nodes=400000", KALAH)
        if after:
            mind.choose(one, budget_s=0.1, deadline_s=1.0)
        mind.new_game(1)
        return mind.choose(other, budget_s=0.1, deadline_s=1.0).info

    fresh, later = thought(after=False), thought(after=True)
    assert fresh is not None
    assert later is not None
    assert (fresh.nodes, fresh.depth, fresh.value) == (later.nodes, later.depth, later.value)


def test_an_only_move_costs_no_more_than_a_glance() -> None:
    """Where there is nothing to choose, a million nodes are not spent on it."""
    mind = make_mind("engine:nodes=1000000", KALAH)
    forced = Board.from_text("<6,0,0,0,0,0,0,0,9,9,9,9,9,9,9>")
    answer = mind.choose(forced, budget_s=0.1, deadline_s=1.0)
    assert answer.pit == 5
    assert answer.info is not None
    assert answer.info.nodes is not None
    assert answer.info.nodes < 10_000


def test_an_engine_of_few_nodes_keeps_its_limit_to_the_node() -> None:
    """``engine:nodes=1`` thinks about one position, not about a slice of a thousand."""
    mind = make_mind("engine:nodes=30", KALAH)
    assert isinstance(mind, SprintMind)
    info = mind.choose(Board.start(KALAH), budget_s=0.1, deadline_s=1.0).info
    assert info is not None
    assert info.nodes == 30


def test_a_beginner_answers_in_about_a_millisecond() -> None:
    """A level is a headless player as quick as any, and its games differ by their seeds."""
    mind = make_mind("engine:level=1", KALAH)
    pits, began = set(), time.process_time()
    for seed in range(100):
        mind.new_game(seed)
        pits.add(mind.choose(Board.start(KALAH), budget_s=0.1, deadline_s=1.0).pit)
    assert time.process_time() - began < 100 * 0.005
    assert len(pits) > 1


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("nobody", "no player named 'nobody'"),
        ("engine:colour=red", "no option 'colour'"),
        ("engine:level=11", "level must be 1..10, not 11"),
        ("minimax:depth=0", "depth must be"),
        ("cmd:/nowhere/bot", "no program '/nowhere/bot'"),
        ("cmd:", "cmd needs a program"),
    ],
)
def test_what_names_no_player_is_refused(spec: str, complaint: str) -> None:
    """Whoever mistypes a player is told before the first game."""
    with pytest.raises(AgentSpecError, match=complaint):
        check_spec(spec)


def test_a_program_plays_and_its_stderr_is_heard(tmp_path: Path) -> None:
    """A bot in any language takes part, and its author can read what it said."""
    mind = program(tmp_path, GOOD)
    assert mind.choose(Board.start(KALAH), budget_s=1.0, deadline_s=10.0).pit == 0
    mind.close()
    assert mind.overheard() == ["thinking"]


@pytest.mark.parametrize(
    ("source", "reason", "detail", "received"),
    [
        (CRASH, Reason.DISCONNECTED, "crashed; exit code 1; stderr: out of ideas", ""),
        (HANG, Reason.TIMEOUT, "hung", ""),
        (ILLEGAL, Reason.ILLEGAL, "illegal", "9"),
    ],
)
def test_what_a_program_did_wrong_is_told_as_what_it_was(
    tmp_path: Path, source: str, reason: Reason, detail: str, received: str
) -> None:
    """Crash, hang and illegal answer are three different ends, each with its facts."""
    mind = program(tmp_path, source)
    with pytest.raises(MindError) as caught:
        mind.choose(Board.start(KALAH), budget_s=0.2, deadline_s=0.4 if source == HANG else 10.0)
    mind.close()
    assert caught.value.reason is reason
    assert detail in caught.value.detail
    assert caught.value.received == received
