"""SPEC.md and the code state the same protocol."""

import dataclasses
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import msgspec
import pytest

from mancala import protocol
from mancala.protocol import asyncapi, codec
from mancala.protocol import messages as wire
from mancala.protocol.accuracy import PhaseAccuracy
from mancala.protocol.clock import ClockState, TimeControl
from mancala.protocol.codec import FRAME_LIMIT, DecodeError
from mancala.protocol.record import GameRecord, from_text, verify
from mancala.protocol.results import PAYLOAD_KINDS, GameResult, Payload, VersionAccuracy
from mancala.protocol.review import (
    GameReview,
    LosingMove,
    PlayerReview,
    ResultChange,
    ReviewedMove,
    ReviewedPly,
    Tally,
)
from mancala.protocol.rules import PRESETS, Board, Rules
from mancala.protocol.rules import State as BoardState
from mancala.protocol.session import (
    CONVERSATION,
    GAME,
    ConnectionState,
    GameStage,
    RemoteProtocolError,
    Role,
    Session,
)

TEXT: Final = (Path(protocol.__file__).parent / "SPEC.md").read_text()
WORD: Final = re.compile(r"`([a-z_]+)`(?: → `([a-z_]+)`)?")
TAGS: Final[dict[str, type[wire.Message]]] = {
    str(kind.__struct_config__.tag): kind for kind in wire.Message.__subclasses__()
}
PAYLOADS: Final = {str(kind.__struct_config__.tag): kind for kind in PAYLOAD_KINDS}
OBJECTS: Final[dict[str, type]] = {
    "agent": wire.Agent,
    "rules": Rules,
    "time control": TimeControl,
    "state": BoardState,
    "clocks": ClockState,
    "info": wire.Info,
    "opponent": wire.Opponent,
    "limits": wire.Limits,
    "evidence": wire.Evidence,
    "outcome": wire.Outcome,
    "payload": Payload,
    "assessment": wire.Assessment,
    "move value": wire.MoveValue,
    "reviewed ply": ReviewedPly,
    "reviewed move": ReviewedMove,
    "player review": PlayerReview,
    "tally": Tally,
    "result change": ResultChange,
    "losing move": LosingMove,
    "version accuracy": VersionAccuracy,
    "phase accuracy": PhaseAccuracy,
}


class DocumentTable(NamedTuple):
    """A table of the document."""

    about: str
    head: list[str]
    rows: list[list[str]]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def tables() -> Iterator[DocumentTable]:
    about = ""
    for paragraph in TEXT.split("\n\n"):
        lines = [
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in paragraph.splitlines()
            if line.startswith("|")
        ]
        if lines:
            yield DocumentTable(about, lines[0], lines[2:])
        elif found := re.match(r"(?:#+ |\*\*)`?([^`*\n]+)", paragraph):
            about = found[1]


def table(*head: str) -> DocumentTable:
    (found,) = [each for each in tables() if each.head[: len(head)] == list(head)]
    return found


def first_words(*head: str) -> list[str]:
    return [row[0].strip("`") for row in table(*head).rows]


FIELDS: Final = {each.about: each for each in tables() if each.head[0] == "field"}
DIALOGUES: Final = blocks("dialogue")


def fields_of(kind: type) -> dict[str, bool]:
    if dataclasses.is_dataclass(kind):
        return {
            field.name: field.default is not dataclasses.MISSING
            for field in dataclasses.fields(kind)
        }
    return {field.encode_name: not field.required for field in msgspec.structs.fields(kind)}


def stated_fields(name: str) -> dict[str, bool]:
    cells = [row[0].strip("`") for row in FIELDS[name].rows] if name in FIELDS else []
    return {cell.removesuffix("?"): cell.endswith("?") for cell in cells}


