"""A server's time as the owner of its store, where another one may take over."""

from typing import NamedTuple


class Tenure(NamedTuple):
    """Its number, which the next owner's exceeds, and the machine of the server."""

    number: int
    host: str
