"""The extra that brings each third-party package which the base installation lacks."""

import json
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

DISTRIBUTION: Final = "mancala-arena"
EXTRAS: Final = {
    "engine": ("numba", "numpy", "llvmlite", "cmaes", "gacrux", "networkx"),
    "server": (
        "aiomqtt",
        "alembic",
        "anyio",
        "gacrux",
        "h11",
        "networkx",
        "numpy",
        "paho",
        "PIL",
        "pillow",
        "prometheus_client",
        "python_multipart",
        "resvg_py",
        "sqlalchemy",
        "starlette",
        "uvicorn",
    ),
    "dask": ("dask", "distributed"),
    "env": ("gymnasium", "numba", "numpy", "pettingzoo", "pygame", "pygame_ce"),
    "eval": ("inspect_ai", "lm_eval", "openenv", "verifiers"),
    "fast": ("uvloop",),
    "fide": ("gacrux",),
    "llm": ("httpx",),
    "mcp": ("fastmcp", "httpx"),
    "postgres": ("psycopg",),
}
"""The modules that each extra brings."""
HEADLESS: Final = ("mancala.server.contest.", "mancala.scripts.commands.playing.")
"""The rooms that play games without a server."""


class MissingExtraError(ImportError):
    """Something needs an extra that is not installed; the message says what to install."""


def extra_for(error: BaseException) -> str | None:
    """Return the extra that brings the module whose absence an error reports, or None.

    Of two extras that bring it, the one named like the room that imports it is returned. Games
    without a server are played by rooms of the server, and need the engine's extra alone.
    """
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    package = error.name.partition(".")[0]
    extras = [extra for extra, packages in EXTRAS.items() if package in packages]
    modules = list(modules_of(error))
    names = [module.split(".") for module in modules]
    rooms = {name[1] for name in names if name[0] == "mancala" and len(name) > 1}
    if any(f"{module}.".startswith(HEADLESS) for module in modules):
        rooms = {"engine"}
    return next((extra for extra in extras if extra in rooms), extras[0] if extras else None)


def install_words(extra: str, package: str = DISTRIBUTION) -> str:
    """Return the command that installs an extra, from where the package itself came."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415  # for an error only: each program imports this module

    try:
        origin = json.loads(distribution(package).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    url = urlsplit(str(origin.get("url", "")))
    if url.scheme != "file":
        return f'pip install "{package}[{extra}]"'
    option = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f'pip install {option}"{unquote(url.path)}[{extra}]"'


def missing(error: ModuleNotFoundError) -> MissingExtraError:
    """Return the error that says what to install, for one that :func:`extra_for` knows."""
    return MissingExtraError(
        f"{error.name} is not installed; {install_words(extra_for(error) or 'all')}",
        name=error.name,
    )


def modules_of(error: BaseException) -> Iterator[str]:
    """Yield the modules that an error passed through."""
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
