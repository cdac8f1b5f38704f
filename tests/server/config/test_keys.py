"""What is wrong in a file of settings is named with its key, its line and what is allowed."""

import pytest

from mancala.server.config.loading import parse
from mancala.server.config.settings import ConfigError

QUOTES = ("'", '"', "'''", '"""')
OF_EVENT = "it belongs to event[0], not to event[0].clock"
NONE = "there is no such setting"
BELONGS = "it belongs to no table, so it stands above the first one"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("stroe = 1", "stroe: there is no such setting; did you mean store? (at line 1)"),
        (
            "[limits]\nidle = 5",
            "limits.idle: there is no such setting; did you mean idle_s? (at line 2)",
        ),
        (
            "[clock]\nmov_ms = 1",
            "clock.mov_ms: there is no such setting; did you mean move_ms? (at line 2)",
        ),
        (
            '[[ladder]]\nname = "a"\n[[ladder]]\nname = "b"\nrulez = "kalah"',
            "ladder[1].rulez: there is no such setting; did you mean rules? (at line 5)",
        ),
        ("[tls]\nzzz = 1", "tls.zzz: there is no such setting; known: cert, key, ca (at line 2)"),
        ("[limits]\nzzz = 1", "limits.zzz: there is no such setting (at line 2)"),
        ("[tls]\nport = 1", f"tls.port: there is no such setting; {BELONGS} (at line 2)"),
        (
            "[kgp]\nport = 1",
            f"kgp.port: {NONE}; did you mean ws_port or tcp_port? Or {BELONGS} (at line 2)",
        ),
        (
            '[[event]]\nname = "a"\n[event.clock]\ngames = 2',
            f"event[0].clock.games: {NONE}; {OF_EVENT} (at line 4)",
        ),
        ("[limits]\nmqtt = 3", "limits.mqtt: there is no such setting (at line 2)"),
        ("[[event]]\nlimits = 3", "event[0].limits: there is no such setting (at line 2)"),
        ('"tls.port" = 1', "'tls.port': there is no such setting; did you mean port? (at line 1)"),
        ('"\\u001b[2J" = 1', r"'\x1b[2J': there is no such setting"),
        ('name = "a"\n"" = 1', "'': there is no such setting (at line 2)"),
        (
            "# one \u2028 line \x85\nstroe = 1",
            "stroe: there is no such setting; did you mean store? (at line 2)",
        ),
        (
            '[[event]]\nname = "a"\nenter = "all"',
            "event[0].enter: must be one of list, open, tokens, not 'all' (at line 3)",
        ),
        (
            f"[[event]]\nseed = {1 << 64}",
            "event[0].seed: a number of more than 64 bits (at line 2)",
        ),
        ("[ladder]", "ladder: there may be several, so each begins with [[ladder]] (at line 1)"),
    ],
)
def test_an_unknown_key_is_answered_with_what_there_is(text: str, line: str) -> None:
    """In nested tables too; a short table without a near name lists what it holds."""
    with pytest.raises(ConfigError) as refused:
        parse(text)
    assert str(refused.value) == line


def test_a_value_of_another_type_is_named_with_its_key() -> None:
    """The key stands in front, as it does for values out of range, and the type is words."""
    for text, line in (
        ("[limits]\ngames = 'many'", "limits.games: expected a whole number, got a text (2)"),
        ("limits.games = 0", "limits.games: expected a whole number >= 1 (1)"),
        ("clock = 3", "clock: expected a table such as {key = value}, got a whole number (1)"),
        ("[[event]]\nrounds = 'many'", "event[0].rounds: expected a whole number, got a text (2)"),
        (
            "[[event]]\nteam = 'a,b'",
            'event[0].team: expected a list such as ["ann", "bob"], got a text (2)',
        ),
        (
            "[[event]]\naccelerated = 'yes'",
            "event[0].accelerated: expected true or false, got a text (2)",
        ),
        ("port = 3.5", "port: expected a whole number, got a number with a fraction (1)"),
        ("grace_s = 12:00:00", "grace_s: expected a number, got a time of day (1)"),
        ("name = [\n'a'\n]", "name: expected a text in quotes, got a list"),
        ("[[event]]\nname = 'cup'", "event[0].format: it is missing, and has no default (1)"),
    ):
        with pytest.raises(ConfigError) as refused:
            parse(text)
        assert str(refused.value).replace("(at line ", "(") == line


def test_a_file_that_is_no_toml_is_refused_in_plain_words() -> None:
    """One that is nested as deeply as no setting, too."""
    for text, line in (
        ("name = arena", "true, false or a text in quotes (at line 1, column 8)"),
        ("name: 'a'", "a setting is written name = value (at line 1, column 5)"),
        (
            "a = 1\n// b",
            "no setting: write name = value, and # before a remark (at line 2, column 1: '//')",
        ),
        ("[[event]", "a table that begins with [[ lacks its ]] (at line 1, column 8: ']')"),
        ("[clock a]", "a table that begins with [ lacks its ] (at line 1, column 8: 'a]')"),
        ("[]", "the name of a setting or table is missing (at line 1, column 2: ']')"),
        ("a = ['b' 'c']", "a list lacks a comma or its ] (at line 1, column 10)"),
        ("a = {b = 1", "a table in braces lacks a comma or its } (at end of document)"),
        ("a = {b = 1, b = 2}", "a setting is there twice: 'b' (at line 1, column 18)"),
        *((f'a = "C:{each}"', "a \\ in a text: write '…' around it") for each in ("\\q", "\\ux")),
        ("a = 1 2", "the value ends and more follows: write a text in quotes"),
        ("a = 1\na = 2", "a setting is there twice"),
        ("[tls]\n[tls]", "a table is there twice (at line 2, column 5)"),
        ("tls = {}\ntls.cert = 'a'", "a table is there twice (at end of document)"),
        ("a = 2026-13-45", "no such date or time: write a time such as 2027"),
        ("\na = 2026-02-30T18:00:00Z", "no such date or time: write a time such as 2027"),
        ("\na = 2026-02-03T28:00:00Z", "no such date or time: write a time such as 2027"),
        *((f"a = {quote}b\nc", "a text has no quote at its end") for quote in QUOTES),
        ("a = " + "[" * 9000, "nested too deeply"),
        ("port = " + "9" * 5000, "a number is too long"),
        ("log_level = 0x" + "f" * 5000, "log_level: expected a text in quotes, got a whole number"),
    ):
        with pytest.raises(ConfigError) as refused:
            parse(text)
        assert line in str(refused.value)
