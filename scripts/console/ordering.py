"""The commands of ``mancala admin`` and ``event``, derived from the operator's actions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, get_type_hints

import typer
from msgspec import NODEFAULT, Meta
from msgspec.structs import FieldInfo, fields

from mancala.protocol.text import decimal_number, quantity
from mancala.server.control.actions import ACTIONS, Action, Given
from mancala.server.control.wire import Change, Request

from . import output as console
from .options import JsonOption, with_parameters
from .store import ConfigOption, StoreOption, config_of

if TYPE_CHECKING:
    from mancala.server.config.settings import Config

Result = dict[str, Any]
Say = Callable[[Result], None]
MOST_CHANGES: Final = 40
"""Changes that are printed; ``--json`` has all."""
STARTING_S: Final = 20.0
PAUSE_S: Final = 0.2
"""Seconds that a server which starts is waited for, and between two tries."""
UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print what would change, and change nothing.")
]
Hold = Annotated[
    bool, typer.Option("--hold", help="Hold the order back until 'mancala admin confirm'.")
]
Why = Annotated[str, typer.Option("--why", help="The reason, for 'mancala admin log'.")]


def add_orders(app: typer.Typer, group: str, help_: str, says: Mapping[str, Say]) -> typer.Typer:
    """Add and return a group of commands, one for each of its actions."""
    commands = typer.Typer(no_args_is_help=True)
    for action in ACTIONS.values():
        of, name = action.command
        if of == group and all(map(_given, fields(action.arguments))):
            command = order_command(action, _options(action), say=says.get(name))
            commands.command(name)(command)
    app.add_typer(commands, name=group, help=help_)
    return commands


def order_command(
    action: Action,
    options: Collection[Parameter],
    arguments_of: Callable[..., Mapping[str, object]] = dict,
    say: Say | None = None,
) -> Callable[..., None]:
    """Return the command of an action, for typer, with its own options beside those of all."""

    def command(
        *,
        config: ConfigOption = None,
        store: StoreOption = None,
        why: Why = "",
        dry_run: DryRun = False,
        hold: Hold = False,
        json: JsonOption = False,
        **given: Any,  # noqa: ANN401  # whatever the action takes
    ) -> None:
        why = given.get("reason", why)  # which others read as well
        wanted = {
            name: _sent(each) for name, each in arguments_of(**given).items() if each is not None
        }
        settings = config_of(config, store)
        if action.means and action.means not in wanted and not dry_run:
            would = _answered(Request(action.name, wanted, dry_run=True), settings)["changed"]
            meant = (each for each in would if each["what"] == action.means)
            wanted = {**wanted, **{each["what"]: int(each["subject"]) for each in meant}}
        request = Request(action.name, wanted, dry_run, why)
        if hold:
            request = Request("hold", {"action": action.name, "arguments": wanted}, dry_run, why)
        result = _answered(request, settings)
        if json:
            console.emit(result)
        else:
            (_say_held_back if hold else say or say_changes)(result)
        if action.fails_unless and not result[action.fails_unless]:
            raise typer.Exit(console.FAILED)

    offered = {"config", "store", "json"}
    if not action.asks:
        offered |= {"dry_run"} | ({"hold"} if action.may_wait else set())
        offered |= set() if any(each.name == "reason" for each in options) else {"why"}
    shared = signature(command, eval_str=True).parameters.values()
    return with_parameters(
        command, [*options, *(each for each in shared if each.name in offered)], action.help
    )


def _options(action: Action) -> list[Parameter]:
    kinds = get_type_hints(action.arguments)
    return [_option(each, kinds[each.name]) for each in fields(action.arguments)]


def _option(field: FieldInfo, kind: Any) -> Parameter:  # noqa: ANN401  # a type
    [given, *_] = _given(field)
    bounds = next((each for each in field.type.__metadata__ if isinstance(each, Meta)), Meta())
    kind, read = READERS.get(given.reads, (kind, None))
    details: dict[str, Any] = {"help": given.help, "callback": read}
    details |= {"min": bounds.ge, "max": bounds.le}
    if field.required or given.is_word:
        written = typer.Argument(**details)
    else:
        written = typer.Option(given.option or f"--{field.name.replace('_', '-')}", **details)
    default = field.default
    if default is NODEFAULT:
        default = Parameter.empty if field.required else field.default_factory()
    annotation = Annotated[kind, written]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _given(field: FieldInfo) -> list[Given]:
    """Return how an argument is given, if it can be on a command line."""
    return [each for each in getattr(field.type, "__metadata__", ()) if isinstance(each, Given)]


def _duration(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = decimal_number(text[:-1]) * UNITS[text[-1:]]
    except (KeyError, ValueError):
        console.fail(f"--for {text!r} is no duration: write 90s, 30m, 12h or 7d")
    if not 0 < seconds <= 36500 * UNITS["d"]:
        console.fail(f"--for {text!r} must be more than nothing and at most 36500d")
    return seconds


def _sent(value: object) -> object:
    """Return an argument as a server takes it, whose working directory may be another one."""
    return str(value.absolute()) if isinstance(value, Path) else value


READERS: Final[Mapping[str, tuple[Any, Callable[..., object] | None]]] = {
    "duration": (str | None, _duration),
    "path": (Path, None),
}
"""How the text of an argument is read that is no plain text or number."""


# What is printed


def say_changes(result: Result) -> None:
    """Print what an action changed, or would change, and the tables before and after."""
    changed = result["changed"]
    verb = "would change" if result["dry_run"] else "changed"
    if not changed:
        console.say("nothing to change")
    for change in changed[:MOST_CHANGES]:
        console.say(f"{verb}: {Change(**change)}")
    if len(changed) > MOST_CHANGES:
        console.say(f"{verb}: {len(changed) - MOST_CHANGES} more")
    if result.get("remark"):
        console.say(result["remark"])
    if result.get("left_out"):
        console.say(
            f"left out: {quantity(result['left_out'], 'game')} of matches that are under way"
        )
    for ladder, both in result.get("tables", {}).items():
        for when, rows in both.items():
            if rows is not None:
                console.say("\n".join((f"{ladder} {when}:", *map(_row, rows))))


def _row(row: dict[str, Any]) -> str:
    rating = "-" if row["elo"] is None else f"{row['elo']:g} ± {row['elo_error']:g}"
    return f"  {row['rank']}\t{row['name']}\t{row['points']:g} of {row['games']}\t{rating}"


def _say_held_back(result: Result) -> None:
    """Print what an order will change that was held back, and its id."""
    say_changes({**result, "changed": result["would_change"], "dry_run": True})
    console.say("would be held back" if result["dry_run"] else f"held back: {result['held']}")


# Who carries it out


def _answered(request: Request, config: Config) -> Result:
    """Return what a server, or its store where none runs, made of a request."""
    import platform
    import time

    from mancala.server.store.database.faults import StoreInUseError

    end = None
    while True:
        try:
            return _answered_now(request, config)
        except StoreInUseError as error:
            if error.host not in {None, platform.node()}:
                console.fail(f"{error}; give the order there", code=console.FAILED)
            socket = config.ctl_path or "none is configured"
            missing = f"{error}, and its control socket is not there: {socket}"
            if config.ctl_path is None or (end is not None and time.monotonic() > end):
                console.fail(missing, code=console.FAILED)
            if end is None:
                end = time.monotonic() + STARTING_S
                console.say(f"{missing}; waiting, in case it starts", err=True)
            time.sleep(PAUSE_S)


def _answered_now(request: Request, config: Config) -> Result:
    from mancala.server.control.client import NotRunningError, ask

    if config.ctl_path is None:
        return _answered_alone(request, config)
    try:
        response = ask(config.ctl_path, request)
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
    from mancala.server.control.operator import RefusedError, UsageError
    from mancala.server.model.system_users import name_of_user
    from mancala.server.store import StoreError
    from mancala.server.store.database.database import is_postgresql
    from mancala.server.store.database.faults import StoreInUseError, StoreMissingError

    place = Path(config.store_path)
    if not is_postgresql(config.store_path) and place.exists() and not os.access(place, os.W_OK):
        owner = name_of_user(place.stat().st_uid)
        console.fail(
            f"{place}: only {owner}, whose server keeps it, may change it; run this as {owner}",
            code=console.FAILED,
        )
    try:
        result = asyncio.run(carry_out(config, request, name_of_user(os.getuid())))
    except (UsageError, StoreMissingError) as error:
        console.fail(error)
    except StoreInUseError:
        raise
    except (RefusedError, StoreError) as error:
        console.fail(error, code=console.FAILED)
    return codec.from_json(codec.to_json(result), dict[str, Any])
