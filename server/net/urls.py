"""URLs of the server's ports."""

from __future__ import annotations


def url_of(scheme: str, host: str, port: int) -> str:
    """Return a URL; an IPv6 address is put in brackets (RFC 3986, section 3.2.2)."""
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
