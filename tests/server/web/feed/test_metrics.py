"""What is counted, and when."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from prometheus_client import CollectorRegistry

from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.referee import LedgerEntry
from mancala.protocol.results import Payload
from mancala.server.model.journal import Announcement, Entry, GameClosed, GameOpened, MovePlayed
from mancala.server.web.feed.metrics import DelayHistogram, Metrics, Registry, WebMetrics
from tests.server.fakes import FakeClock, FakeJournal, KeptLog
from tests.stored import assert_is_stored


def value(metrics: Metrics, sample: str) -> float:
    lines = dict(line.rsplit(" ", 1) for line in metrics.text().decode().splitlines() if line)
    return float(lines[sample])


def test_a_move_counts_once_it_is_durable() -> None:
    """Not when it is handed in; the caller is called back after that."""
    metrics, journal, clock = Metrics(), FakeJournal(), FakeClock()
    journal.is_slow = True
    told: list[float] = []
    entries: list[Entry] = [
        GameOpened("g", "m", 0, "2026-11-21T12:00:00Z"),
        MovePlayed("g", 0, LedgerEntry(2, 10.0, 0.0), None, forced=False),
    ]
    metered = metrics.metered(journal, clock.now)
    metered.commit(entries, lambda: told.append(value(metrics, "mancala_plies_total")))
    assert value(metrics, "mancala_plies_total") == 0
    clock.pass_by(0.25)
    journal.settle()
    assert told == [1.0]
    assert value(metrics, "mancala_games_started_total") == 1
    assert value(metrics, "mancala_commit_seconds_sum") == pytest.approx(0.25)
    buckets = re.findall(r'mancala_commit_seconds_bucket{le="(.*)"} (.*)', metrics.text().decode())
    bounds = [float(bound) for bound, _ in buckets]
    assert all(1 < longer / shorter <= 2.6 for shorter, longer in pairwise(bounds[:-1]))
    assert [float(count) for _, count in buckets] == [float(bound >= 0.25) for bound in bounds]


def test_a_histogram_of_a_name_that_is_there_is_refused() -> None:
    """A scraper would read two of that name."""
    registry = CollectorRegistry()
    DelayHistogram("wait_seconds", "A wait.", registry)
    with pytest.raises(ValueError, match="mancala_wait_seconds"):
        DelayHistogram("wait_seconds", "Another wait.", registry)


def test_refusals_are_counted_by_their_code_and_other_events_are_not() -> None:
    """A log passes each event on."""
    metrics, log = Metrics(), KeptLog()
    counting = metrics.counting(log)
    counting.info("login refused", name="ann", code="bad_name")
    counting.info("listening", url="ws://127.0.0.1:1")
    assert value(metrics, 'mancala_refusals_total{reason="bad_name"}') == 1
    assert metrics.text().count(b"mancala_refusals_total{") == 1


def test_games_are_counted_by_the_reason_of_their_end() -> None:
    """A forfeit on time is counted apart from a game played to its end."""
    metrics = Metrics()
    result = Announcement("t", "e", Payload("e", 0, "test"))
    for reason in (Reason.TIMEOUT, Reason.TIMEOUT, Reason.NORMAL):
        ended = Outcome(0, (25, 23), reason, None)
        metrics.note([GameClosed("g", ended, "2026-11-21T12:00:00Z", result)], 0.0)
    assert value(metrics, 'mancala_games_finished_total{reason="timeout"}') == 2
    assert value(metrics, 'mancala_games_finished_total{reason="normal"}') == 1


def test_a_flag_acted_on_late_shows_as_an_error_of_the_clock() -> None:
    """What was due at one instant and called at a later one is as late as that."""
    metrics, clock = Metrics(), FakeClock()
    called: list[float] = []
    call_at = metrics.timed(clock.call_at, clock.now)
    call_at(clock.now() - 0.125, lambda: called.append(clock.now()))
    clock.pass_by(0.0)
    assert called == [clock.now()]
    assert value(metrics, "mancala_clock_error_seconds_count") == 1
    assert value(metrics, "mancala_clock_error_seconds_sum") == pytest.approx(0.125)


def test_a_cancelled_flag_is_no_error() -> None:
    """Most clocks are stopped before they run out."""
    metrics, clock = Metrics(), FakeClock()
    timer = metrics.timed(clock.call_at, clock.now)(clock.now() + 1, lambda: None)
    timer.cancel()
    clock.pass_by(2.0)
    assert value(metrics, "mancala_clock_error_seconds_count") == 0


def test_two_servers_in_one_process_count_apart() -> None:
    """Each has its own registry."""
    one, other = Metrics(), Metrics()
    one.set(connections=3)
    assert value(other, "mancala_connections") == 0


@pytest.mark.parametrize(("name", "metrics"), [("metrics", Metrics), ("web_metrics", WebMetrics)])
def test_names_meanings_and_buckets_are_those_that_dashboards_know(
    name: str, metrics: Callable[[], Registry]
) -> None:
    """What a server that has done nothing yet answers, without what is of its process."""
    lines = metrics().text().decode().splitlines()
    kept = [line for line in lines if not re.search("process_|python|version=", line)]
    assert_is_stored(f"{name}.txt", "\n".join(kept))
