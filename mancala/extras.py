"""The extra that brings each third-party package which the base installation lacks."""

from __future__ import annotations

from collections.abc import Iterator
from types import FrameType
from typing import Final

DISTRIBUTION: Final = "mancala-arena"
EXTRAS: Final = {
    "engine": ("numba", "numpy", "llvmlite", "cmaes"),
    "server": (
        "aiomqtt",
        "alembic",
        "numpy",
        "paho",
        "prometheus_client",
        "sqlalchemy",
        "starlette",
        "structlog",
        "uvicorn",
    ),
    "dask": ("dask", "distributed"),
    "env": ("gymnasium", "numba", "numpy", "pettingzoo", "pygame", "pygame_ce"),
    "llm": ("httpx",),
    "mcp": ("fastmcp", "httpx"),
    "postgres": ("psycopg",),
}
"""The modules that each extra brings."""


class MissingExtraError(ImportError):
    """Something needs an extra that is not installed; the message says what to install."""


def extra_for(error: BaseException) -> str | None:
    """Return the extra that brings the module whose absence an error reports, or None.

    Of two extras that bring it, the one named like the package of ours that imports it is returned.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    module = error.name.partition(".")[0]
    extras = [extra for extra, modules in EXTRAS.items() if module in modules]
    rooms = {frame.f_globals.get("__name__", "").partition(".")[0] for frame in _frames(error)}
    return next((extra for extra in extras if extra in rooms), extras[0] if extras else None)


def missing(error: ModuleNotFoundError) -> MissingExtraError:
    """Return the error that says what to install, for one that :func:`extra_for` knows."""
    return MissingExtraError(
        f'{error.name} is not installed; pip install "{DISTRIBUTION}[{extra_for(error)}]"',
        name=error.name,
    )


def _frames(error: BaseException) -> Iterator[FrameType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next
