"""What a program's author says of it."""

import shlex

import pytest

from mancala.scripts.conformance.programs import SITUATIONS
from mancala.scripts.hosting.admission import manifest_of
from mancala.scripts.hosting.handin import HandedFile
from mancala.scripts.hosting.manifest import LANGUAGES, BotProtocol, ManifestError, read_manifest


def test_a_language_says_how_a_starter_is_built_and_run() -> None:
    """The author of a starter states its name and its language."""
    manifest = read_manifest(b'name = "adas"\nowner = "Ada"\nlanguage = "c"')
    assert manifest.how == LANGUAGES["c"]
    assert manifest.filled(manifest.how.command) == "./adas"


def test_a_command_stands_for_any_language() -> None:
    """Its places are filled in, with what the shell would obey quoted."""
    manifest = read_manifest(b'name = "adas"\ncommand = "lua bot.lua {url} {ladder} {games}"')
    line = manifest.filled(manifest.how.command, url="ws://h:1", ladder="a; b", games=3)
    assert line == "lua bot.lua ws://h:1 'a; b' 3"
    assert manifest.how.protocol is BotProtocol.WEBSOCKET


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = adas", "no value: write a number, true, false or a text in quotes (at line 1"),
        ('owner = "Ada"', "name: it is missing, and has no default"),
        ('name = "a b"\nlanguage = "c"', "'a b' cannot be a name"),
        ('name = "../x"\nlanguage = "c"', "'../x' cannot be a name"),
        ('name = "a"\nlanguage = "cobol"', "no language 'cobol'; there are c, csharp"),
        ('name = "a"', "state a language or a command"),
        (
            'name = "a"\nlanguage = "c"\ntrusted = true',
            "trusted: there is no such setting; known: name",
        ),
        ('name = "a"\ncommand = "x"\nprotocol = "x"', "protocol: must be one of websocket, cmd"),
        ('name = "a"\ncommand = "x \\u0000"', r"command has '\x00', which cannot be printed"),
        (f'name = "a"\nlanguage = "c"\ntrees = "{"{name}" * 700}"', "longer than 4096 letters"),
        (f'name = "a"\nprotocol = "{"x" * 60_000}"', "protocol: must be one of websocket, cmd"),
        (f'name = "{"x" * 60_000}"\nlanguage = "c"', "'xxxx"),
        (f"name = {'9' * 5000}", "bot.toml: a number is too long"),
        (f'name = "a"\nprotocol = 0x{"f" * 5000}', "protocol: expected a text in quotes, got a"),
        ("name = 3", "name: expected a text in quotes, got a whole number (at line 1)"),
    ],
)
def test_what_cannot_be_is_refused(text: str, reason: str) -> None:
    """One sentence names the file and what is wrong in it."""
    with pytest.raises(ManifestError, match=r"^bot\.toml: ") as refused:
        read_manifest(text.encode())
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 1000


def test_a_program_of_another_protocol_runs_within_its_adapter() -> None:
    """Its own line of the shell is one word of the adapter's command."""
    text = 'name = "a"\ncommand = "java -jar \'my agent.jar\' {url}"\nprotocol = '
    lines = [
        read_manifest(f'{text}"{protocol}"'.encode()).started(url="ws://h:1", ladder="l", games=1)
        for protocol in ("cmd", "kgp", "manchester", "uci")
    ]
    assert lines[0] == "exec java -jar 'my agent.jar' ws://h:1"
    for line, name in zip(lines[1:], ("kgp", "manchester", "uci"), strict=True):
        assert shlex.split(line) == [
            *("exec", "python3", "-m", f"mancala.bot.adapters.{name}"),
            *("sh", "-c", "exec java -jar 'my agent.jar' {url}"),
        ]


def test_agents_of_the_manchester_course_are_checked_on_their_board() -> None:
    """They are put through what their protocol has; all others through everything."""
    assert BotProtocol.MANCHESTER.start.rules.pits == 7
    assert set(BotProtocol.MANCHESTER.situations) < set(SITUATIONS)
    assert BotProtocol.KGP.start.rules.pits == 6
    assert BotProtocol.KGP.situations == ()


@pytest.mark.parametrize(
    ("names", "instead"),
    [
        ((), ": nothing is handed in"),
        (("bot.py",), ""),
        (("Bot.toml",), ", but 'Bot.toml': name it bot.toml, and put it at the top"),
        (("bot.toml.txt",), ", but 'bot.toml.txt': name it bot.toml, and put it at the top"),
        (("a/b/bot.toml", "a/bot.toml"), ", but 'a/bot.toml': put it at the top"),
        (("my-bot.zip",), ", but 'my-bot.zip': hand in the files that are in it"),
        (("a.tar.gz",), ", but 'a.tar.gz': hand in the files that are in it"),
    ],
)
def test_a_missing_manifest_is_looked_for(names: tuple[str, ...], instead: str) -> None:
    """Its author reads what was taken for none."""
    with pytest.raises(ManifestError) as refused:
        manifest_of({name: HandedFile(b"", is_executable=False) for name in names})
    assert str(refused.value).startswith(f"there is no bot.toml{instead}")


def test_a_manifest_of_windows_is_read() -> None:
    """Its editors begin each file with a mark; other encodings are named."""
    text = 'name = "adas"\nlanguage = "c"'
    for encoding in ("utf-8-sig", "utf-16"):
        assert read_manifest(text.encode(encoding)).name == "adas"
    with pytest.raises(ManifestError, match=r"^bot\.toml: not text in UTF-8$"):
        read_manifest('name = "é"'.encode("latin-1"))
