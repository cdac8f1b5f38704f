"""Engines that speak as UCI's do, as programs of section 13."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mancala.bot.adapters.dialogue import ProgramQuestion
from mancala.bot.adapters.uci import UciEngine
from mancala.bot.players.programs.program import ProgramPlayer
from mancala.protocol.player import Budget
from mancala.protocol.rules import Board
from tests.patience import PATIENCE_S

ENGINE = """import sys
log, mode = open("heard", "a"), (sys.argv[1:] or [""])[0]
def say(line): print(line, flush=True)
board = go = ""
for line in sys.stdin:
    log.write(line); log.flush()
    match line.split():
        case ["uci"]:
            say("id name Abacus 1.0")
            say("option name Hash type spin default 16 min 1 max 64")
            say("option name seeds type spin default 4 min 1 max 64")
            say("uciok")
        case ["isready"]: say("readyok")
        case ["position", "fen", board]: pass
        case ["go", *_]:
            if mode == "dies": sys.exit(3)
            say("info string hello")
            say("info depth 7 seldepth 9 score cp 250 nodes 1200 pv 2 5")
            if mode == "": say("bestmove 2 ponder 5")
            if mode == "swaps": say("bestmove swap")
        case ["stop"]:
            if mode == "waits": say("bestmove 3")
        case ["quit"]: break
"""
START = Board.start()
Make = Callable[[str], UciEngine]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Return what starts an engine in a way, in a folder of the test; it is ended afterwards."""
    monkeypatch.chdir(tmp_path)
    Path("engine.py").write_text(ENGINE)
    made: list[UciEngine] = []

    def start(mode: str) -> UciEngine:
        engine = UciEngine([sys.executable, "engine.py", mode])
        made.append(engine)
        engine.warm_up()
        return engine

    yield start
    for engine in made:
        engine.close()


def _question(budget_ms: int, *, game: str = "g", pie: bool = False) -> ProgramQuestion:
    return ProgramQuestion(START, budget_ms, game, 0, pie)


def test_a_best_move_comes_with_what_the_search_found(make: Make) -> None:
    """The line ``info`` becomes the words of section 13; centiseeds become seeds."""
    answer = make("").answer(_question(1000 * round(PATIENCE_S)))
    assert answer == "2 depth 7 value 2.5 nodes 1200 pv 2 5"


def test_the_dialogue_is_ucis(make: Make) -> None:
    """Only options that the engine has are set, and a game is announced once."""
    engine, budget_ms = make(""), 1000 * round(PATIENCE_S)
    for name, value in (("Hash", "32"), ("seeds", "4"), ("capture", "opposite")):
        engine.set_option(name, value)
    for pie in (True, False):
        engine.answer(_question(budget_ms, pie=pie))
    engine.close()
    position = f"position fen {START.text}"
    assert Path("heard").read_text().splitlines() == [
        *("uci", "isready"),
        *("setoption name Hash value 32", "setoption name seeds value 4", "ucinewgame"),
        *(position, f"go movetime {budget_ms} pie"),
        *(position, f"go movetime {budget_ms}"),
        "quit",
    ]


def test_an_engine_that_thinks_too_long_is_stopped(make: Make) -> None:
    """What it then says is its answer; one that is silent plays the first move of its line."""
    assert make("waits").answer(_question(20)).split()[0] in {"2", "3"}
    silent = make("never stops")
    assert silent.answer(_question(400)) == "2 depth 7 value 2.5 nodes 1200 pv 2 5"


def test_an_engine_may_swap(make: Make) -> None:
    """A swap has no words behind it."""
    assert make("swaps").answer(_question(1000 * round(PATIENCE_S), pie=True)) == "swap"


def test_an_engine_that_dies_says_so(make: Make) -> None:
    """The adapter ends with the sentence, which becomes the evidence of the game."""
    engine = make("dies")
    with pytest.raises(SystemExit, match="ended with code 3"):
        engine.answer(_question(1000 * round(PATIENCE_S)))


@pytest.mark.usefixtures("make")
def test_it_plays_as_a_program() -> None:
    """The module stands in a command line, as a user writes it."""
    command = f"{sys.executable} -m mancala.bot.adapters.uci {sys.executable} engine.py"
    player = ProgramPlayer(command, options={"Hash": "8"})
    try:
        player.warm_up()
        player.new_game(1)
        choice = player.choose(START, Budget(PATIENCE_S, PATIENCE_S))
    finally:
        player.close()
    assert choice.pit == 2
    assert choice.info is not None
    assert (choice.info.depth, choice.info.value, choice.info.pv) == (7, 2.5, (2, 5))
    assert "setoption name Hash value 8" in Path("heard").read_text().splitlines()
