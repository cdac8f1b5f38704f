"""Players by their text."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from mancala.bot.client.bot import as_choice
from mancala.bot.players.engine_options import FULL_LEVEL, WEIGHT_OPTIONS, engine_settings
from mancala.bot.players.registry import PLAYERS, check_spec, make_bot, with_file_at
from mancala.bot.players.spec import SpecError
from mancala.engine import skill
from mancala.engine.evaluation.features import RANGES
from mancala.engine.evaluation.search_options import SearchOptions
from mancala.engine.evaluation.weights import Weights
from mancala.engine.search.reports import EngineOptions
from mancala.protocol.rules import Board
from tests.bot.players.turns import question
from tests.sources import run_python


@pytest.mark.parametrize(
    "spec", ["random", "greedy", "minimax:depth=2", "alphabeta:depth=3", "expectimax:depth=2"]
)
async def test_classic_agents_answer(spec: str) -> None:
    """Each classic agent answers with a legal pit."""
    player = make_bot(spec, seed=1)
    assert as_choice(await player.choose(question())).pit in Board.start().legal()
    await player.close()


async def test_a_program_keeps_its_whole_command_line(tmp_path: Path) -> None:
    """Everything after ``cmd:`` is the program, commas and colons included."""
    program = tmp_path / "a:b,c=d.sh"
    program.write_text('#!/bin/sh\nread line\necho "$1"\necho done\n')
    program.chmod(0o755)
    player = make_bot(f"cmd:'{program}' 3")
    assert as_choice(await player.choose(question(budget_s=20.0))).pit == 3
    await player.close()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("deepblue", "known: engine, cmd, "),
        ("engine:movetime=fast", "movetime must be seconds"),
        ("engine:movetime=0", "movetime must be seconds"),
        ("engine:movetime=nan", "movetime must be seconds"),
        ("engine:depth=1.5", "depth must be a whole number"),
        ("engine:wisdom=9", "known: movetime, depth, nodes, level, seed"),
        ("engine:level=0", r"level must be a whole number 1\.\.10"),
        ("engine:level=11", r"level must be a whole number 1\.\.10, not '11'"),
        ("engine:level=high", "level must be a whole number"),
        ("engine:level=3,threads=2", "threads does not go with level=3, but movetime"),
        ("engine:level=3,wisdom=9", "no option 'wisdom'"),
        ("engine:level=3,seed=-1", "seed must be a whole number"),
        ("engine:level=3,weights=/no/such/file", "no/such/file"),
        ("engine:seed=3", "seed needs a level"),
        ("engine:table_bits=99", "table_bits"),
        ("engine:quiescence=99", "quiescence must be"),
        ("engine:weights=/no/such/file", "no/such/file"),
        ("engine:my_chain=99", "my_chain must be"),
        ("engine:table_scale=nan", "table_scale must be"),
        ("engine:tempo=high", "'high'"),
        ("minimax:deep=5", "no option 'deep'"),
        ("cmd:", "program"),
        ("", "name"),
    ],
)
def test_a_wrong_spec_is_refused_with_what_is_known(spec: str, says: str) -> None:
    """The message for a mistyped player lists what is known."""
    with pytest.raises(SpecError, match=says):
        make_bot(spec)


async def test_an_engine_takes_its_options_by_name() -> None:
    """Threads, pondering, the cost of an extra turn and a second look are words of the text."""
    player = make_bot("engine:depth=3,threads=2,ponder=1,again_cost=0,verify_plies=2")
    assert as_choice(await player.choose(question(budget_s=60.0))).pit in Board.start().legal()
    await player.close()


def test_an_engine_takes_single_weights_by_name() -> None:
    """A weight is a word of the text, beside a file or the shipped weights; tables have a scale."""
    _, plain = engine_settings({})
    written = {"tempo": "0.5", "table_scale": "2", "stores": "0.5", "nodes": "9"}
    _, varied = engine_settings(written)
    assert varied.weights.stores == 0.5
    assert varied.weights["tempo"] == 0.5
    assert varied.weights["my_chain"] == plain.weights["my_chain"]
    assert varied.weights.pits[0][0][1] == 2 * plain.weights.pits[0][0][1]


def test_weights_bring_the_search_that_they_were_tuned_with(tmp_path: Path) -> None:
    """A file's parameters of the search count, except where the text names them."""
    path = tmp_path / "weights.json"
    Weights(search=SearchOptions(quiescence=3, again_cost=0)).save(path)
    _, options = engine_settings({"weights": str(path), "again_cost": "1"})
    assert isinstance(options, EngineOptions)
    assert (options.search.quiescence, options.search.again_cost) == (3, 1)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("nobody", "no player named 'nobody'"),
        ("engine:level=3,threads=2", "does not go with"),
        ("engine:weights=/no/such/file", "no/such/file"),
        ("cmd:/nowhere/bot", "no program '/nowhere/bot'"),
    ],
)
def test_a_check_refuses_what_could_not_be_made_here(spec: str, complaint: str) -> None:
    """A mistyped player is refused before the first game, without being made."""
    with pytest.raises(SpecError, match=complaint):
        check_spec(spec)


def test_declared_ranges_and_defaults_are_the_engine_s_own() -> None:
    """What is listed for the engine is what it accepts and what it does when left alone."""
    declared = {option.name: option for option in PLAYERS["engine"].options}
    engine, make = EngineOptions(), cast("Callable[..., object]", EngineOptions)
    for name in ("table_bits", "verify_plies", "tables", "book", "threads", "ponder"):
        option = declared[name]
        default = getattr(engine, name)
        assert option.default == (None if default is None else str(default))
        low, high = map(int, option.range.removeprefix("a whole number ").split(".."))
        for value in (low, high):
            make(**{name: value})
        for value in (low - 1, high + 1):
            with pytest.raises(ValueError, match=name):
                make(**{name: value})
    assert FULL_LEVEL == skill.FULL_LEVEL


def test_every_weight_is_an_option_with_its_range() -> None:
    """The names are the engine's; a weight at the end of its range is read, one beyond refused."""
    assert [option.name for option in WEIGHT_OPTIONS] == list(RANGES)
    for option in WEIGHT_OPTIONS:
        low, high = RANGES[option.name]
        assert (option.read(str(low)), option.read(str(high))) == (low, high)
        with pytest.raises(ValueError, match=r"^$"):
            option.read(str(high + 1))


def test_every_option_has_a_meaning_and_a_range() -> None:
    """The list of players leaves nothing unexplained."""
    for kind in PLAYERS.values():
        assert kind.meaning
        assert all(option.meaning and option.range for option in kind.options)


def test_the_registry_loads_neither_numba_nor_numpy() -> None:
    """Listing players must work where the engine is not installed, and quickly where it is."""
    code = "import sys, mancala.bot.players.registry; print({'numba', 'numpy'} & set(sys.modules))"
    done = run_python("-c", code)
    assert done.stdout == "set()\n"


def test_a_file_is_renamed_where_a_spec_names_it() -> None:
    """``w1`` broke ``w10``, and the argument of a program that was written alike."""
    places = {"w1": "/proc/self/fd/7"}
    assert with_file_at("engine:weights=w1,nodes=5", places) == (
        "engine:weights=/proc/self/fd/7,nodes=5"
    )
    for other in ("engine:weights=w10", "cmd:./bot --weights=w1", "random"):
        assert with_file_at(other, places) == other
