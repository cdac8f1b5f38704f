"""Lines of the log, as JSON, of the levels that are wanted."""

import io
import json
from datetime import datetime, timedelta

from mancala.server.health.log import StructuredLog


def test_events_of_the_level_in_force_are_written() -> None:
    """Also when it changes while the server runs."""
    stream = io.StringIO()
    log = StructuredLog(stream, "info")
    log.debug("too small")
    log.info("normal", games=3)
    log.set_level("debug")
    log.debug("small")
    log.set_level("warning")
    log.info("too normal")
    log.warning("odd")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["event"] for line in lines] == ["normal", "small", "odd"]
    assert (lines[0]["level"], lines[0]["games"]) == ("info", 3)
    assert datetime.fromisoformat(lines[0]["timestamp"]).utcoffset() == timedelta(0)
