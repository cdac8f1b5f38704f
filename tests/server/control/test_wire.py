"""Requests and responses as lines."""

from __future__ import annotations

import msgspec
import pytest

from mancala.server.control.wire import Request, Response, line_of


def test_a_request_is_one_line_of_json() -> None:
    """It comes back as it was."""
    request = Request("ban", {"name": "eve", "reason": "a\nb"}, dry_run=True, why="she cheats")
    line = line_of(request)
    assert line.count(b"\n") == 1
    assert msgspec.json.decode(line, type=Request) == request


def test_a_response_says_what_came_of_it_or_why_not() -> None:
    """And whether the request itself was wrong."""
    for response in (Response({"changed": []}), Response(error="no", is_usage=True)):
        assert msgspec.json.decode(line_of(response), type=Response) == response


@pytest.mark.parametrize("line", [b"", b"ban eve\n", b'{"action":1}\n', b'{"actoin":"ban"}\n'])
def test_what_is_no_request_is_a_value_error(line: bytes) -> None:
    """So the socket answers it with a sentence."""
    with pytest.raises(ValueError, match=r".+"):
        msgspec.json.decode(line, type=Request)
