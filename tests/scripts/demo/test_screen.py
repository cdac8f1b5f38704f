"""What the demo shows, as text."""

from io import StringIO

from rich.console import Console, RenderableType

from mancala.protocol.messages import GameOver, Info, Reason
from mancala.scripts.demo.screen import Screen, live_view, match_table, result_line
from tests.scripts.demo.test_view import board_of_two, game_result, game_start, match_result, moved


def shown(renderable: RenderableType) -> str:
    out = StringIO()
    Console(file=out, width=80).print(renderable)
    return out.getvalue()


def test_before_the_first_game_the_bots_are_said_to_warm_up() -> None:
    """An empty board is not drawn."""
    assert "warm up" in shown(live_view(board_of_two(), now=0.0))


def test_the_live_view_shows_board_clock_and_thoughts() -> None:
    """The article's board, the time left of the move, and depth, value and nodes."""
    score = board_of_two()
    score.on_message(game_start(), now=1.0)
    score.on_message(moved(4, Info(depth=9, value=3.0, nodes=123456)), now=1.15)
    text = shown(live_view(score, now=1.20))
    assert "Game 1 of 2: oak above, elm below" in text
    assert "  13 | 1 |=======================| 0 | 6" in text
    assert "0.15 s" in text
    assert "123,456" in text
    assert "+3" in text


def test_the_running_clock_never_goes_below_zero() -> None:
    """A late picture shows no negative time."""
    score = board_of_two()
    score.on_message(game_start(), now=1.0)
    assert "-" not in shown(live_view(score, now=99.0)).split("0.00 s")[0].splitlines()[-1]


def test_a_result_over_mqtt_is_one_line() -> None:
    """Who played, the stores, who won and why it ended."""
    score = board_of_two()
    score.on_result(game_result())
    assert result_line("g1", score.finished["g1"]) == (
        "game g1  oak 30-18 elm  oak wins  (normal, 31 moves)"
    )


def test_the_table_tells_which_results_came_over_mqtt() -> None:
    """A game seen on the websocket alone is marked."""
    score = board_of_two()
    score.on_result(game_result("g1"))
    score.on_message(game_start("g2", ("elm", "oak")), now=1.0)
    score.on_message(GameOver("g2", 1, (10, 12), Reason.TIMEOUT), now=2.0)
    text = shown(match_table(score))
    assert text.splitlines()[4].split() == ["1", "oak", "elm", "30-18", "oak", "31", "yes"]
    assert text.splitlines()[5].split()[:6] == ["2", "elm", "oak", "10-12", "oak", "(timeout)"]
    assert text.splitlines()[5].split()[-1] == "no"
    assert "oak 2, elm 0" in text


async def test_without_a_terminal_results_are_plain_lines() -> None:
    """Into a pipe go lines, without a live view."""
    out, score = StringIO(), board_of_two()
    screen = Screen(Console(file=out), score)
    async with screen.live():
        for payload in (game_result(), match_result()):
            score.on_result(payload)
            screen.announce(payload)
    assert out.getvalue() == ("MQTT: game g1  oak 30-18 elm  oak wins  (normal, 31 moves)\n")
