"""Who may connect."""

from typing import Any

from mancala.server.net.limits.costs import LONGEST_WAIT_S
from mancala.server.net.limits.gate import REFUSALS_UNDER_WAY, Gate, HttpGate
from tests.server.fakes import limited

HERE = "192.0.2.1"
THERE = "198.51.100.7"


def gate_of(connections: int, connections_per_address: int, **limits: Any) -> Gate:  # noqa: ANN401  # whatever a limit is
    counts = {"connections": connections, "connections_per_address": connections_per_address}
    return Gate(limited(**counts, **limits))


def test_one_address_takes_only_so_many() -> None:
    """Others still come in, and so does the same one once another has left."""
    gate = gate_of(10, 2)
    first, _second = gate.enter(HERE), gate.enter(HERE)
    refused = gate.enter(HERE)
    assert "one address" in str(refused.refusal)
    assert gate.enter(THERE).refusal is None
    gate.leave(refused)
    gate.leave(first)
    assert gate.enter(HERE).refusal is None


def test_a_few_addresses_do_not_fill_the_page() -> None:
    """Four did, once each might have as many connections as a class needs."""
    gate = HttpGate(limited())
    for number in range(15):
        while gate.enter(f"192.0.2.{number}").refusal is None:
            pass
    assert gate.enter(THERE).refusal is None


def test_networks_may_be_exempt_from_the_limit_of_an_address() -> None:
    """This machine, and the proxy before it, in either version of IP."""
    gate = gate_of(10, 1, exempt=("127.0.0.0/8", "::1/128"))
    assert all(gate.enter("127.0.0.1").refusal is None for _ in range(4))
    assert all(gate.enter("::1").refusal is None for _ in range(4))
    gate.enter("fe80::1%eth0")
    assert gate.enter("fe80::1%eth0").refusal is not None


def test_a_full_server_takes_no_connection() -> None:
    """However few come from one address, and exempt or not."""
    gate = gate_of(2, 9, exempt=("127.0.0.0/8",))
    assert gate.enter(HERE).refusal is None
    assert gate.enter(THERE).refusal is None
    assert "full" in str(gate.enter("127.0.0.1").refusal)


def test_a_flood_is_cut_off_unheard() -> None:
    """Those who are refused take no room, and at most N are refused at the same time."""
    gate = gate_of(5, 1)
    gate.enter(HERE)
    flood = [gate.enter(HERE) for _ in range(REFUSALS_UNDER_WAY + 3)]
    assert [visit.is_heard for visit in flood] == [True] * REFUSALS_UNDER_WAY + [False] * 3
    for visit in flood:
        gate.leave(visit)
    assert gate.enter(HERE).is_heard
    assert gate.enter(THERE).refusal is None


def test_sockets_count_that_never_become_connections() -> None:
    """An address opens some more than it may have connections, exempt ones are not limited."""
    gate = gate_of(9, 2, exempt=("127.0.0.0/8",), address_burst=10_000)
    most = 2 + REFUSALS_UNDER_WAY
    assert [gate.admits(HERE, 0, 0.0) for _ in range(most + 1)] == [True] * most + [False]
    gate.closed(HERE)
    assert gate.admits(HERE, 0, 0.0)
    left = 9 - 2
    admitted = [gate.admits("127.0.0.1", 0, 0.0) for _ in range(left + 1)]
    assert admitted == [True] * left + [False]


def test_limits_are_changed_for_those_who_come() -> None:
    """Those who are inside stay; what their address may spend is renewed by a reload."""
    live = limited(connections=9, connections_per_address=9, address_per_s=1, address_burst=10)
    gate = Gate(live)
    gate.enter(HERE)
    gate.enter(HERE)
    meter = gate.meter(HERE, 0.0)
    meter.charge(10.0, 0.0)
    live.now = limited(connections=9, connections_per_address=1, address_per_s=10).now
    gate.reload()
    meter.charge(20.0, 0.0)
    assert meter.wait_s(0.0) == 2
    assert gate.enter(HERE).refusal is not None
    assert gate.enter(THERE).refusal is None


def test_an_address_opens_as_many_connections_as_it_can_pay_for() -> None:
    """Beyond the longest wait they are refused, and cost it nothing; others are not concerned."""
    gate = gate_of(10, 10, address_per_s=10, address_burst=10)
    admitted = [gate.admits(HERE, 30, 0.0) for _ in range(100)]
    assert admitted == [True] * 4 + [False] * 96
    assert gate.meter(HERE, 0.0).wait_s(0.0) == 11
    assert gate.admits(HERE, 30, 11 - LONGEST_WAIT_S)
    assert gate.admits(THERE, 30, 0.0)


def test_connections_over_the_limit_are_not_accepted_while_others_are_told_why() -> None:
    """Each that hears the reason costs a handshake."""
    gate = gate_of(5, 1)
    gate.enter(HERE)
    for _ in range(REFUSALS_UNDER_WAY):
        assert gate.admits(HERE, 0, 0.0)
        gate.enter(HERE)
    assert not gate.admits(HERE, 0, 0.0)
    assert gate.admits(THERE, 0, 0.0)


def test_browsers_of_a_class_behind_one_router_are_let_in() -> None:
    """Each opens six connections; those beyond 64 lost files of the page."""
    gate = HttpGate(limited(exempt=()))
    for _ in range(40 * 6):
        assert gate.admits(HERE, 1.0, 0.0)
        assert gate.enter(HERE).refusal is None
    assert not gate.is_overfull_for(HERE)
