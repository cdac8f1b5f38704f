"""Players of one's own in Python: what may be written, how it is asked, how it fails."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mancala.bot import Bot
from mancala.bot.client.asking import ask
from mancala.bot.client.bot import Choose
from mancala.bot.players.own import Place
from mancala.bot.players.registry import check_spec, make_bot, make_player
from mancala.bot.players.spec import SpecError
from mancala.protocol.messages import Reason
from mancala.protocol.player import Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board
from tests.bot.players.turns import question

SOURCE = """
import random

from mancala import Bot
from mancala.protocol.player import Choice, Player
from beside import LAST

def choose(turn):
    turn.offer(turn.legal[0])
    return turn.legal[LAST]

async def later(turn):
    return turn.legal[1]

class Hooked(Bot):
    started = None
    async def warm_up(self):
        self.warm = 3
    def game_started(self, game):
        self.started = game.seat
    async def choose(self, turn):
        assert self.started == turn.board.player
        return self.warm

class Plain:
    def choose(self, turn):
        return turn.legal[2]

class Deep(Player):
    def choose(self, board, budget=None):
        return Choice(board.legal()[4])

def chance(turn):
    return random.choice(turn.legal)

def fails(turn):
    raise KeyError("weights")

def silent(turn):
    pass

ply = lambda turn: turn.ply
NUMBER = 7
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "beside.py").write_text("LAST = -1\n")
    path = tmp_path / "own.py"
    path.write_text(SOURCE)
    return path


Make = Callable[[str], Player]


@pytest.fixture
def make(file: Path, made: Make) -> Make:
    return lambda name: made(f"python:{file}:{name}")


@pytest.mark.parametrize(
    ("name", "pit"), [("choose", 5), ("later", 1), ("Hooked", 3), ("Plain", 2), ("Deep", 4)]
)
async def test_functions_and_classes_play_with_and_without_a_server(
    file: Path, name: str, pit: int
) -> None:
    """The same name is a player of headless games and a bot on a server."""
    player = make_player(f"python:{file}:{name}")

    def headless() -> Choice:
        player.warm_up(KALAH)
        player.new_game(1)
        choice = player.choose(Board.start(), Budget(1.0, 10.0))
        player.close()
        return choice

    chosen: list[Choice] = []
    thread = threading.Thread(target=lambda: chosen.append(headless()))  # a loop of its own
    thread.start()
    thread.join()
    assert chosen == [Choice(pit)]

    bot = make_bot(f"python:{file}:{name}")
    await bot.warm_up()
    turn = question()
    bot.game_started(turn.game)
    choose: Choose = bot.choose
    answer = await ask(choose, turn)
    assert answer in (pit, Choice(pit))
    await bot.close()


def test_the_usual_name_is_choose(file: Path) -> None:
    """A file alone names its function `choose`; its offers reach the host."""
    offers: list[Choice] = []
    player = make_player(f"python:{file}")
    assert player.choose(Board.start(), Budget(offer=offers.append)).pit == 5
    player.close()
    assert offers == [Choice(0)]
    assert isinstance(make_bot(f"python:{file}"), Bot)


def test_a_seed_repeats_a_game(make: Make) -> None:
    """A bot that uses `random` answers the same in a game of the same seed."""
    player = make("chance")
    answers = []
    for _ in range(2):
        player.new_game(5)
        answers.append([player.choose(Board.start()).pit for _ in range(8)])
    assert answers[0] == answers[1]


def test_a_turn_counts_its_plies(make: Make) -> None:
    """Sowings of both players count, as far as the positions show them."""
    player = make("ply")
    player.new_game(1)
    board = Board.start()
    assert player.choose(board).pit == 0
    board = board.sow(0).board.sow(0).board
    assert player.choose(board).pit == 2


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        (
            "fails",
            Reason.DISCONNECTED,
            r"the player raised KeyError: 'weights' \(own.py, line 37\)",
        ),
        ("silent", Reason.ILLEGAL, "must return a pit or a Choice, not None"),
    ],
)
def test_a_fault_costs_the_game_and_is_named(
    make: Make, name: str, reason: Reason, detail: str
) -> None:
    """What an author's function raises loses its game, and the line stands in the record."""
    with pytest.raises(PlayerError, match=detail) as caught:
        make(name).choose(Board.start())
    assert caught.value.reason is reason


@pytest.mark.parametrize(
    ("source", "name", "said"),
    [
        (None, "choose", "own.py: no such file or directory"),
        ("def choose(:", "choose", "own.py, line 1: invalid syntax"),
        ("import nowhere_to_be_found", "choose", "No module named 'nowhere_to_be_found'"),
        ("import sys; url = sys.argv[99]", "choose", "raises IndexError: list index out of range"),
        ("def choose(turn): ...", "chose", "has no 'chose'; it has choose"),
        ("NUMBER = 7", "NUMBER", "NUMBER in .* is neither a function nor a class with choose"),
        ("class Bad:\n    def __init__(self, net): ...", "Bad", r"Bad\(\) raises TypeError"),
    ],
    ids=["no file", "syntax", "import", "needs arguments", "name", "no player", "constructor"],
)
def test_what_cannot_be_made_is_one_sentence(
    tmp_path: Path, source: str | None, name: str, said: str
) -> None:
    """An author reads what is wrong with the file, and no traceback."""
    path = tmp_path / "own.py"
    if source is not None:
        path.write_text(source)
    with pytest.raises(SpecError, match=said) as caught:
        make_player(f"python:{path}:{name}")
    assert "\n" not in str(caught.value)


def test_a_check_does_not_run_the_file(tmp_path: Path) -> None:
    """What a command checks before it starts workers loads no network."""
    path = tmp_path / "own.py"
    path.write_text("raise SystemExit('loaded')")
    check_spec(f"python:{path}:choose")
    with pytest.raises(SpecError, match="no such file"):
        Place.parse("nowhere.py").check()
