"""Bad input of commands that play, think and teach."""

import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.scripts.commands.results import refusal_of

LINES: Final = """
analyze <6,0,0,0,0,0,0,0,0,4,4,4,4,4,4> --json -> mancala:
analyze --rules chess --json -> mancala:
bot -> Missing argument 'URL'
bot ws://127.0.0.1:1 --player nobody -> nobody
bot ws://127.0.0.1:1 --player random --name 'a b' -> 'a b' cannot be a name
bot http://127.0.0.1:1 -> 'http://127.0.0.1:1' is not the address
bot ws://127.0.0.1:1 --rules chess -> no rules named 'chess'
check-bot http://127.0.0.1:1 --json -> mancala:
check-bot cmd:/no/such/program --json -> mancala:
check-bot cmd:cat --only chess --json -> mancala:
check-bot ws://127.0.0.1:0 --run './bot {port}' -> --run './bot {port}' has no {url}
check-bot tcp://127.0.0.1:0 --run './bot {port}' -> --run './bot {port}' has no {url}
classics depth --rules chess -> known: kalah
classics opponents --rules chess -> known: kalah
dance -> No such command 'dance'
dataset data --tables 6 --seeds some --json -> mancala:
dataset data --tables 6 --seeds 1-9 --json -> mancala:
dataset data --tables 6 --rules article --json -> mancala:
demo --games 0 -> '--games'
demo --second nobody -> nobody
endgame build --seeds 99 --json -> mancala:
endgame build --rules article --json -> mancala:
endgame probe <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> --json -> mancala:
learn tree '(1 (2' -> the parenthesis at 3 is not closed
learn tree '(1 2)' --board start -> not both
learn tree --board start --depth 6 -> ask for less depth
learn tree --board <1,2,3> -> <1,2,3>
learn tree '(1 20)' --bounds 0 9 -> outside the bounds
learn tree '((1 2) 3)' --depth 1 -> write it as @4
learn tree '((1 ?) 3)' -> not known, so it matters
learn tree --svg /no/such/folder/tree.svg -> /no/such/folder: no such directory
learn tree --board <2,3,1,0,0,2,1> -> the game is over
learn utilities '(1,2 3)' -> one number for each player
learn utilities '((1,2)' -> not closed
learn utilities '()' -> one number for each player
learn utilities '(1,2 x)' -> not numbers joined by commas
learn deepening '((1 2) 3)' -> write it as @4
learn deepening '(1 2)' --board start -> not both
learn horizon --board <2,3,1,0,0,2,1> -> the game is over
learn td --against deepblue -> known: engine
learn nodes --rules chess -> known: kalah
list http://127.0.0.1:9 --json -> mancala:
match random nobody -> no player named 'nobody'
match random -> a match has two players
match random greedy --rules chess -> no rules named 'chess'
match random greedy --sprt 5 0 -> elo0 must be less than elo1
match random greedy --openings /nowhere -> /nowhere
match random greedy --games 0 -> '--games'
match --run 'python3 bot.py {url}' -> two players, SPECs or --run commands, not 1
match random greedy --resume nowhere/typo -> no event to take up:
match random greedy --publish http://arena -> begins with ws:// or wss://
match random greedy --publish ws://arena -> --publish needs --publish-as NAME and --token TOKEN
match random greedy --live 0 --title '' -> --title: 1 to 200 characters
new ada --lang cobol --json -> mancala:
new 'a da' --json -> mancala:
new --json -> mancala:
new ada --version '1 2' --json -> mancala:
new ada --dir /dev/null/a --json -> mancala:
next ws://127.0.0.1:9 'no name' --json -> mancala:
perft 3 <6,2> --json -> mancala:
perft -3 -> Error: Invalid value for 'dept
perft 3 --jsno -> Error: No such option: --jsno
perft ٣ -> digits 0 to 9
perft 2 --jobs=٣ -> digits 0 to 9
play --rules chess -> no rules named 'chess'
play --rules kalah:pits=0 -> pits must be 1..16, not 0
play --player nobody -> nobody
play --player cmd:/no/such/program -> no program '/no/such/program'
play-bots greedy -> takes two players, SPECs or --run commands, not 1
players minmax --json -> mancala:
prove kalah:4,3 --json -> mancala:
prove --dir nowhere --resume --json -> mancala:
prove kalah:4,3 --pits 4 --dir new --json -> mancala:
prove kalah:4,3 --rules article --dir new --json -> mancala:
prove chess:4,3 --dir new --json -> mancala:
prove <4,0,0,0,0,0,0,2,2,2,2> --dir new --json -> mancala:
prove --check nowhere --json -> mancala:
rate nobody --json -> mancala:
rate random --positions 0 --games 0 --json -> mancala:
review --json -> mancala:
review --server http://127.0.0.1:1 --json -> mancala:
review --server ws://127.0.0.1:1 --bot ann --json -> mancala:
serve --config /nowhere.toml -> /nowhere.toml
serve --port 65536 -> '--port'
solve <6,25,37,2,2,0,0,0,0,1,2,1,1,1,0> --pits 6 --json -> mancala:
solve --pits 16 --seeds 16 --json -> mancala:
solve --pits ٣ -> digits 0 to 9
solve --time nan -> '--time': nan is no number
event new --duration nan -> '--duration': nan is no number
match random greedy --sprt nan 5 -> '--sprt': nan is no number
match random greedy --alpha 0.1 -> go with --sprt
dataset /dev/null -> mancala:
solve kalah:3,3 --pits 3 -> not both
solve article --rules kalah:seeds=4 -> article states the rules; leave out --rules kalah:seeds=4
solve <1,3,1,1,2> --rules oware -> the compiled engine cannot play the rules oware
spec asyncapi --dir /dev/null/documents --json -> mancala:
tournament -> name the players
tournament random -> two players or more
tournament random nobody -> no player named 'nobody'
tournament random greedy --format league -> not 'league'
tournament random greedy captures --format match -> a match has two players, not 3
tournament random greedy --tie-breaks wins,luck -> --tie-breaks: 'luck' is unknown
tournament random greedy --tie-breaks wins,wins -> one is named twice
tournament random greedy --late random -> --late: 'random' is not NAME=ROUND
tournament random greedy --late random=2 -> only a Swiss event or an arena
tournament random greedy --format arena --bye random=1 -> only a Swiss event
tournament random greedy --format swiss --bye bob=1 -> no player is named 'bob'
tournament --resume nowhere -> no event to take up: nowhere/event.json: no such file
tune -> --fit or --play
tune --fit --play -> either --fit or --play
tune --fit --generations 3 -> --generations can only be used with --play
tune --fit --test-games 3 -> --test-games can only be used with --play
tune --fit --weights w.json --searched 9 -> --searched can only be used
tune --fit --wide 500 --tables 9 -> --tables can only be used with --fit
tune --play --wide 500 -> --wide can only be used with --fit
tune --play --net 9 -> --net can only be used with --fit
tune --play --positions 500 -> --positions can only be used with --fit
tune --play --rules chess -> no rules named 'chess'
tune --play --rules kalah --rules article -> only in the seeds per pit
tune --play --weights /nowhere.json -> /nowhere.json
tune --play --sprt 5 0 -> elo0 must be less than elo1
tune --play --only luck -> weights or search
tune --play --nodes 1000000 -> --nodes must be
tune --play --population 1 -> '--population'
tune --play --resume a,b -> comma
"""
"""Commands, each with words of what it says."""


@pytest.mark.parametrize("line", LINES.split("\n")[1:-1])
def test_bad_input_is_a_usage_error(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is reported on stderr with exit code 2, stdout is empty, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    command, _, said = line.partition(" -> ")
    assert said in refusal_of(*shlex.split(command))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_gets_no_bot(tmp_path: Path) -> None:
    """What is in it stays as it is."""
    (tmp_path / "mine").touch()
    assert "is not empty" in refusal_of("new", "ada", "--dir", str(tmp_path), "--json")
    assert list(tmp_path.iterdir()) == [tmp_path / "mine"]
