"""The filter of system calls, run by a small machine as the kernel runs it."""

import errno
import struct
from typing import Final

import pytest

from mancala.scripts.sandbox.syscalls import (
    ALLOW,
    AT_LEAST,
    EQUAL,
    KILL,
    LOAD,
    MACHINES,
    REFUSE,
    RETURN,
    system_call_filter,
)

READ: Final = {"x86_64": 0, "aarch64": 63}


def _verdict(machine: str, number: int, argument: int = 0, architecture: int = 0) -> int:
    steps = list(struct.iter_unpack("=HBBI", system_call_filter(machine) or b""))
    words = {0: number, 4: architecture or MACHINES[machine].architecture, 16: argument}
    at, held = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        match code:
            case _ if code == LOAD:
                held = words[value]
            case _ if code == EQUAL:
                at += if_true if held == value else if_false
            case _ if code == AT_LEAST:
                at += if_true if held >= value else if_false
            case _ if code == RETURN:
                return int(value)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_no_bot_needs_is_refused(machine: str) -> None:
    """A listed call fails as if the kernel had none; another one passes."""
    for number in MACHINES[machine].refused:
        assert _verdict(machine, number) == REFUSE | errno.ENOSYS
    assert _verdict(machine, READ[machine]) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_are_those_of_the_network_and_of_unix(machine: str) -> None:
    """Others know no namespace and would lead out."""
    verdicts = {family: _verdict(machine, MACHINES[machine].socket, family) for family in range(46)}
    assert [family for family, verdict in verdicts.items() if verdict == ALLOW] == [1, 2, 10, 16]
    assert verdicts[40] == REFUSE | errno.EAFNOSUPPORT


def test_the_calls_of_another_processor_end_the_program() -> None:
    """Their numbers mean other calls, so the filter would not hold."""
    assert _verdict("x86_64", 0, architecture=0x40000003) == KILL
    assert _verdict("x86_64", 0x40000000) == REFUSE | errno.ENOSYS


def test_an_unknown_processor_has_no_filter() -> None:
    """The namespaces and limits hold there by themselves."""
    assert system_call_filter("riscv64") is None
