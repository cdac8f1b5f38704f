"""Hosts of this machine: network namespaces with a name and two addresses each, on one bridge.

Their network ends with this process, which lies at the bridge, in a namespace of its own. Linux,
``ip``, ``nsenter`` and root are needed. A host that is cut off loses its packets without an error
to connections, new ones included, as when a cable is pulled farther away.
"""

import ctypes
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mancala.scripts.console import output as console

BRIDGE: Final = "bridge"
NEW: Final = 0x40000000 | 0x00020000
"""``CLONE_NEWNET`` and ``CLONE_NEWNS`` of Linux."""
NETWORK: Final = "10.49.0.{}"
NETWORK_6: Final = "fd49::{}"
NAMES: Final = "/etc/hosts"
PATIENT: Final = (
    "for each in /proc/sys/net/ipv[46]/neigh/{}/*cast_solicit; do echo 9999 > $each; done"
)
"""Has a host ask for its neighbours for hours before it calls one unreachable."""


class NetworkHost:
    """A host on the bridge.

    Attributes:
        within: the command that runs another one there.
    """

    def __init__(self, name: str, number: int, holder: int) -> None:
        """Put the namespaces of a process on the bridge."""
        self.name, self.is_cut = name, False
        self.address, self.address_6 = NETWORK.format(number), NETWORK_6.format(number)
        self.within = ("nsenter", "--net", "--uts", f"--target={holder}", "--")
        _run("ip", "link", "add", name, "type", "veth", "peer", "name", "net", "netns", str(holder))
        _run("ip", "link", "set", name, "up")
        self.heal()
        _add_addresses(number, "net", self.within)
        for device in ("lo", "net"):
            _run(*self.within, "ip", "link", "set", device, "up")

    def cut(self) -> None:
        """Lose all its packets from now on."""
        self.is_cut = True
        _run("ip", "link", "set", self.name, "nomaster")

    def heal(self) -> None:
        self.is_cut = False
        _run("ip", "link", "set", self.name, "master", BRIDGE)


def enter_network() -> None:
    """Leave this machine's network for a new one; before any thread runs."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW):
        console.fail(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    _run("mount", "--make-rprivate", "/")
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "link", "add", BRIDGE, "type", "bridge")
    _add_addresses(1, BRIDGE)
    _run("ip", "link", "set", BRIDGE, "up")


def name_addresses(names: Mapping[str, Sequence[str]], folder: Path) -> None:
    """Name addresses, for this process and those that it starts, after `enter_network`."""
    file = folder / "hosts"
    file.write_text("".join(f"{each} {name}\n" for name in names for each in names[name]))
    _run("mount", "--bind", str(file), NAMES)


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


def _add_addresses(number: int, device: str, within: Sequence[str] = ()) -> None:
    for each in (f"{NETWORK.format(number)}/24", f"{NETWORK_6.format(number)}/64"):
        nodad = ("nodad",) * (":" in each)  # no wait for another host that has it
        _run(*within, "ip", "address", "add", each, "dev", device, *nodad)
    _run(*within, "sh", "-c", PATIENT.format(device))


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
