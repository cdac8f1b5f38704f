"""Who may read the organiser's page: this machine, or the bearer of the token."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

FORWARDED: Final = frozenset({"forwarded", "x-forwarded-for", "x-real-ip"})
"""What a proxy adds: then the request is of another machine."""
LONGEST_USER: Final = 64


@dataclass(frozen=True, slots=True)
class StatusDoor:
    """Lets the organiser in: with the token from anywhere, without one from this machine alone."""

    token: str | None = None

    def admits(self, address: str, headers: Mapping[str, str]) -> bool:
        """Return whether a request is answered; the names of its headers are in lower case."""
        given = _token_of(headers.get("authorization", "").strip())
        if self.token is not None and given is not None:
            return hmac.compare_digest(given.encode(), self.token.encode())
        return self.token is None and _is_here(address) and FORWARDED.isdisjoint(headers)


def user_of(headers: Mapping[str, str]) -> str:
    """Return the name that a request gives beside its password; empty without one."""
    scheme, _, value = headers.get("authorization", "").strip().partition(" ")
    name = _basic(value).partition(":")[0] if scheme.lower() == "basic" else ""
    return name if name.isprintable() and len(name) <= LONGEST_USER else ""


def _token_of(authorization: str) -> str | None:
    """Return the token of ``Bearer TOKEN``, or the password of ``Basic``; None without one."""
    scheme, _, value = authorization.partition(" ")
    match scheme.lower():
        case "bearer":
            return value.strip()
        case "basic":
            return _basic(value).partition(":")[2] or None
        case _:
            return None


def _basic(value: str) -> str:
    """Return ``NAME:PASSWORD``; empty if it is no base64, or no text in it."""
    try:
        return base64.b64decode(value).decode()
    except ValueError:
        return ""


def _is_here(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
