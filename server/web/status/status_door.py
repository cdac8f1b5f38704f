"""Who may read the organiser's page: this machine, or the bearer of the token."""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final

from ...net.limits.costs import AddressBudgets, TokenBucket

FORWARDED: Final = frozenset({"forwarded", "x-forwarded-for", "x-real-ip"})
"""What a proxy adds: then the request is of another machine."""
LONGEST_USER: Final = 64
GUESSES: Final = (0.1, 5.0)
"""Wrong passwords of an address: a second, for good, and in a burst."""


@dataclass(frozen=True, slots=True)
class StatusDoor:
    """Lets the organiser in: with the token from anywhere, without one from this machine alone."""

    token: str | None = None
    _guesses: AddressBudgets = field(default_factory=lambda: AddressBudgets(lambda: GUESSES))

    def is_shut(self, address: str, headers: Mapping[str, str], now: float) -> bool:
        """Return whether an address has given wrong passwords, and must wait with any other."""
        return "authorization" in headers and self._budget(address, headers, now).wait_s(now) > 0

    def admits(self, address: str, headers: Mapping[str, str], now: float) -> bool:
        """Return whether a request is answered; the names of its headers are in lower case."""
        given = _token_of(headers.get("authorization", "").strip())
        if self.token is not None and given is not None:
            is_right = hmac.compare_digest(given.encode(), self.token.encode())
            if not is_right:
                self._budget(address, headers, now).take(1.0, now)
            return is_right
        return self.token is None and _is_here(address) and FORWARDED.isdisjoint(headers)

    def _budget(self, address: str, headers: Mapping[str, str], now: float) -> TokenBucket:
        """Return the guesses left; what a proxy passes on does not shut out its own machine."""
        is_passed_on = not FORWARDED.isdisjoint(headers)
        return self._guesses.of("a proxy" if is_passed_on else address, now)


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
