"""What a client decides by what it plays."""

import logging

import pytest

from mancala.bot.client.state import ClientState, Profile


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