class DialoguePlay:
    """Both ends of a dialogue, and the positions of its games."""

    def __init__(self) -> None:
        self.client, self.server = Session(Role.CLIENT), Session(Role.SERVER)
        self.boards: dict[str, tuple[Board, int]] = {}

    def client_says(self, frame: str) -> None:
        message = codec.decode_client(frame)
        assert json.loads(frame) == json.loads(codec.encode(message))
        self.client.send(message)
        self.server.receive(message)

    def client_blunders(self, frame: str) -> tuple[wire.ErrorCode, str]:
        """Send a faulty frame of the client; return the error that must answer it."""
        try:
            message = codec.decode_client(frame)
        except DecodeError as error:
            return error.code, str(error)
        with pytest.raises(RemoteProtocolError) as caught:
            self.server.receive(message)
        return wire.ErrorCode.OUT_OF_PLACE, str(caught.value)

    def server_says(self, frame: str) -> wire.Message:
        message = codec.decode_server(frame)
        assert json.loads(frame) == json.loads(codec.encode(message))
        self.server.send(message)
        self.client.receive(message)
        self._check(message)
        return message

    def _check(self, message: wire.Message) -> None:
        match message:
            case wire.GameStart():
                board = Board.from_state(message.state, message.rules)
                self.boards[message.game] = board, len(message.moves)
            case wire.Turn():
                board, ply = self.boards[message.game]
                assert (message.state, message.legal) == (board.state, board.legal())
                assert message.ply == ply
            case wire.Moved():
                board, ply = self.boards[message.game]
                after, _, captured, again = board.sow(message.pit)
                assert (message.player, message.ply) == (board.player, ply)
                assert (message.state, message.captured) == (after.state, captured)
                assert message.again == again
                self.boards[message.game] = after, ply + 1
            case wire.GameOver():
                assert message.stores == self.boards[message.game][0].stores


@pytest.mark.parametrize("number", range(len(DIALOGUES)))
def test_each_dialogue_can_be_held(number: int) -> None:
    """Every frame is a message, in place for both ends, and what it says of a game is true."""
    play, owed = DialoguePlay(), None
    for line in DIALOGUES[number].splitlines():
        mark, _, frame = line.partition(" ")
        if mark == "S:":
            message = play.server_says(frame)
            if owed is not None:
                assert isinstance(message, wire.Error)
                assert (message.code, message.message) == owed
                owed = None
        elif mark == "C!":
            owed = play.client_blunders(frame)
        else:
            assert mark == "C:"
            play.client_says(frame)
    assert owed is None


def test_a_fatal_error_is_followed_by_goodbye() -> None:
    """As the document says of errors."""
    for dialogue in DIALOGUES:
        said = [codec.decode_server(line[3:]) for line in dialogue.splitlines() if line[:2] == "S:"]
        for message, following in pairwise(said):
            if isinstance(message, wire.Error) and message.fatal:
                assert isinstance(following, wire.Goodbye)


@pytest.mark.parametrize("name", [*TAGS, *OBJECTS, *PAYLOADS])
def test_each_table_of_fields_is_the_codes(name: str) -> None:
    """Each table has the members of its type, and marks those that may be missing."""
    kinds: dict[str, type] = {**TAGS, **OBJECTS, **PAYLOADS}
    kind = kinds[name]
    shared = fields_of(Payload) if name in PAYLOADS else {}
    if kind is GameResult:
        shared |= fields_of(wire.Outcome)
    expected = {key: value for key, value in fields_of(kind).items() if key not in shared}
    if name == "payload":
        expected["schema"] = False
    assert stated_fields(name) == expected


@pytest.mark.parametrize(
    ("section", "kind"), [("12. Game records", GameRecord), ("14. Reviews", GameReview)]
)
def test_the_tables_of_records_and_reviews_are_the_codes(
    section: str, kind: type[msgspec.Struct]
) -> None:
    """The same for game records and reviews."""
    stated = stated_fields(section)
    assert stated.pop("schema") is False
    assert stated == fields_of(kind)


