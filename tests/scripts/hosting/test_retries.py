"""When what a fault of the machine stopped is tried again."""

from mancala.scripts.hosting.retries import LONGEST, RetryLooks


def test_each_attempt_waits_twice_as_long() -> None:
    """The first comes at the next look; what was mended is not tried again."""
    retries, tried = RetryLooks(), []
    retries.note("ada", failed=True)
    for look in range(1, 4 * LONGEST):
        if retries.is_due("ada"):
            tried.append(look)
            retries.note("ada", failed=True)
    assert tried == [1, 3, 7, 15, 31, 63, 127, 255, 511, 767, 1023]
    retries.note("ada", failed=False)
    assert not retries.is_due("ada")
    assert not retries.is_due("bob")
