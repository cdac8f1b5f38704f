"""The sentences of a server are read from its sources."""

from tests.simulate.sentences import said_in, sentences, templates


def test_a_template_has_holes_for_what_is_filled_in() -> None:
    """A part of it that is a sentence of its own does not count twice."""
    source = 'def act(name, n):\n    """Say why."""\n    say(f"{name} plays {n:g} games at most")\n'
    assert list(templates(source)) == ["{} plays {} games at most"]


def test_what_is_logged_and_what_is_no_sentence_is_left_out() -> None:
    """Neither is said to a peer."""
    source = 'log.warning("the store is gone", why=1)\nkey = f"bot {name}"\ncode = "unknown"\n'
    assert list(templates(source)) == []


def test_a_sentence_is_found_inside_a_longer_text() -> None:
    """Such as the reason of a quarantine, which quotes the one before."""
    text = "a bot may have at most 3 new versions a day: the ladder main takes no other"
    assert set(said_in(text)) == {
        "server/ladders/day_limits.py: a bot may have at most {} a day",
        "server/ladders/ladder.py: {}: the ladder {} takes no other",
    }
    assert said_in("nothing of the kind") == ()


def test_every_room_that_talks_to_peers_has_sentences() -> None:
    """A room that moved would leave the report without a word."""
    rooms = {each.key.rpartition("/")[0] for each in sentences()}
    assert {"server/ladders", "server/lobby", "server/match", "server/net"} <= rooms
