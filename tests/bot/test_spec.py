"""Players by their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.player import as_choice
from bot.spec import make_player
from engine.agents import AgentSpecError
from protocol.rules import Board
from tests.bot.turns import question


@pytest.mark.parametrize(
    "spec",
    ["random", "greedy", "minimax:depth=2", "alphabeta:depth=3", "expectimax:depth=2"],
)
async def test_classic_agents_answer(spec: str) -> None:
    """Each classic agent answers with a legal pit."""
    player = make_player(spec, seed=1)
    assert await player.choose(question()) in Board.start().legal()
    await player.close()


async def test_the_same_seed_plays_the_same_game() -> None:
    """A seeded agent repeats itself."""
    games = []
    for _ in range(2):
        player = make_player("random", seed=7)
        games.append([await player.choose(question()) for _ in range(20)])
        await player.close()
    assert games[0] == games[1]


async def test_a_program_keeps_its_whole_command_line(tmp_path: Path) -> None:
    """Everything after ``cmd:`` is the program, commas and colons included."""
    program = tmp_path / "a:b,c=d.sh"
    program.write_text('#!/bin/sh\nread line\necho "$1"\necho done\n')
    program.chmod(0o755)
    player = make_player(f"cmd:'{program}' 3")
    assert await player.choose(question(budget_s=20.0)) == 3
    await player.close()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("deepblue", "known: engine, cmd, "),
        ("engine:movetime=fast", "movetime must be seconds"),
        ("engine:movetime=0", "movetime must be seconds"),
        ("engine:movetime=nan", "movetime must be seconds"),
        ("engine:depth=1.5", "depth must be a whole number"),
        ("engine:wisdom=9", "known: movetime, depth, nodes"),
        ("engine:table_bits=99", "table_bits"),
        ("engine:quiescence=99", "quiescence must be"),
        ("engine:weights=/no/such/file", "no/such/file"),
        ("minimax:deep=5", "no option 'deep'"),
        ("cmd:", "program"),
        ("", "name"),
    ],
)
def test_a_wrong_text_is_told_what_would_do(spec: str, says: str) -> None:
    """Whoever mistypes a player reads what is known instead."""
    with pytest.raises(AgentSpecError, match=says):
        make_player(spec)


async def test_an_engine_takes_its_options_by_name() -> None:
    """Threads, pondering, the cost of an extra turn and a second look are words of the text."""
    player = make_player("engine:depth=3,threads=2,ponder=1,again_cost=0,verify_plies=2")
    assert as_choice(await player.choose(question(budget_s=60.0))).pit in Board.start().legal()
    await player.close()
