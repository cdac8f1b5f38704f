"""What a consumer of results may rely on, and how a breach is found."""

import pytest

from tests.simulate.audit import check_events
from tests.simulate.promises import BrokenPromiseError, Promise

FIRST = '{"event_id":"standings-1","seq":1,"total":1}'
OTHER = '{"event_id":"standings-1","seq":2,"total":2}'
SECOND = '{"event_id":"standings-2","seq":2,"total":2}'
SAME_NUMBER = '{"event_id":"standings-3","seq":2,"total":2}'


def test_a_second_delivery_repeats_its_event() -> None:
    """Whenever it comes."""
    check_events([("s", FIRST), ("s", SECOND), ("s", FIRST), ("s", SECOND)], {"s": SECOND})


@pytest.mark.parametrize(
    "received",
    [
        [("s", FIRST), ("s", OTHER)],
        [("s", FIRST), ("another topic", FIRST)],
        [("s", SECOND), ("s", SAME_NUMBER)],
    ],
)
def test_an_id_and_a_number_name_one_event(received: list[tuple[str, str]]) -> None:
    """A consumer would drop the other one."""
    with pytest.raises(BrokenPromiseError, match=Promise.ONE_EVENT):
        check_events(received, {})


def test_the_broker_retains_the_last_event() -> None:
    """Not one that was delivered again after it."""
    with pytest.raises(BrokenPromiseError, match="retains"):
        check_events([("s", FIRST), ("s", SECOND)], {"s": FIRST})
