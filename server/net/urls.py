"""Where a port of the server's is, as a URL."""

from __future__ import annotations


def url_of(scheme: str, host: str, port: int) -> str:
    """Write a URL; an IPv6 address stands in brackets (RFC 3986, section 3.2.2)."""
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