def test_every_message_has_its_section_and_every_section_its_message() -> None:
    """Every message is described, and every description is of a message."""
    headings = re.findall(r"^### `([a-z_.0-9]+)`$", TEXT, re.MULTILINE)
    assert sorted(headings) == sorted([*TAGS, *PAYLOADS])


def test_messages_stand_in_the_section_of_who_says_them() -> None:
    """Section 4 is the client's, section 5 the server's; goodbye stands once."""
    for section, union in (
        ("4. What the client", wire.ClientMessage),
        ("5. What the server", wire.ServerMessage),
    ):
        body = TEXT.partition(f"## {section}")[2].partition("\n## ")[0]
        said = set(re.findall(r"^### `([a-z_]+)`$", body, re.MULTILINE)) | {"goodbye"}
        assert said == {kind.__struct_config__.tag for kind in get_args(union)}


@pytest.mark.parametrize(
    ("word", "rows", "states"),
    [("state", CONVERSATION, ConnectionState), ("game", GAME, GameStage)],
)
def test_the_tables_of_states_are_the_codes(
    word: str,
    rows: dict[Any, dict[type[wire.Message], Any]],
    states: type[ConnectionState | GameStage],
) -> None:
    """Section 3 states the session's own tables."""
    stated: dict[Any, dict[type[wire.Message], Any]] = {}
    for name, *cells in table(word, "the client may say").rows:
        state = states(name.strip("`"))
        for role, cell in zip((Role.CLIENT, Role.SERVER), cells, strict=True):
            words = WORD.findall(cell)
            stated[state, role] = {
                TAGS[tag]: states(following or state) for tag, following in words
            }
    assert stated == rows


def test_every_error_and_reason_is_explained() -> None:
    """The tables of codes and reasons are the code's lists."""
    assert first_words("code") == list(wire.ErrorCode)
    assert first_words("reason") == list(wire.Reason)


def test_the_presets_are_the_codes() -> None:
    """The table of presets gives their fields."""
    rows = {
        row[0].strip("`"): Rules(
            capture=type(PRESETS["kalah"].capture)(row[1].strip("`")),
            relap=row[2] == "yes",
            majority=row[3] == "yes",
        )
        for row in table("preset").rows
    }
    assert rows == PRESETS


def test_the_topics_are_those_of_the_other_document() -> None:
    """Topics, payloads, QoS and retention are those published with."""
    document, published = asyncapi.document(), {}
    for operation in document["operations"].values():
        channel = document["channels"][operation["channel"]["$ref"].rpartition("/")[2]]
        address = re.sub(r"{(\w+)}", lambda found: found[1].upper(), channel["address"])
        if mqtt := operation.get("bindings", {}).get("mqtt"):
            (schema,) = channel["messages"]
            published[address] = schema, mqtt["qos"], mqtt["retain"]
    assert published == {
        topic.strip("`"): (schema.strip("`"), int(qos), retained == "yes")
        for topic, schema, qos, retained in table("topic").rows
    }


def test_the_boards_are_the_same_in_both_forms() -> None:
    """A literal and the state below it are one position."""
    for block in blocks("board"):
        literal, state = block.splitlines()
        position = codec.from_json(state, BoardState)
        assert Board.from_state(position, Rules()).text == literal


def test_the_record_is_one() -> None:
    """The example of the text form verifies."""
    (text,) = blocks("record")
    assert verify(from_text(text)).stores == (3, 1)


def test_the_limit_of_a_frame_is_the_codecs() -> None:
    """The number in section 1 is the one in force."""
    assert f"at most {FRAME_LIMIT} bytes" in TEXT


def test_the_first_page_is_one_page() -> None:
    """At most 1,200 words, with which a bot plays."""
    page = TEXT.partition("## On one page\n")[2].partition("\n## 1. ")[0]
    assert 300 < len(page.split()) <= 1200
