"""A setting that does not exist is named with its place and the names near it."""

from __future__ import annotations

import pytest

from mancala.server.config.loading import parse
from mancala.server.config.settings import ConfigError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("stroe = 1", "stroe: there is no such setting; did you mean store?"),
        ("[limits]\nidle = 5", "limits.idle: there is no such setting; did you mean idle_s?"),
        ("[clock]\nmov_ms = 1", "clock.mov_ms: there is no such setting; did you mean move_ms?"),
        (
            '[[ladder]]\nname = "a"\nrulez = "kalah"',
            "ladder[0].rulez: there is no such setting; did you mean rules?",
        ),
        ("[tls]\nzzz = 1", "tls.zzz: there is no such setting; known: cert, key, ca"),
        ("[limits]\nzzz = 1", "limits.zzz: there is no such setting"),
        (
            '[[event]]\nname = "a"\nenter = "all"',
            "event[0].enter: must be one of list, open, tokens, not 'all'",
        ),
    ],
)
def test_an_unknown_key_is_answered_with_the_near_ones(text: str, line: str) -> None:
    """In nested tables too; a short table without a near name lists what it holds."""
    with pytest.raises(ConfigError) as refused:
        parse(text)
    assert str(refused.value) == line


def test_a_value_of_another_type_is_named_with_its_key() -> None:
    """The key stands in front, as it does for values out of range, and the type is words."""
    for text, line in (
        ("[limits]\ngames = 'many'", "limits.games: expected a whole number, got a text"),
        ("limits.games = 0", "limits.games: expected a whole number >= 1"),
        ("clock = 3", "clock: expected a table such as {move_ms = 1000}, got a whole number"),
        (
            "[[event]]\nrounds = 'many'",
            "event[0].rounds: expected a whole number, got a text",
        ),
        (
            "[[event]]\nteam = 'a,b'",
            'event[0].team: expected a list such as ["ann", "bob"], got a text',
        ),
        (
            "[[event]]\naccelerated = 'yes'",
            "event[0].accelerated: expected true or false, got a text",
        ),
        ("name = ['a']", "name: expected a text in quotes, got a list"),
        ("[[event]]\nname = 'cup'", "event[0].format: it is missing, and has no default"),
    ):
        with pytest.raises(ConfigError) as refused:
            parse(text)
        assert str(refused.value) == line
