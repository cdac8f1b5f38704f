"""The path of a unix socket; apart from the ports, so that an order need not load asyncio."""

import os  # noqa: TID251  # the way to the socket's folder
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path  # noqa: TID251  # of the socket, which the caller names
from typing import Final

LONGEST_PATH: Final = 100
"""A longer path does not fit into the address of a unix socket everywhere."""


@contextmanager
def short_path(path: str) -> Iterator[str]:
    """Yield a path that fits into the address of a unix socket, however long it is."""
    if len(os.fsencode(path)) <= LONGEST_PATH:
        yield path
        return
    folder = os.open(Path(path).parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{Path(path).name}"
    finally:
        os.close(folder)
