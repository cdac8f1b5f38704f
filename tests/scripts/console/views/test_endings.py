"""Why a game ended, in words."""

from __future__ import annotations

import pytest

from mancala.protocol.messages import Evidence, Reason
from mancala.scripts.console.views.endings import reason_text


@pytest.mark.parametrize(
    ("reason", "detail", "text"),
    [
        (Reason.NORMAL, None, "normal"),
        (Reason.TIMEOUT, "", "timeout"),
        (Reason.TIMEOUT, "no answer in 500 ms", "timeout: no answer in 500 ms"),
        (Reason.ABORTED, "aborted by the organiser", "aborted by the organiser"),
    ],
)
def test_the_reason_of_an_end_is_said_once(reason: Reason, detail: str | None, text: str) -> None:
    """With the detail, where there is one."""
    evidence = None if detail is None else Evidence(detail=detail)
    assert reason_text(reason, evidence) == text
