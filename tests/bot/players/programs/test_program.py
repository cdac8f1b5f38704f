"""Programs as blocking players of headless games."""

import sys
from pathlib import Path

import pytest

from mancala.bot.players.programs.program import ProgramPlayer
from mancala.bot.players.registry import make_player
from mancala.protocol.messages import Info, Reason
from mancala.protocol.player import Budget, PlayerError
from mancala.protocol.rules import KALAH, Board

GOOD = """
import sys
for line in sys.stdin:
    pits = line.split()[0].strip("<>").split(",")[3:9]
    print("thinking", file=sys.stderr, flush=True)
    print(next(i for i, n in enumerate(pits) if n != "0"), flush=True)
    print("done", flush=True)
"""
GOOD_2 = """
import sys
sys.stdin.readline()
print("ready 2", flush=True)
for line in sys.stdin:
    print(line, end="", file=sys.stderr, flush=True)
    word, number = line.split()[0], line.split()[-1]
    if word == "go":
        print(f"0 value 2 {number}", f"done {number}", sep="\\n", flush=True)
    if word == "quit":
        break
"""
CRASH = "import sys; sys.stdin.readline(); sys.exit('out of ideas')"
HANG = "import sys; [None for _ in sys.stdin]"
ILLEGAL = "import sys; sys.stdin.readline(); print(9, flush=True); sys.stdin.read()"


def program(tmp_path: Path, source: str) -> ProgramPlayer:
    path = tmp_path / "bot.py"
    path.write_text(source)
    player = make_player(f"cmd:{sys.executable} {path}", start_up_s=2.0)
    player.warm_up(KALAH)
    assert isinstance(player, ProgramPlayer)
    return player


def test_a_program_plays_and_its_stderr_is_kept(tmp_path: Path) -> None:
    """A bot in any language takes part, and its author can read what it said."""
    player = program(tmp_path, GOOD)
    assert player.choose(Board.start(KALAH), Budget(1.0, 10.0)).pit == 0
    player.close()
    assert player.drain_stderr() == ["thinking"]


@pytest.mark.parametrize(
    ("source", "reason", "detail", "received"),
    [
        (CRASH, Reason.DISCONNECTED, "crashed; exit code 1; stderr: out of ideas", ""),
        (HANG, Reason.TIMEOUT, "no pit since its start", ""),
        (ILLEGAL, Reason.ILLEGAL, "named no legal pit; it wrote '9'", "9"),
    ],
)
def test_what_a_program_did_wrong_is_told_as_what_it_was(
    tmp_path: Path, source: str, reason: Reason, detail: str, received: str
) -> None:
    """Crash, hang and illegal answer are three different ends, each with its facts."""
    player = program(tmp_path, source)
    with pytest.raises(PlayerError) as caught:
        player.choose(Board.start(KALAH), Budget(0.2, 0.4 if source == HANG else 10.0))
    player.close()
    assert caught.value.reason is reason
    assert detail in caught.value.detail
    assert caught.value.received == received


def test_options_for_a_program_that_takes_none_are_refused(tmp_path: Path) -> None:
    """They would be lost silently; the sentence says what the program would have to answer."""
    path = tmp_path / "bot.py"
    path.write_text(GOOD)
    player = make_player(f"cmd[depth=5]:{sys.executable} {path}")
    player.warm_up(KALAH)
    with pytest.raises(PlayerError, match="programs of version 2, which answer with 'ready 2'"):
        player.choose(Board.start(KALAH), Budget(1.0, 10.0))
    player.close()


def test_a_program_of_version_2_is_told_the_seed_and_quits(tmp_path: Path) -> None:
    """It can repeat a game, and clean up at the end."""
    path = tmp_path / "bot.py"
    path.write_text(GOOD_2)
    player = make_player(f"cmd[depth=5]:{sys.executable} {path}")
    player.warm_up(KALAH)
    player.drain_stderr()
    player.new_game(7)
    choice = player.choose(Board.start(KALAH), Budget(1.0, 10.0))
    assert (choice.pit, choice.info) == (0, Info(value=2.0))
    player.close()
    lines = player.drain_stderr()
    assert lines[-1] == "quit"
    assert any(line.startswith("newgame game1 seat 0") and "seed 7" in line for line in lines)
