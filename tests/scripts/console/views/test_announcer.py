"""What a bot's terminal shows of its games."""

import pytest

from mancala.bot.client.bot import FunctionBot, Game, GameResult, Turn
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, Reason
from mancala.protocol.rules import KALAH
from mancala.scripts.console.views.announcer import Announcer


async def never(_turn: Turn) -> int:
    """Stand in for a mind that is not asked."""
    raise AssertionError("no call is expected")


def result(
    winner: int | None, reason: Reason = Reason.NORMAL, evidence: Evidence | None = None
) -> GameResult:
    """End a game in which we had seat 1."""
    return GameResult("g1", "m1", "rival", 1, winner, (20, 28), reason, evidence)


def test_a_game_is_named_as_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    """The id is what a spectator needs in order to watch."""
    game = Game("g1", "m1", 1, KALAH, TimeControl(), "rival", rated=True)
    Announcer(FunctionBot(never)).game_started(game)
    assert capsys.readouterr().out == "game g1: Player 2 against rival\n"


@pytest.mark.parametrize(
    ("over", "line"),
    [
        (result(1), "game g1: won 28 to 20 (normal)"),
        (result(0), "game g1: lost 28 to 20 (normal)"),
        (result(None), "game g1: drawn 28 to 20 (normal)"),
        (
            result(None, Reason.ABORTED, Evidence(None, "both players were gone")),
            "game g1: aborted 28 to 20 (aborted: both players were gone)",
        ),
        (
            result(0, Reason.TIMEOUT, Evidence(1, "the time was up")),
            "game g1: lost 28 to 20 (timeout: the time was up)",
        ),
    ],
)
def test_a_games_end_is_told_from_the_bots_side(
    over: GameResult, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Own seeds first, and why it ended."""
    Announcer(FunctionBot(never)).game_over(over)
    assert capsys.readouterr().out == f"{line}\n"
