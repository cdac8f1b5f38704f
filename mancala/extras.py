"""The extra that brings each third-party package which the base installation lacks."""

from __future__ import annotations

from typing import Final

DISTRIBUTION: Final = "mancala-arena"
EXTRAS: Final = {
    "engine": ("numba", "numpy", "llvmlite", "cmaes"),
    "server": (
        "aiomqtt",
        "alembic",
        "paho",
        "prometheus_client",
        "sqlalchemy",
        "starlette",
        "structlog",
        "uvicorn",
    ),
    "dask": ("dask", "distributed"),
    "env": ("gymnasium", "pettingzoo"),
    "postgres": ("psycopg",),
}
"""Modules by the extra that brings them; numpy, which several bring, stands with the first."""


class MissingExtraError(ImportError):
    """Something needs an extra that is not installed; the message says what to install."""


def extra_for(error: BaseException) -> str | None:
    """Return the extra that brings the module whose absence an error reports, or None."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    module = error.name.partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if module in modules), None)


def missing(error: ModuleNotFoundError) -> MissingExtraError:
    """Return the error that says what to install, for one that :func:`extra_for` knows."""
    return MissingExtraError(
        f'{error.name} is not installed; pip install "{DISTRIBUTION}[{extra_for(error)}]"',
        name=error.name,
    )
