"""Budgets of connections and addresses, and what answers may use."""

import pytest

from mancala.protocol import messages as wire
from mancala.server.net.limits.costs import (
    APART_S,
    MOST_GRANTED,
    REMEMBERED_ADDRESSES,
    RESERVE,
    AddressBudgets,
    Meter,
    TokenBucket,
    network_of,
)

AMPLE = TokenBucket(per_s=1.0, capacity=1e9, now=0.0)


def meter(address: TokenBucket = AMPLE, shown: TokenBucket = AMPLE) -> Meter:
    """Return an account with ten units a second, a hundred at a time, and five seconds' credit."""
    return Meter(per_s=10, burst=100, flood_s=5, address=address, address_shown=shown, now=0.0)


def test_a_peer_past_its_budget_waits_until_it_has_refilled() -> None:
    """A burst and what is earned meanwhile cost none; else as long as the debt takes to pay."""
    account = meter()
    for charge, now, wait_s in ((100, 0, 0), (10, 1, 0), (20, 1, 2), (0, 2.5, 0.5), (0, 3, 0)):
        account.charge(charge, now)
        assert account.wait_s(now) == wait_s


def test_a_peer_that_stays_overdrawn_is_flooding() -> None:
    """It pays each debt, and makes a new one."""
    account = meter()
    account.charge(110, 0.0)
    for second in range(1, 6):
        account.charge(20, float(second))
        assert not account.is_flooding
    account.charge(20, 5.5)
    assert account.is_flooding


def test_one_large_debt_is_no_flood() -> None:
    """The peer waits for long, and then it is quits."""
    account = meter()
    account.charge(300, 0.0)
    account.charge(5, 20.5)
    assert not account.is_flooding


def test_a_peer_that_catches_up_is_forgiven() -> None:
    """Ten seconds later the same happens again, and counts from the beginning."""
    account = meter()
    account.charge(110, 0.0)
    account.charge(1, 4.0)
    for now in (10.0, 14.0):
        account.charge(120, now)
        assert not account.is_flooding
    account.charge(1, 15.5)
    assert account.is_flooding


def test_a_turn_prepays_its_answers() -> None:
    """Ten thousand quick moves cost the bot nothing."""
    account = meter()
    for _ in range(10_000):
        account.grant(32)
        account.charge_answer(1.5, 0.0)
    assert account.wait_s(0.0) == 0
    account.charge(100, 0.0)
    assert account.wait_s(0.0) == 0


def test_grants_are_bounded_and_pay_for_nothing_but_answers() -> None:
    """A bot that plays can't flood on the credit of its turns, nor of many unanswered ones."""
    one, other = meter(), meter()
    one.grant(1000)
    one.charge(110, 0.0)
    for _ in range(1000):
        other.grant(32)
    other.charge_answer(MOST_GRANTED + 110, 0.0)
    assert one.wait_s(0.0) == other.wait_s(0.0) == 1


def test_connections_of_an_address_share_its_budget() -> None:
    """Each is within its own, and all together are not."""
    address = TokenBucket(per_s=10, capacity=100, now=0.0)
    accounts = [meter(address) for _ in range(4)]
    for account in accounts:
        account.charge(50, 0.0)
    assert [account.wait_s(0.0) for account in accounts] == [0, 0, 5, 10]
    assert not any(account.is_flooding for account in accounts)


def test_an_honest_bot_does_not_notice_a_flood_from_its_address() -> None:
    """Its answers are prepaid, and its few other messages come from its reserve."""
    address = TokenBucket(per_s=10, capacity=100, now=0.0)
    flooder, honest = meter(address), meter(address)
    flooder.charge(10_000, 0.0)
    for second in range(60):
        now = float(second)
        honest.grant(32)
        honest.charge_answer(5, now)
        honest.charge(0.5, now)
        assert honest.wait_s(now) == 0
    honest.charge(RESERVE + 1, 60.0)
    assert honest.wait_s(60.0) > 0


def test_opening_a_connection_is_charged_to_the_address_alone() -> None:
    """The peer must wait for what others of its address did before."""
    address = TokenBucket(per_s=10, capacity=100, now=0.0)
    for _ in range(5):
        address.take(20, 0.0)
        assert meter(address).wait_s(0.0) == 0
    address.take(20, 0.0)
    assert meter(address).wait_s(0.0) == 2


