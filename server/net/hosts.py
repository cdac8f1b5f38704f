"""Under which host names this server answers: a guard against DNS rebinding; URLs of its ports.

A page of a stranger's site may have its own name resolve to an address of this machine or of a
private network. The browser then takes answers from here for that site's own. It sends the
stranger's name as ``Host``, so requests with unknown names are refused. Addresses, and names
without a dot, can't be a stranger's.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from ..config.settings import Config
from .limits.client_address import parsed

ANY: Final = "*"


class Hosts:
    """The host names under which requests are answered."""

    def __init__(self, names: Iterable[str]) -> None:
        """Allow names, besides those that can't be a stranger's; ``*`` allows all."""
        self._names = frozenset(name.lower() for name in names)

    @classmethod
    def of(cls, config: Config) -> Hosts:
        """Return the names of a server: of its settings, its public URLs and its machine."""
        urls = (config.public_url or "", *config.origins)
        public = (name for url in urls if (name := urlsplit(url).hostname) is not None)
        return cls((*config.hosts, *public, platform.node()))

    def allow(self, host: str) -> bool:
        """Return whether to answer a request by its ``Host`` header, with or without a port."""
        if not host or ANY in self._names:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        name = name.rstrip(".")
        is_own_by_nature = "." not in name or name.endswith(".localhost")
        return name in self._names or is_own_by_nature or parsed(name) is not None


def url_of(scheme: str, host: str, port: int) -> str:
    """Return a URL; an IPv6 address is put in brackets (RFC 3986, section 3.2.2)."""
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
