"""What a watcher notes about a stall, and which bounds follow for a message."""

from math import inf

import pytest

from mancala.server.net.arrivals.arrival import Arrival, Stream, noted_arrival
from mancala.server.net.arrivals.segments import (
    MEMORY_BYTES,
    NO_SEGMENTS,
    NOTES,
    PORTS,
    Received,
    SegmentLog,
    SegmentRecorder,
)

COOKIE = 77


def ends() -> tuple[SegmentRecorder, SegmentLog]:
    """Return the watcher's end and the server's."""
    memory = bytearray(MEMORY_BYTES)
    return SegmentRecorder(memory), SegmentLog(memory)


def test_a_byte_arrived_between_the_notes_around_it() -> None:
    """At the instant of a note that ends with it; before the first of them, at any time."""
    recorder, log = ends()
    for total, at in ((100, 5.0), (160, 6.0)):
        recorder.note([Received(COOKIE, total, at)])
    assert log.bounds(COOKIE, 40) == (-inf, 5.0)
    assert log.bounds(COOKIE, 100) == (5.0, 5.0)
    assert log.bounds(COOKIE, 130) == (5.0, 6.0)
    assert log.bounds(COOKIE, 161) == (6.0, inf)
    assert log.bounds(COOKIE + 1, 40) == (-inf, inf)


@pytest.mark.parametrize(("first", "earliest", "latest"), [(260, 5.0, 5.0), (210, 5.0, 9.0)])
def test_a_ping_behind_an_answer_makes_it_neither_late_nor_doubtful(
    first: int, earliest: float, latest: float
) -> None:
    """One before its flag counts and one after it is late; the kernel knows only of the ping."""
    recorder, log = ends()
    recorder.note([Received(COOKIE, first, 5.0)])
    recorder.note([Received(COOKIE, 266, 9.0)])
    found = noted_arrival(Arrival(-inf, 9.0), log, Stream(COOKIE, begin=200), read_bytes=60)
    assert found == Arrival(earliest, latest)


def test_without_notes_all_is_as_the_kernel_has_it() -> None:
    """As under TLS, or without a watcher."""
    known = Arrival(-inf, 9.0)
    assert noted_arrival(known, NO_SEGMENTS, Stream(COOKIE, 0), 10) == known
    assert noted_arrival(known, NO_SEGMENTS, None, 10) == known
    exact = Arrival.at(3.0)
    assert noted_arrival(exact, NO_SEGMENTS, Stream(COOKIE, 0), 10) == exact


def test_a_connection_is_noted_when_it_has_received_more() -> None:
    """And once more in the next stall."""
    recorder, log = ends()
    for _ in range(3):
        recorder.note([Received(COOKIE, 100, 5.0)])
    assert recorder._written == 1
    recorder.forget()
    recorder.note([Received(COOKIE, 100, 5.0)])
    assert recorder._written == 2
    assert log.bounds(COOKIE, 100) == (5.0, 5.0)


def test_notes_that_were_overwritten_leave_wider_bounds() -> None:
    """Never wrong ones."""
    recorder, log = ends()
    recorder.note(Received(COOKIE, number, float(number)) for number in range(1, NOTES + 2))
    assert log.bounds(COOKIE, NOTES + 1) == (float(NOTES + 1), float(NOTES + 1))
    assert log.bounds(COOKIE, 1)[1] >= 2.0


def test_the_watcher_reads_the_beat_and_the_ports() -> None:
    """Each port once, and no more than there is room for."""
    recorder, log = ends()
    log.beat(12.5)
    for port in (8765, 2671, 8765, *range(1, PORTS)):
        log.watch(port)
    assert recorder.beat == 12.5
    assert recorder.ports[:2] == (8765, 2671)
    assert len(recorder.ports) == PORTS
