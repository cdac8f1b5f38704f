"""Answers to the web take a bounded share of the game server's loop."""

import pytest

from mancala.server.web.feed.feed_server import OWED_S, REST, SHORTEST_REST_S, Rest


def test_the_questions_of_a_page_are_answered_without_a_rest() -> None:
    """The second one of a ladder's page waited 60 ms for the first."""
    rest = Rest()
    assert [rest.after(0.001, now=100.0 + 0.002 * each) for each in range(3)] == [
        SHORTEST_REST_S
    ] * 3


def test_whatever_is_asked_takes_one_part_of_twenty() -> None:
    """Over any time, but for what may be owed."""
    rest, now, used_s = Rest(), 100.0, 0.0
    for _ in range(500):
        now += 0.002
        used_s += 0.002
        now += rest.after(0.002, now=now)
    assert used_s * (REST + 1) == pytest.approx(now - 100.0 + OWED_S, rel=0.01)
