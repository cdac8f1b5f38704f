"""How soon very short games may follow one another."""

from __future__ import annotations

from mancala.server.match.participant import Participant
from mancala.server.match.short_games import (
    SHORT_GAMES_BURST,
    SHORT_GAMES_PER_S,
    SHORT_PLIES,
    ShortGames,
)


def bot(name: str, address: str = "") -> Participant:
    """Return a bot with a token, or a guest from an address."""
    player = Participant(name, "hash", None, is_guest=bool(address))
    player.address = address
    return player


def waits(pace: ShortGames, player: Participant, games: int, plies: int = 1) -> list[float]:
    """Return how long each of some games has to wait that end after a number of plies."""
    found = []
    for _ in range(games):
        pace.ended([player], plies)
        found.append(pace.wait_s([player], 0.0))
    return found


def test_games_of_a_few_plies_follow_one_another_at_a_pace() -> None:
    """After a burst each waits longer than the one before; time pays for them."""
    pace, ann = ShortGames(), bot("ann")
    assert waits(pace, ann, SHORT_GAMES_BURST) == [0.0] * SHORT_GAMES_BURST
    assert waits(pace, ann, 2) == [1 / SHORT_GAMES_PER_S, 2 / SHORT_GAMES_PER_S]
    assert pace.wait_s([ann], 60.0) == 0.0


def test_longer_games_never_wait() -> None:
    """Not even those of a bot whose short games used its budget up."""
    pace, ann = ShortGames(), bot("ann")
    waits(pace, ann, SHORT_GAMES_BURST + 9)
    assert waits(pace, ann, 5, plies=SHORT_PLIES) == [0.0] * 5


def test_guests_of_an_address_share_a_budget() -> None:
    """A new name brings nothing; other addresses, and bots with a token, have their own."""
    pace = ShortGames()
    for number in range(SHORT_GAMES_BURST):
        waits(pace, bot(f"guest-{number}", "192.0.2.1"), 1)
    assert waits(pace, bot("new", "192.0.2.1"), 1) > [0.0]
    assert waits(pace, bot("far", "192.0.2.2"), 1) == [0.0]
    assert waits(pace, bot("ann"), 1) == [0.0]


def test_two_guests_of_one_address_pay_for_their_game_once() -> None:
    """The game is one game."""
    pace, pair = ShortGames(), [bot("ann", "192.0.2.1"), bot("bob", "192.0.2.1")]
    for _ in range(SHORT_GAMES_BURST):
        pace.ended(pair, 0)
        assert pace.wait_s(pair, 0.0) == 0.0
