"""A message added to a copy of the sources: a struct in the union, and what tests then ask for."""

from pathlib import Path
from typing import Final

from tests.sources import copy_sources, edited, run_in

CLIENT: Final = "protocol/messages/client.py"
STRUCT: Final = '''class Wave(Message, frozen=True):
    """Wave to another bot."""

    ladder: Name


'''
FOLLOWS: Final = """
from mancala.protocol import asyncapi, codec, documents
from mancala.protocol.messages import Wave
from mancala.protocol.session import LocalProtocolError, Role, Session
from tests.protocol.samples import SAMPLES
from tests.server.net.limits.test_costs import price_of

wave = codec.decode_client(b'{"type":"wave","ladder":"main"}')
assert wave == Wave("main")
client = Session(Role.CLIENT)
try:
    client.send(wave)
except LocalProtocolError as error:
    print(error)
words = {type(each).__name__: each for each in SAMPLES.values()}
client.send(words["Hello"])
client.receive(words["Welcome"])
client.send(wave)
print(client.state, price_of(wave))
document = asyncapi.document()
print(document["channels"]["conversation"]["messages"]["wave"])
print(documents.schema_files()["wave.json"]["description"])
"""
SEEN: Final = """\
the client may not say wave while connected
ready 1.0
{'$ref': '#/components/messages/wave'}
Wave to another bot.
"""
SECTION: Final = """\
### `wave`

Waves.

| field | type | meaning |
| --- | --- | --- |
| `ladder` | name | where |

### `submit`
"""
READY: Final = "`review`, `submit`, `goodbye` → `"
WRITTEN: Final = {
    "protocol/SPEC.md": (
        (f"{READY}client_left`", "`review`, `submit`, `wave`, `goodbye` → `client_left`"),
        (f"{READY}closed`", "`review`, `submit`, `wave`, `goodbye` → `closed`"),
        ("### `submit`\n", SECTION),
    ),
    "server/lobby/sessions.py": (
        ("submissions.submit,\n", "submissions.submit,\n            wire.Wave: lambda *_: None,\n"),
    ),
    "tests/drills/mutation.py": (
        (
            '        wire.Goodbye("done"),\n',
            '        wire.Wave("main"),\n        wire.Goodbye("done"),\n',
        ),
    ),
}
"""What tests ask for: words for people, an answer, and a frame to spoil."""
ASKED: Final = (
    "tests/protocol/test_spec.py::test_every_message_has_its_section_and_every_section_its_message",
    "tests/protocol/test_spec.py::test_the_tables_of_states_are_the_codes",
    "tests/server/lobby/test_dispatch.py",
    "tests/drills/test_mutation.py::test_the_true_sentences_are_what_a_client_may_say",
)


def test_a_message_stands_in_one_list(tmp_path: Path) -> None:
    """Codec, session, prices and documents follow the union; a test names all that is missing."""
    copy = copy_sources(tmp_path, "tests", "docs", "pyproject.toml", without=("data",))
    edited(copy, CLIENT, "ClientMessage = (\n", f"{STRUCT}ClientMessage = (\n")
    edited(copy, CLIENT, "    | Submit\n", "    | Submit\n    | Wave\n")
    looked = run_in(copy, "-c", FOLLOWS)
    assert looked.stdout == SEEN, looked.stderr
    pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    asked = run_in(copy, *pytest, *ASKED)
    for test in ASKED:
        assert f"FAILED {test}" in asked.stdout
    for place, edits in WRITTEN.items():
        for old, new in edits:
            edited(copy, place, old, new)
    tried = run_in(copy, *pytest, *ASKED)
    assert tried.returncode == 0, tried.stdout
