"""The error of a port that cannot be opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class PortError(OSError):
    """A port can't be opened; the message names the setting, the address and the reason."""


@contextmanager
def opening(setting: str, host: str, port: int) -> Iterator[None]:
    """Open a port in the block.

    Args:
        setting: the key of the port in the configuration.
        host: address to listen on.
        port: port to listen on.

    Raises:
        PortError: when the block raises an ``OSError``.
    """
    try:
        yield
    except OSError as error:
        known = error.errno is not None and error.errno > 0
        reason = os.strerror(error.errno or 0) if known else error.strerror or str(error)
        raise PortError(f"{setting}: cannot listen on {host}:{port}: {reason.lower()}") from error
