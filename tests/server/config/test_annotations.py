"""A setting's type holds its range, and whether a reload takes it up."""

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from mancala.server.config.annotations import (
    RELOADABLE,
    Count,
    Elo,
    EvenCount,
    Port,
    PositiveSeconds,
    Reloadable,
    Seconds,
    fields_of,
    marked,
    range_of,
)


class MadeUpTable(msgspec.Struct):
    """Settings of all kinds."""

    text: Reloadable[str] = ""
    count: Count = 1
    even: EvenCount = 2
    port: Port | None = None
    span: Reloadable[Seconds] = 1.0
    wait: PositiveSeconds = 1.0
    anchors: dict[str, Elo] = {}
    other: Annotated[str, Meta(description="not reloadable")] = ""
    name: Annotated[str, Meta(min_length=1, max_length=9)] = "ann"
    line: Reloadable[Annotated[str, Meta(max_length=80)]] = ""
    token: Annotated[str, Meta(min_length=12)] | None = None


def test_only_marked_settings_are_reloadable() -> None:
    """Other annotations mark nothing."""
    assert marked(MadeUpTable, RELOADABLE) == {"text", "span", "line"}


def test_a_range_is_written_as_people_read_it() -> None:
    """Bounds that only keep a number finite are left out."""
    ranges = {field.name: range_of(field.type) for field in fields_of(MadeUpTable)}
    assert ranges == {
        "text": "",
        "count": "≥ 0",
        "even": "2, 4, 6, …",
        "port": "0..65535",
        "span": "≥ 0",
        "wait": "> 0",
        "anchors": "-100000..100000",
        "other": "",
        "name": "1..9 characters",
        "line": "≤ 80 characters",
        "token": "≥ 12 characters",
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -1.0])
@pytest.mark.parametrize("key", ["span", "wait"])
def test_no_duration_is_endless_or_none(key: str, value: float) -> None:
    """A setting of seconds is a finite number."""
    with pytest.raises(msgspec.ValidationError, match=key):
        msgspec.convert({key: value}, MadeUpTable)
