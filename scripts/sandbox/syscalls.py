"""The filter of system calls: what no bot needs and the namespaces do not close, as BPF.

Refused are memory that no limit counts (memory files, System V segments and queues), windows into
other processes, and parts of the kernel with a record of faults. Sockets are those of the network
and of Unix; ``AF_VSOCK`` and others know no network namespace and would lead out of the sandbox.
Whatever is not listed is allowed. Numbers: ``asm/unistd.h`` of Linux.
"""

import errno
import struct
from typing import Final, NamedTuple

LOAD: Final = 0x20
EQUAL: Final = 0x15
AT_LEAST: Final = 0x35
RETURN: Final = 0x06
ALLOW: Final = 0x7FFF0000
REFUSE: Final = 0x00050000
KILL: Final = 0x80000000
NUMBER_AT: Final = 0
ARCHITECTURE_AT: Final = 4
FIRST_ARGUMENT_AT: Final = 16
OTHER_ABI: Final = 0x40000000
"""Numbers from here on are those of x32, by which a filter could be passed by."""
FAMILIES: Final = (1, 2, 10, 16)
"""Families of sockets allowed: Unix, IPv4, IPv6, and netlink, by which addresses are listed."""


class Machine(NamedTuple):
    """A processor: its number in Linux's audit, its call that makes a socket, and those refused."""

    architecture: int
    socket: int
    refused: tuple[int, ...]


MACHINES: Final = {
    "x86_64": Machine(
        0xC000003E,
        41,
        (
            *(319, 447),  # memfd_create, memfd_secret
            *(29, 68, 240),  # shmget, msgget, mq_open
            *(101, 310, 311),  # ptrace, process_vm_readv, process_vm_writev
            *(425, 426, 427),  # io_uring_setup, io_uring_enter, io_uring_register
            *(248, 249, 250),  # add_key, request_key, keyctl
            *(321, 298, 323),  # bpf, perf_event_open, userfaultfd
            *(165, 166, 272, 308, 304),  # mount, umount2, unshare, setns, open_by_handle_at
        ),
    ),
    "aarch64": Machine(
        0xC00000B7,
        198,
        (
            *(279, 447),
            *(194, 186, 180),
            *(117, 270, 271),
            *(425, 426, 427),
            *(217, 218, 219),
            *(280, 241, 282),
            *(40, 39, 97, 268, 265),
        ),
    ),
}
"""By the name of the processor; the calls in the same order in each."""


def system_call_filter(machine: str) -> bytes | None:
    """Return the filter as the kernel reads it; None for a processor whose numbers are unknown."""
    numbers = MACHINES.get(machine)
    if numbers is None:
        return None
    steps = [
        _step(LOAD, ARCHITECTURE_AT),
        _step(EQUAL, numbers.architecture, if_true=1),
        _step(RETURN, KILL),
        _step(LOAD, NUMBER_AT),
        *_refused(AT_LEAST, OTHER_ABI, errno.ENOSYS),
    ]
    for number in numbers.refused:
        steps += _refused(EQUAL, number, errno.ENOSYS)
    steps += [
        _step(EQUAL, numbers.socket, if_true=1),
        _step(RETURN, ALLOW),
        _step(LOAD, FIRST_ARGUMENT_AT),
    ]
    for family in FAMILIES:
        steps += [_step(EQUAL, family, if_false=1), _step(RETURN, ALLOW)]
    steps.append(_step(RETURN, REFUSE | errno.EAFNOSUPPORT))
    return b"".join(steps)


def _refused(comparison: int, number: int, error: int) -> list[bytes]:
    return [_step(comparison, number, if_false=1), _step(RETURN, REFUSE | error)]


def _step(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction; the jumps are counted in instructions passed over."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
