"""What a client decides by what it plays."""

import logging

import pytest

from mancala.bot import Game
from mancala.bot.client.state import ClientState, Profile
from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Evidence, GameOver, Reason
from mancala.protocol.rules import KALAH


def state(*, games: int | None, challenges: int | None, matches: int) -> ClientState:
    profile = Profile(
        name="ann",
        token=None,
        agent=None,
        games=games,
        seek=None,
        accept=True,
        ladder="main",
        challenges=challenges,
    )
    found = ClientState(profile, None, logging.getLogger("test"))
    found.matches.update(f"m{number}" for number in range(matches))
    return found


@pytest.mark.parametrize(
    ("games", "challenges", "matches", "accepts"),
    [
        (500, 4, 1, True),  # a house bot, beside its ladder
        (500, 4, 3, True),
        (500, 4, 4, False),
        (None, 4, 4, False),
        (2, None, 0, True),
        (2, None, 1, False),  # it counts the games of one match
        (None, None, 9, True),
    ],
)
def test_challenges_are_accepted_up_to_the_bound(
    games: int | None, challenges: int | None, matches: int, *, accepts: bool
) -> None:
    """Beside other matches only with a bound, or without a number of games."""
    assert (
        state(games=games, challenges=challenges, matches=matches).accepts_challenges() == accepts
    )


def test_a_result_has_the_evidence_of_its_end() -> None:
    """The author reads what the server states."""
    found = state(games=None, challenges=None, matches=0)
    found.on_game_start(Game("g1", "m1", 0, KALAH, TimeControl(), "bob", rated=True))
    over = GameOver("g1", 0, (25, 23), Reason.ILLEGAL, Evidence(1, "there is no pit 77", 4, pit=77))
    result = found.on_game_over(over)
    assert result is not None
    assert result.evidence == over.evidence
