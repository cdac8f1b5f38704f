"""Addresses that flood a port with connections: the kernel ignores them for a while.

A connection that is refused costs the server 15 µs. Eight peers that connect again immediately ask
for 4,000 a second, and hold a core of their own with that. So an address that was refused often
within half a second is put on a list of the listening socket, by a packet filter
(``SO_ATTACH_FILTER``, classic BPF). The kernel drops its packets before there is a connection; the
peer's kernel tries again a second later. Connections that are open, and all other addresses, notice
nothing.
"""

import asyncio
import ctypes
import socket  # noqa: TID251  # the way to ports, handed in as OpenPorts
import struct
import sys
from collections import Counter
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

REFUSALS: Final = 32
"""Refusals of an address within ``HOLD_S`` after which it is ignored."""
HOLD_S: Final = 0.5
"""How long it is ignored; less than the second after which its kernel tries again."""
MOST: Final = 64
"""Addresses that are ignored at a time; each costs the kernel a few instructions a packet."""
SO_ATTACH_FILTER: Final = 26
"""``asm-generic/socket.h``."""
NETWORK_HEADER: Final = 0x100000000 - 0x100000
"""Where the IP header begins, in the addresses of classic BPF (``SKF_NET_OFF``)."""
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALL_BYTES: Final = 0xFFFFFFFF
INSTRUCTION: Final = struct.Struct("@HBBI")
PROGRAM: Final = struct.Struct("@HP")
FIRST_WORD: Final = {socket.AF_INET: 12, socket.AF_INET6: 8}
"""Where the source address begins in an IP header, in bytes."""


class ConnectionFilter:
    """The addresses that a listening socket ignores."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._refused: Counter[bytes] = Counter()
        self._ignored: tuple[bytes, ...] = ()
        self._forgetting: asyncio.TimerHandle | None = None

    def refused(self, address: str) -> None:
        """Note that a connection was refused; ignore its address when it was one of many."""
        network = _network(address)
        self._refused[network] += 1
        if self._forgetting is None:
            loop = asyncio.get_running_loop()
            self._forgetting = loop.call_later(HOLD_S, self._forget)
        if self._refused[network] == REFUSALS and len(self._ignored) < MOST:
            self._set((*self._ignored, network))

    def clear(self) -> None:
        """Listen to all addresses again, whichever process had them ignored."""
        if self._listening.fileno() >= 0:
            self._set(())

    def _forget(self) -> None:
        """Listen to all addresses again."""
        self._forgetting = None
        self._refused.clear()
        if self._ignored:
            self.clear()

    def _set(self, ignored: tuple[bytes, ...]) -> None:
        self._ignored = ignored
        if sys.platform == "linux":
            program = _program(FIRST_WORD[self._listening.family], ignored)
            kept = ctypes.create_string_buffer(program)  # the kernel copies it
            told = PROGRAM.pack(len(program) // INSTRUCTION.size, ctypes.addressof(kept))
            with suppress(OSError):  # a sandbox may forbid it: refusals cost a little more then
                self._listening.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, told)


def _network(address: str) -> bytes:
    """Return what is ignored: an IPv4 address, or the /64 network of an IPv6 one."""
    place = ip_address(address.partition("%")[0])
    return place.packed[:8]


def _program(first_word: int, ignored: tuple[bytes, ...]) -> bytes:
    """Return a filter that drops the packets of addresses or networks, which are whole words."""
    program = []
    for network in ignored:
        words = struct.unpack(f"!{len(network) // 4}I", network)
        for number, word in enumerate(words):
            left = 2 * (len(words) - number) - 1  # instructions until the next address
            program.append((LOAD_WORD, 0, 0, NETWORK_HEADER + first_word + 4 * number))
            program.append((JUMP_IF_EQUAL, 0, left, word))
        program.append((RETURN, 0, 0, 0))
    program.append((RETURN, 0, 0, ALL_BYTES))
    return b"".join(INSTRUCTION.pack(*each) for each in program)
