"""Times that the operator names."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from mancala.server.control.operator import UsageError, end_of, instant_of

NOW = "2026-01-31T12:00:00.000+00:00"


class Term(NamedTuple):
    """How long an action holds."""

    until: str | None = None
    for_s: float | None = None


@pytest.mark.parametrize(
    ("term", "end"),
    [
        (Term(), None),
        (Term(for_s=90.0), "2026-01-31T12:01:30.000+00:00"),
        (Term(until="2026-01-31T18:00:00+01:00"), "2026-01-31T17:00:00.000+00:00"),
    ],
)
def test_an_end_is_named_by_time_or_by_length(term: Term, end: str | None) -> None:
    """An end that is not named is never."""
    assert end_of(*term, NOW) == end


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (Term("2031-01-01T00:00Z", 1.0), "not both"),
        (Term("2026-01-31T12:00:00Z"), "is over already"),
        (Term("tomorrow"), "'tomorrow' is no time"),
    ],
)
def test_an_end_that_is_named_badly_is_refused(term: Term, reason: str) -> None:
    """The refusal says what is wrong with it."""
    with pytest.raises(UsageError, match=reason):
        end_of(*term, NOW)


def test_a_time_without_its_zone_is_refused() -> None:
    """The operator's zone need not be the server's."""
    with pytest.raises(UsageError, match="names no time zone"):
        instant_of("2026-01-31T12:00:00")
