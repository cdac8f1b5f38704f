"""Agents of the Manchester course as programs of section 13."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mancala.bot.adapters.dialogue import ProgramQuestion
from mancala.bot.adapters.manchester import AdaptedAgents
from mancala.protocol.rules import SWAP, Board, Rules
from mancala.protocol.variants import MANCHESTER

RULES = Rules(pits=7, seeds=7, pie=True)
AGENT = """import sys
log, swaps, is_south, is_first = open("heard", "a"), "swap" in sys.argv, False, True
def play(state):
    numbers = list(map(int, state.split(",")))
    size = len(numbers) // 2
    row = numbers[size:-1] if is_south else numbers[:size - 1]
    print(f"MOVE;{next(hole for hole, seeds in enumerate(row, 1) if seeds)}", flush=True)
for line in sys.stdin:
    log.write(line); log.flush()
    name, *rest = line.strip().split(";")
    if name == "START":
        is_south = rest == ["South"]
        if is_south: print("MOVE;1", flush=True)
    elif name == "CHANGE" and rest[2] == "YOU":
        if rest[0] == "SWAP": is_south = not is_south
        if swaps and not is_south and is_first:
            print("SWAP", flush=True)
            is_south = True
        else: play(rest[1])
        is_first = False
    elif name == "END": break
"""


class _HeardAgents:
    """The agents of a folder, and what they have heard."""

    def __init__(self, folder: Path, *options: str) -> None:
        (folder / "agent.py").write_text(AGENT)
        self._heard = folder / "heard"
        self.player = AdaptedAgents([sys.executable, str(folder / "agent.py"), *options])

    def answer(self, board: Board, game: str = "g") -> str:
        shown = Board.from_text(board.text)
        is_open = bool(board.rules.pie)
        return self.player.answer(ProgramQuestion(shown, 1000, game, board.player, is_open))

    @property
    def heard(self) -> list[str]:
        return self._heard.read_text().splitlines()


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_HeardAgents]:
    monkeypatch.chdir(tmp_path)
    found = _HeardAgents(tmp_path)
    yield found
    found.player.close()


@pytest.mark.parametrize(
    ("rules", "left", "turn", "then"),
    [
        (RULES, 0, "YOU", "2;8,8,7,7,7,7,7,0,0,0,9,9,9,9,9,2;OPP"),
        (MANCHESTER, 60, "OPP", "1;0,8,8,8,8,8,8,1,0,8,8,8,8,8,8,1;OPP"),
    ],
    ids=str,
)
def test_an_agent_hears_its_own_moves_and_the_opponents(
    course: _HeardAgents, rules: Rules, left: int, turn: str, then: str
) -> None:
    """Each answer is that of a board that it was told; the course's first move gives no more."""
    board = Board.start(rules)
    while board.in_play > left:
        pit = board.legal()[0]
        assert board.player == 1 or course.answer(board) == str(pit)
        board = board.sow(pit).board
    first = f"CHANGE;1;7,7,7,7,7,7,7,0,0,8,8,8,8,8,8,1;{turn}"
    assert course.heard[:3] == ["START;South", first, f"CHANGE;{then}"]
    assert course.heard.count("START;South") == 1


@pytest.mark.parametrize("rules", ["manchester", "kalah:pits=7,seeds=7,pie=true"])
@pytest.mark.parametrize("hole", range(1, 8))
def test_north_hears_which_move_was_first(course: _HeardAgents, rules: str, hole: int) -> None:
    """The one that leads to the position, and the further ones of that turn."""
    board = Board.start(Rules.parse(rules)).sow(hole - 1).board
    if board.player == 0:
        board = board.sow(5).board
    course.answer(board)
    said = [line.split(";")[1] for line in course.heard if line.startswith("CHANGE")]
    assert course.heard[0] == "START;North"
    assert said == ([str(hole)] if rules == "manchester" or hole > 1 else ["1", "6"])


def test_a_position_out_of_nowhere_goes_to_a_new_agent(course: _HeardAgents) -> None:
    """It plays South and hears it as the outcome of its first move; the old one's game is over."""
    course.answer(Board.start(RULES))
    assert course.answer(Board.from_text("<3,5,1,0,2,1,1,0,4>")) == "1"
    assert course.heard == ["START;South", "END", "START;South", "CHANGE;1;1,0,4,1,0,2,1,5;YOU"]


def test_games_side_by_side_have_an_agent_each(course: _HeardAgents) -> None:
    """A game goes on where it was, whichever was asked about meanwhile."""
    board = Board.start(Rules(pits=7, seeds=7))
    course.answer(board, "one")
    course.answer(board, "two")
    assert course.answer(board.sow(0).board, "one") == "1"
    assert course.heard.count("START;South") == 2


def test_the_opponents_swap_changes_the_sides(course: _HeardAgents) -> None:
    """The agent, South before, hears ``SWAP`` and goes on as North."""
    board = Board.start(RULES)
    while board.player == 0:
        board = board.sow(int(course.answer(board))).board
    swapped = board.sow(SWAP).board
    assert course.answer(swapped) == str(swapped.legal()[0])
    assert course.heard[-1].startswith("CHANGE;SWAP;")
    assert course.heard[-1].endswith(";YOU")


def test_an_agent_may_swap_where_a_swap_can_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is North, answers ``SWAP``, and hears the next move as South."""
    monkeypatch.chdir(tmp_path)
    course = _HeardAgents(tmp_path, "swap")
    board = Board.start(RULES).sow(1).board
    assert course.answer(board) == "swap"
    board = board.sow(SWAP).board
    while board.player == 0:
        board = board.sow(board.legal()[-1]).board
    assert course.answer(board) == str(board.legal()[0])
    course.player.close()
    assert course.heard[0] == "START;North"
    assert "START;South" not in course.heard


def test_an_agent_that_ends_or_babbles_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence goes to stderr, so it stands beside the game."""
    monkeypatch.chdir(tmp_path)
    for code, reason in (("raise SystemExit(3)", "ended with code 3"), ("print('hm')", "'hm'")):
        player = AdaptedAgents([sys.executable, "-c", f"input(); {code}"])
        with pytest.raises(SystemExit, match=reason):
            player.answer(ProgramQuestion(Board.start(RULES), 1000, "g", 0, pie=False))
        player.close()
