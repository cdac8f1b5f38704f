"""Recorded sessions of version 1, which every later version reads: the promise of SPEC.md.

Each file is what one client and a server of 1.0.0 said, a frame a line, in the order in which it
passed between them. Files may be added; none is ever changed.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

from mancala.protocol import codec
from mancala.protocol import messages as wire
from mancala.protocol.rules import Board, Rules
from mancala.protocol.session import Role, Session
from tests.sources import ROOT

FOLDER: Final = ROOT / "tests" / "data" / "sessions" / "v1"
SESSIONS: Final = sorted(FOLDER.glob("*.jsonl"))
DIGESTS: Final = {
    "go": "00788ba0272ca4c2",
    "java": "ae18c9aa460a5f53",
    "list": "a7c4bebac13a9ffa",
    "page": "aaabdcb64059043a",
    "python": "b8f89ce9ff5eca79",
    "seek": "8920c916402dff03",
}
"""What the files are: an edit of one would break the promise in silence."""


def said(path: Path) -> list[tuple[str, dict[str, Any]]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["from"], line["frame"]) for line in lines]


def decoded(speaker: str, frame: dict[str, Any]) -> wire.ClientMessage | wire.ServerMessage:
    text = json.dumps(frame)
    return codec.decode_client(text) if speaker == "client" else codec.decode_server(text)


def test_no_session_is_changed() -> None:
    """The files are those that were recorded."""
    found = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in SESSIONS}
    assert {name: found[name] for name in DIGESTS} == DIGESTS


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_both_ends_accept_what_was_said(path: Path) -> None:
    """Each frame is a message still, in its place, and means what it meant."""
    client, server = Session(Role.CLIENT), Session(Role.SERVER)
    for speaker, frame in said(path):
        message = decoded(speaker, frame)
        speaking, hearing = (client, server) if speaker == "client" else (server, client)
        speaking.send(message)
        hearing.receive(message)
        again = json.loads(codec.encode(message))
        assert {key: frame[key] for key in again} == again


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_rules_are_those_that_were_played(path: Path) -> None:
    """Every sowing leads where it led, and every question has the legal pits that it had."""
    boards: dict[str, Board] = {}
    rules: dict[str, Rules] = {}
    for speaker, frame in said(path):
        match decoded(speaker, frame):
            case wire.GameStart(game=game) as start:
                rules[game] = start.rules
                boards[game] = Board.from_state(start.state, start.rules)
            case wire.Turn() as turn:
                board = Board.from_state(turn.state, rules[turn.game])
                assert board == boards[turn.game]
                assert set(turn.legal) == set(board.legal())
            case wire.Moved() as moved:
                sowing = boards[moved.game].sow(moved.pit)
                assert (sowing.captured, sowing.again) == (moved.captured, moved.again)
                boards[moved.game] = sowing.board
                assert Board.from_state(moved.state, rules[moved.game]) == sowing.board
