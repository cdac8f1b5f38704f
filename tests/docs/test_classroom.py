"""The table at the end of the classroom leads to commands, tests and sections that exist."""

import re
import shlex

import pytest
import typer
from typer.core import TyperGroup

from mancala.bot.players.registry import make_player
from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.evaluation.features import FACTORS, NAMES, STORES
from mancala.protocol.rules import KALAH, Board
from mancala.scripts import mancala
from tests.drills.chapter import BLOCKS, CHAPTER, MATCHES, stated
from tests.engine.classics.positions import boards_of
from tests.scripts.commands.results import result_of
from tests.sources import ROOT

PROSE = re.sub(r"^```.*?^```$", "", CHAPTER, flags=re.DOTALL | re.MULTILINE)
PRINTED = "".join(re.findall(r"^```console\n(.*?)^```$", CHAPTER, re.DOTALL | re.MULTILINE))
NUMBER = r"(?<![\w.,])\d[\d,.]*\d|(?<![\w.,])\d(?!\w)"
COUNTED = {
    "expectimax:depth=4": "12,215",
    "expectimax:depth=4,prune=1": "11,260",
    "expectimax:depth=4,minimax=0.8": "34,667",
    "expectimax:depth=4,minimax=0.8,prune=1": "17,696",
    "alphabeta:depth=5,evaluation=side": "13,675",
    "alphabeta:depth=5,evaluation=side,order=none": "5,880",
    "alphabeta:depth=5": "2,652",
}
FALSE_TIES = "51 of 466 positions"
SQUARES = {"linear": "25", "square": "800"}
ELSEWHERE = {
    *("2,763,490", "160,971"),  # tests/end_to_end/test_numbers.py, tests/docs/test_notebook.py
    *("6,4", "4,7"),  # the sizes of Kalah
    *("2011", "2022", "80", "1.5"),  # what the texts say
    f"{FACTORS[STORES][0]:g}",
    *("300", "0.3", "0.4", "1.3", "18"),  # said of the tables and of the agent's positions
}
"""Numbers of the text that are found in other places."""
ROW = r"^\| (.+?) \| `mancala (.+?)` \| `(.+?)` \| \[(.+?)\]\(#(.+?)\) \|$"
ROWS = re.findall(ROW, CHAPTER, re.MULTILINE)


def test_what_a_learner_prints_has_every_feature() -> None:
    """The weights that `mancala learn td` finds are shown by their names of today, in order."""
    printed = CHAPTER.partition("\nweights, in seeds:\n")[2].partition("```")[0]
    names = tuple(line.split()[0] for line in printed.splitlines())
    assert names == (STORES, *NAMES), "print it anew: the command stands above it"


@pytest.mark.parametrize(("spec", "visited"), COUNTED.items())
def test_a_count_in_the_text_is_what_a_player_visits(spec: str, visited: str) -> None:
    """From the start of Kalah(6,4)."""
    player = make_player(spec)
    player.new_game(1)
    info = player.choose(Board.start()).info
    assert info is not None
    assert f"{info.nodes:,}" == visited
    assert visited in PROSE


def test_false_ties_are_as_frequent_as_the_text_says() -> None:
    """In each position of ten random games, what a move is worth beside what it seems."""
    boards = [board for seed in range(10) for board in boards_of(KALAH, seed=seed, every=1)]
    exact, bounds = (AlphaBetaPlayer(depth=3, false_ties=each) for each in (False, True))
    found = sum(bounds.best(board) != exact.best(board) for board in boards)
    assert f"{found} of {len(boards)} positions" == FALSE_TIES
    assert FALSE_TIES in PROSE


@pytest.mark.parametrize(("utility", "value"), SQUARES.items())
def test_squaring_the_leaves_turns_the_choice(utility: str, value: str) -> None:
    """The text has what each tree is worth."""
    tree = result_of("learn", "tree", "(chance(0 40) chance(20 30))", "--utility", utility)
    assert f"{tree['value']:g}" == value
    assert f"worth {value}" in PROSE


def test_each_figure_of_the_text_is_found_by_a_test() -> None:
    """A block prints it, a test counts it, or `tests.drills.chapter` finds it anew."""
    figures = [PRINTED, *BLOCKS, *COUNTED.values(), *SQUARES.values(), FALSE_TIES, *stated()]
    known = {*re.findall(NUMBER, " ".join(figures)), *ELSEWHERE}
    dates = r"[0-9]+ [A-Z][a-z]+ 20[0-9]{2}"
    plain = re.sub(rf"`[^`]*`|\]\([^)]*\)|{dates}", "", PROSE.partition("| topic |")[0])
    assert sorted({*re.findall(NUMBER, plain)} - known) == []
    assert [figure for each in MATCHES for figure in each[2:4] if figure not in PROSE] == []


def test_a_figure_of_games_has_a_date() -> None:
    """What no test repeats says when it was measured."""
    of_games, date = r"±|% of the points|[0-9] games", r"[0-9] [A-Z][a-z]+ 20[0-9]{2}"
    measured = [each for each in PROSE.split("\n\n") if re.search(of_games, each)]
    undated = [each for each in measured if not re.search(date, each)]
    assert len(measured) > 5
    assert undated == []


def test_every_row_has_a_command_a_test_and_a_section() -> None:
    """No row of the table lacks one."""
    table = CHAPTER[CHAPTER.index("| topic |") :].strip().splitlines()
    assert len(ROWS) == len(table) - 2 >= 25


@pytest.mark.parametrize(("topic", "command", "test", "title", "anchor"), ROWS)
def test_a_row_leads_somewhere(
    topic: str, command: str, test: str, title: str, anchor: str
) -> None:
    """The command is known, the file is there, and the section has this title."""
    group = typer.main.get_command(mancala.build())
    for word in shlex.split(command):
        if not isinstance(group, TyperGroup):
            break
        group = group.commands[word]
    assert (ROOT / test).is_file(), topic
    assert f"\n## {title}\n" in CHAPTER
    assert anchor == re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