def test_connections_that_wait_for_their_address_go_on_one_after_another() -> None:
    """All at the same moment, they would hold up everyone else together."""
    address = TokenBucket(per_s=10, capacity=100, now=0.0)
    address.take(120, 0.0)
    waits_s = [meter(address).wait_s(0.0) for _ in range(3)]
    assert waits_s == pytest.approx([2, 2 + APART_S, 2 + 2 * APART_S])
    account = meter(address)
    assert account.wait_s(1.0) == account.wait_s(1.0)


def test_one_machine_and_one_ipv6_site_are_one_address() -> None:
    """Who has a whole network of addresses has one budget."""
    assert network_of("2001:db8::1") == network_of("2001:db8::2:3:4%eth0")
    assert network_of("2001:db8::1") != network_of("2001:db8:0:1::1")
    assert network_of("127.0.0.1") == network_of("127.0.0.9") == network_of("::1")
    assert network_of("192.0.2.1") != network_of("192.0.2.2")
    assert network_of("a unix socket") == "a unix socket"


def test_an_overdrawn_budget_outlives_its_connections() -> None:
    """Addresses are forgotten once nothing is missing, and not before; a reload is for all."""
    rates = [(1, 10), (1, 20)]
    budgets = AddressBudgets(lambda: rates[0])
    budgets.of("192.0.2.1", 0.0).take(10, 0.0)
    for number in range(REMEMBERED_ADDRESSES):
        budgets.of(f"2001:db8:{number:x}::", 0.0)
    assert budgets.of("192.0.2.1", 1.0).left(1.0) == 1
    del rates[0]
    assert budgets.of("192.0.2.2", 1.0).left(1.0) == 20
    assert budgets.of("192.0.2.1", 20.0).left(20.0) == 20


def test_an_address_that_stands_for_several_has_their_budgets() -> None:
    """A proxy's users share a budget that is as large as theirs together."""
    budgets = AddressBudgets(lambda: (2, 10))
    bucket = budgets.of("127.0.0.1", 0.0, users=4)
    assert budgets.of("::1", 0.0).left(0.0) == 10  # not exempt, though of the same network
    assert bucket.take(50, 0.0) == -10
    assert bucket.left(1.0) == -2


def price_of(message: wire.ClientMessage) -> float:
    account = meter()
    account.charge_message(message, 0.0)
    return account.spent


def test_messages_have_their_prices() -> None:
    """What makes more work costs more."""
    assert price_of(wire.Hello("v", "ann")) > price_of(wire.Watch("g")) > price_of(wire.Unwatch())
    assert price_of(wire.Seek()) > price_of(wire.Move("g", 0, 0)) == 1


def test_only_answers_are_prepaid() -> None:
    """Moves, resignations and answers to challenges are paid from grants, and a seek is not."""
    account = meter()
    account.grant(104)
    account.charge_message(wire.Resign("g"), 0.0)
    account.charge_message(wire.Accept("c"), 0.0)
    account.charge_message(wire.Decline("c"), 0.0)
    for ply in range(100):
        account.charge_message(wire.Move("g", ply, 0), 0.0)
    account.charge(80, 0.0)
    for _ in range(11):
        account.charge_message(wire.Seek(), 0.0)
    assert account.wait_s(0.0) > 0


def test_what_a_spectator_is_shown_is_paid_from_a_budget_of_its_own() -> None:
    """One that has overdrawn it waits to be shown more, and is read as before."""
    account = meter()
    assert account.charge_shown(100, 0.0) == 0
    assert account.charge_shown(5, 0.0) == account.shown_wait_s(0.0) == 0.5
    assert (account.shown_wait_s(0.5), account.wait_s(0.0)) == (0, 0)


def test_the_spectators_of_an_address_share_a_budget() -> None:
    """However many connections they have."""
    shared = TokenBucket(per_s=10, capacity=10, now=0.0)
    crowd = [meter(shown=shared) for _ in range(3)]
    assert [each.charge_shown(5, 0.0) for each in crowd] == [0, 0, 0.5]
    assert meter(shown=shared).shown_wait_s(0.0) == 0.5


def test_spectators_that_wait_are_shown_something_one_after_another() -> None:
    """A crowd that comes back in the same instant would hold up the games."""
    shared = TokenBucket(per_s=10, capacity=10, now=0.0)
    crowd = [meter(shown=shared) for _ in range(3)]
    assert [each.shown_turn(1.0) for each in crowd] == pytest.approx(
        [1.0 + APART_S * n for n in range(3)]
    )
