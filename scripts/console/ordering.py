"""Requests to a server, or to its store where none runs, for ``mancala admin`` and ``event``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import output as console
from .operator import say_changes, say_held_back
from .store import ConfigOption, StoreOption, config_of

if TYPE_CHECKING:
    from mancala.server.config.settings import Config
    from mancala.server.control.wire import Request

Result = dict[str, Any]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would change, and change nothing.")
]
Hold = Annotated[
    bool, typer.Option("--hold", help="Hold the order back until 'mancala admin confirm'.")
]
Why = Annotated[str, typer.Option("--why", help="The reason, for 'mancala admin log'.")]


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Which server: its settings' file, its store."""

    config: ConfigOption = None
    store: StoreOption = None


@dataclass(frozen=True, kw_only=True)
class TrialOptions:
    """Why something is done, and whether it is done."""

    why: Why = ""
    dry_run: DryRun = False


@dataclass(frozen=True, kw_only=True)
class ActOptions(TrialOptions):
    """Why something is done, and whether it is done now."""

    hold: Hold = False


@dataclass(frozen=True, kw_only=True)
class HowOptions:
    """Whether something is done, whose reason others read as well."""

    dry_run: DryRun = False
    hold: Hold = False


ONLY_ASKED = TrialOptions()


def carried_out(
    action: str,
    arguments: Mapping[str, object],
    server: ServerOptions,
    act: TrialOptions = ONLY_ASKED,
    *,
    say: Callable[[Result], None] = say_changes,
    json: bool,
) -> Result:
    """Have an action carried out, and print what came of it."""
    from mancala.server.control.wire import Request

    given = {name: value for name, value in arguments.items() if value is not None}
    request = Request(action, given, act.dry_run, act.why)
    if isinstance(act, ActOptions) and act.hold:
        wanted = {"action": action, "arguments": given}
        request, say = Request("hold", wanted, act.dry_run, act.why), say_held_back
    result = _answered(request, config_of(server.config, server.store))
    if json:
        console.emit(result)
    else:
        say(result)
    return result


def _answered(request: Request, config: Config) -> Result:
    """Return what a server, or its store where none runs, made of a request."""
    from mancala.server.control.client import NotRunningError, ask

    path = config.ctl_path
    if path is None:
        return _answered_alone(request, config)
    try:
        response = ask(path, request)
    except NotRunningError:
        return _answered_alone(request, config)
    except OSError as error:
        console.fail(error, code=console.FAILED)
    if response.result is None:
        console.fail(response.error, code=console.USAGE if response.is_usage else console.FAILED)
    return response.result


def _answered_alone(request: Request, config: Config) -> Result:
    import asyncio
    import os

    from mancala.protocol import codec
    from mancala.server.app.operating import carry_out
    from mancala.server.control.actions import RefusedError, UsageError
    from mancala.server.control.port import name_of_user
    from mancala.server.store import StoreError
    from mancala.server.store.database.faults import StoreInUseError, StoreMissingError

    _expect_own(config)
    try:
        result = asyncio.run(carry_out(config, request, name_of_user(os.getuid())))
    except UsageError as error:
        console.fail(error)
    except StoreMissingError as error:
        console.fail(error)
    except StoreInUseError as error:
        socket = config.ctl_path or "none is configured"
        console.fail(f"{error}, and its control socket is not there: {socket}", code=console.FAILED)
    except (RefusedError, StoreError) as error:
        console.fail(error, code=console.FAILED)
    return codec.from_json(codec.to_json(result), dict[str, Any])


def _expect_own(config: Config) -> None:
    """Check that this user may write the store of a server that is stopped.

    Raises:
        typer.Exit: when another user's server keeps it.
    """
    import os

    from mancala.server.control.port import name_of_user
    from mancala.server.store.database.database import is_postgresql

    path = Path(config.store_path)
    if is_postgresql(config.store_path) or not path.exists() or os.access(path, os.W_OK):
        return
    owner = name_of_user(path.stat().st_uid)
    console.fail(
        f"{path}: only {owner}, whose server keeps it, may change it; run this as {owner}",
        code=console.FAILED,
    )
