"""What ``mancala bot`` asks the server for, and what it reports."""

import pytest

from mancala.bot.client.bot import GameResult
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Challenge, Reason, Seek
from mancala.protocol.rules import PRESETS, Rules
from mancala.scripts.commands.playing.bot import RequestOptions, _report


def result(winner: int | None, seat: int, reason: Reason = Reason.NORMAL) -> GameResult:
    return GameResult("g", "m", "rival", seat, winner, (20, 28), reason)


def test_what_is_not_asked_for_is_left_to_the_server() -> None:
    """Without options the server's rules and clock hold."""
    seek = RequestOptions().request()
    assert isinstance(seek, Seek)
    assert (seek.rules, seek.clock, seek.opponent, seek.rated) == (None, None, None, True)


def test_options_become_terms() -> None:
    """Rules by name, seconds as a clock, the opponent, and as many games as are wanted."""
    seek = RequestOptions(
        games=8, opponent="rival", rules="article", movetime=0.25, casual=True
    ).request()
    assert seek.rules == PRESETS["article"]
    assert seek.clock == TimeControl(move_ms=250)
    assert (seek.games, seek.opponent, seek.rated) == (8, "rival", False)


def test_a_challenge_names_its_opponent_once() -> None:
    """A bot is either waited for or asked."""
    asked = RequestOptions(games=1, rules="article", casual=True, challenge="rival").request()
    assert asked == Challenge("rival", PRESETS["article"], rated=False, games=1)
    with pytest.raises(ValueError, match="name one"):
        RequestOptions(opponent="rival", challenge="rival").request()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            RequestOptions(ladder="main", challenge="bob", casual=True),
            "a ladder sets opponents and terms: leave out --challenge, --casual",
        ),
        (
            RequestOptions(event="final", opponent="bob", movetime=0.5),
            "an event sets opponents and terms: leave out --opponent, --movetime",
        ),
        (RequestOptions(event_password="wari"), "--event-password is for --event"),  # noqa: S106  # no secret
    ],
)
def test_what_a_ladder_or_an_event_decides_is_not_asked_for(
    options: RequestOptions, message: str
) -> None:
    """An option that would go without effect is named."""
    with pytest.raises(ValueError, match=message):
        options.request()
    assert RequestOptions(ladder="main", rules="kalah", games=4).request() == Seek(
        rules=Rules(), games=4
    )


def test_the_report_counts_from_the_bots_side() -> None:
    """Wins, draws and losses by seat; an aborted game is none of them."""
    games = [result(1, 1), result(0, 1), result(None, 0), result(None, 0, Reason.ABORTED)]
    report = _report("me", games)
    assert report["games"] == 4
    assert (report["wins"], report["draws"], report["losses"]) == (1, 1, 1)
