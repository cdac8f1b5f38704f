"""Hosts of this machine: network namespaces with a name and an address each, on one bridge.

Their network ends with this process, which lies at the bridge, in a namespace of its own. Linux,
``ip``, ``nsenter`` and root are needed. A host that is cut off loses its packets without an error
to its connections, as when a cable is pulled farther away.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mancala.scripts.console import output as console

BRIDGE: Final = "bridge"
NEW_NETWORK: Final = 0x40000000
"""``CLONE_NEWNET`` of Linux."""
ADDRESS: Final = "10.49.0.{}"
HERE: Final = ADDRESS.format(1)


class NetworkHost:
    """A host on the bridge.

    Attributes:
        within: the command that runs another one there.
    """

    def __init__(self, name: str, number: int, holder: int) -> None:
        """Put the namespaces of a process on the bridge."""
        self.name, self.address = name, ADDRESS.format(number)
        self.within = ("nsenter", "--net", "--uts", f"--target={holder}", "--")
        _run("ip", "link", "add", name, "type", "veth", "peer", "name", "net", "netns", str(holder))
        _run("ip", "link", "set", name, "up")
        self.heal()
        _run(*self.within, "ip", "address", "add", f"{self.address}/24", "dev", "net")
        for device in ("lo", "net"):
            _run(*self.within, "ip", "link", "set", device, "up")

    def cut(self) -> None:
        """Lose all its packets from now on."""
        _run("ip", "link", "set", self.name, "nomaster")

    def heal(self) -> None:
        _run("ip", "link", "set", self.name, "master", BRIDGE)


def enter_network() -> None:
    """Leave this machine's network for a new one; before any thread runs."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK):
        console.fail(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "link", "add", BRIDGE, "type", "bridge")
    _run("ip", "address", "add", f"{HERE}/24", "dev", BRIDGE)
    _run("ip", "link", "set", BRIDGE, "up")


@contextmanager
def network_hosts(*names: str) -> Iterator[list[NetworkHost]]:
    """Provide hosts of these names while the block runs."""
    holders, hosts = list[subprocess.Popen[bytes]](), list[NetworkHost]()
    try:
        for number, name in enumerate(names, 2):
            told = f"hostname {name}; echo; exec sleep infinity"
            ending = ("setpriv", "--pdeathsig", "KILL")
            words = (*ending, "unshare", "--net", "--uts", "sh", "-c", told)
            holder = subprocess.Popen(words, stdout=subprocess.PIPE)
            holders.append(holder)
            if holder.stdout is None or not holder.stdout.readline():
                console.fail("no network namespace for a host")
            hosts.append(NetworkHost(name, number, holder.pid))
        yield hosts
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
