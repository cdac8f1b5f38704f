"""Values that are kept for those who ask again, or made before anyone asks."""

import asyncio
import gc

import pytest

from mancala.server.web.feed.kept_answers import Latest, Prepared


async def test_a_value_that_was_prepared_is_not_waited_for() -> None:
    """And it is made once, whatever asks for it meanwhile."""
    made: list[int] = []

    async def make() -> int:
        made.append(len(made))
        return made[-1]

    prepared = Prepared("value", make, 60.0)
    await prepared.begin()
    assert [await prepared.get(), await prepared.get()] == [0, 0]
    assert made == [0]


async def test_an_error_is_that_of_the_question_and_the_next_one_tries_again() -> None:
    """A store that is away when the web starts spoils nothing for good."""
    answers = [OSError("away"), OSError("still away")]

    async def make() -> str:
        if answers:
            raise answers.pop()
        return "made"

    prepared = Prepared("value", make, 0.0)
    prepared.begin()
    await asyncio.sleep(0)
    with pytest.raises(OSError, match="away"):
        await prepared.get()
    assert await prepared.get() == "made"


async def test_an_error_that_no_one_waits_for_is_no_complaint_of_asyncio() -> None:
    """Nor is a value that is not made because the web ends."""
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, each: complaints.append(each))

    async def fail() -> None:
        raise OSError("away")

    for is_cancelled in (False, True):
        making = Prepared("value", fail, 60.0).begin()
        if is_cancelled:
            making.cancel()
        await asyncio.wait([making])
        del making
    gc.collect()
    assert complaints == []


def test_what_is_asked_for_again_and_again_is_kept_the_longest() -> None:
    """Of more values than are kept, the one that was not asked for the longest goes."""
    latest = Latest[int](2)
    latest.keep("a", 1)
    latest.keep("b", 2)
    assert [latest.get("a") for _ in range(3)] == [1, 1, 1]
    latest.keep("c", 3)
    assert [latest.get(name) for name in "abc"] == [1, None, 3]


def test_what_is_kept_is_bounded_by_its_size() -> None:
    """512 answers of a game, each of a hundred kilobytes or a match of a thousand, were kept."""
    latest = Latest[str](10, len)
    latest.keep("a", "aaaa")
    latest.keep("b", "bbbb")
    latest.keep("b", "bbb")
    latest.keep("c", "ccc")
    assert [latest.get(name) for name in "abc"] == ["aaaa", "bbb", "ccc"]
    latest.keep("d", "d" * 7)
    assert [latest.get(name) for name in "abcd"] == [None, None, "ccc", "d" * 7]
    latest.keep("c", "e" * 11)
    assert [latest.get(name) for name in "cd"] == [None, "d" * 7], "one too large drops no others"
