"""``python -m mancala.server.net.arrivals.segment_watcher FD``: notes what arrives during a stall.

A process of its own, because a stall of the server may hold its threads as well: a full garbage
collection, a long call that keeps the interpreter's lock, or SIGSTOP. It asks the kernel by
``NETLINK_SOCK_DIAG`` (as ``ss`` does), for which it needs no descriptor of the connections: one of
those here would keep a connection open that the server has closed.
"""

import os  # noqa: TID251  # a process of its own, without the server's system
import select
import signal
import socket  # noqa: TID251  # the kernel's diagnosis is asked over one
import struct
import sys
from collections.abc import Iterator
from contextlib import closing
from mmap import mmap
from time import monotonic, process_time  # noqa: TID251  # the clock of all processes here
from typing import Final

from .segments import MEMORY_BYTES, TCP_INFO, Received, SegmentRecorder

LOOK_S: Final = 0.01
"""How often it looks whether the server is stalled, and at the connections while it is."""
MOST_SHARE: Final = 0.02
"""How much of a core its looks may take: one at 128 connections takes 1.4 ms, at none a third."""
STALLED_S: Final = 0.04
"""A server whose last beat is older than this is stalled; two beats."""
NETLINK_SOCK_DIAG: Final = 4
SOCK_DIAG_BY_FAMILY: Final = 20
DUMP: Final = 0x301
"""``NLM_F_REQUEST | NLM_F_DUMP``."""
NLMSG_ERROR, NLMSG_DONE = 2, 3
INET_DIAG_INFO: Final = 2
ESTABLISHED_AND_CLOSING: Final = 1 << 1 | 1 << 8
"""``TCP_ESTABLISHED`` and ``TCP_CLOSE_WAIT``."""
MESSAGE: Final = struct.Struct("=IHHII")
REQUEST: Final = struct.Struct("=BBBBI")
COOKIE: Final = 44
"""Offset of the socket's cookie in ``struct inet_diag_msg``: two words."""
ATTRIBUTES: Final = 72
ATTRIBUTE: Final = struct.Struct("=HH")
ANSWER_BYTES: Final = 256 * 1024


class KernelDiagnosis:
    """The kernel's list of connections; raises `OSError` where there is none."""

    def __init__(self) -> None:
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG)

    def close(self) -> None:
        """Ask no more."""
        self._netlink.close()

    def received(self, port: int) -> Iterator[Received]:
        for family in (socket.AF_INET, socket.AF_INET6):
            self._netlink.send(_request(family, port))
            yield from self._answers(monotonic())

    def _answers(self, now: float) -> Iterator[Received]:
        while True:
            data = self._netlink.recv(ANSWER_BYTES)
            place = 0
            while place < len(data):
                length, kind, *_ = MESSAGE.unpack_from(data, place)
                if kind == NLMSG_ERROR:
                    raise OSError("the kernel lists no connections")
                if kind == NLMSG_DONE:
                    return
                yield from _received(data[place + MESSAGE.size : place + length], now)
                place += length + 3 & ~3


def _request(family: int, port: int) -> bytes:
    wanted = 1 << INET_DIAG_INFO - 1
    asked = REQUEST.pack(family, socket.IPPROTO_TCP, wanted, 0, ESTABLISHED_AND_CLOSING)
    identity = struct.pack("!HH", port, 0) + bytes(36) + b"\xff" * 8
    size = MESSAGE.size + len(asked) + len(identity)
    return MESSAGE.pack(size, SOCK_DIAG_BY_FAMILY, DUMP, 0, 0) + asked + identity


def _received(message: bytes, now: float) -> Iterator[Received]:
    low, high = struct.unpack_from("=II", message, COOKIE)
    place = ATTRIBUTES
    while place + ATTRIBUTE.size <= len(message):
        length, kind = ATTRIBUTE.unpack_from(message, place)
        if kind == INET_DIAG_INFO and length >= ATTRIBUTE.size + TCP_INFO.size:
            age_ms, _ack_ms, count, _rtt_us = TCP_INFO.unpack_from(message, place + ATTRIBUTE.size)
            yield Received(low | high << 32, count, now - age_ms / 1000)
        place += max(length, ATTRIBUTE.size) + 3 & ~3


def watch(recorder: SegmentRecorder, diagnosis: KernelDiagnosis, parent: int) -> None:
    """Watch until the other end of a descriptor is closed."""
    spent_s = 0.0
    while not select.select([parent], [], [], max(LOOK_S, spent_s / MOST_SHARE))[0]:
        began = process_time()
        if monotonic() - recorder.beat < STALLED_S:
            recorder.forget()
        else:
            for port in recorder.ports:
                recorder.note(diagnosis.received(port))
        spent_s = process_time() - began


def main() -> None:
    """Watch the connections of the server that has started this process."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # it ends with its server
        signal.signal(number, signal.SIG_IGN)
    with mmap(int(sys.argv[1]), MEMORY_BYTES) as memory, closing(KernelDiagnosis()) as diagnosis:
        os.close(int(sys.argv[1]))
        watch(SegmentRecorder(memory), diagnosis, sys.stdin.fileno())


if __name__ == "__main__":
    main()
