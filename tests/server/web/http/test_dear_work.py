"""Work that many ask for, of which only so much is done."""

import asyncio
from typing import Any

import pytest

from mancala.server.net.limits.costs import layers_of
from mancala.server.web.http.dear_work import ENDING, DearWork
from mancala.server.web.http.responses import BusyError


def bounded() -> DearWork[Any]:
    """Return work of which three pieces may be there at a time."""
    return DearWork(most=3, lease_s=60.0, refusal="too many")


async def test_equal_requests_share_a_piece_of_work() -> None:
    """A later one is made anew."""
    work, made = bounded(), list[str]()

    async def make() -> str:
        await asyncio.sleep(0)
        made.append("once")
        return str(len(made))

    shared = await asyncio.gather(*(work.get("a", (), make) for _ in range(9)))
    assert {*shared, await work.get("a", (), make)} == {"1", "2"}
    assert work.is_idle


async def test_an_error_is_told_to_all_who_share_it() -> None:
    """And the next one is made."""
    work = bounded()

    async def fail() -> str:
        raise ValueError("no")

    asked = (work.get("a", (), fail) for _ in range(2))
    errors = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(error) for error in errors] == ["no", "no"]
    assert work.is_idle


async def test_thousands_of_networks_in_one_have_its_turn() -> None:
    """A stranger with an IPv6 /48 fills the bound; a visitor's is the next, all the same."""
    work, order = bounded(), list[str]()

    def asked(key: str, address: str) -> asyncio.Task[str]:
        async def make() -> str:
            await asyncio.sleep(0)
            order.append(key)
            return key

        return asyncio.create_task(work.get(key, layers_of(address), make))

    await asked("served", "2001:db8::1")
    flood = [asked(f"stranger {n}", f"2001:db8:0:{n:x}::1") for n in range(3)]
    await asyncio.sleep(0)
    refused = asked("more", "2001:db8:0:99::1")
    await asked("visitor", "198.51.100.7")
    answers = await asyncio.gather(*flood, refused, return_exceptions=True)
    assert order[:3] == ["served", "stranger 0", "visitor"]
    assert [isinstance(each, BusyError) for each in answers] == [False, False, True, True]


@pytest.mark.parametrize(
    ("address", "layers"),
    [
        ("127.0.0.1", ("loopback",)),
        ("192.0.2.77", ("192.0.2.0/24", "192.0.2.77/32")),
        ("2001:db8:1:234::9%a", ("2001:db8:1::/48", "2001:db8:1:200::/56", "2001:db8:1:234::/64")),
        ("a socket", ("a socket",)),
    ],
)
def test_networks_lie_in_larger_ones(address: str, layers: tuple[str, ...]) -> None:
    """The largest comes first; what is no address is alone."""
    assert layers_of(address) == layers


async def test_work_is_displaced_before_it_has_begun() -> None:
    """Requests that come together: the last of one that was served is refused, like any other."""
    work = bounded()

    async def make() -> str:
        return "made"

    await work.get("served", ("a",), make)
    asked = [work.get(key, (asker,), make) for key, asker in ("1a", "2a", "3a", "4b")]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(each) for each in answers] == ["made", "made", "too many", "made"]


async def test_those_who_wait_when_it_ends_are_refused() -> None:
    """Neither they nor later ones are left without an answer, whether theirs has begun or not."""
    work = bounded()
    asked = [asyncio.create_task(work.get(key, (), asyncio.Event().wait)) for key in "ab"]
    await asyncio.sleep(0)
    await work.close()
    answers = await asyncio.gather(
        *asked, work.get("c", (), asyncio.Event().wait), return_exceptions=True
    )
    assert [str(each) for each in answers] == [ENDING] * 3
