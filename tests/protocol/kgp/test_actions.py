"""The settings of a server for its Kalah Game Protocol clients."""

import pytest

from mancala.protocol.kgp.actions import Policy


def test_clients_seek_rated_pairs_of_games_and_are_pinged_every_20_seconds() -> None:
    """What a server does without settings of its own."""
    assert Policy() == Policy(
        None, None, rated=True, games=2, stop_delay_s=0.05, ping_s=20.0, pong_s=2.0
    )


def test_the_settings_of_all_clients_cannot_be_changed_by_one() -> None:
    """One policy serves all connections."""
    with pytest.raises(AttributeError):
        Policy().games = 3  # type: ignore[misc]  # that is what is tried
