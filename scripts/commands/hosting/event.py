"""``mancala event``: the organiser's hand on the events of a server."""

import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from mancala.protocol.text import quantity
from mancala.server.control.actions import ACTIONS

from ...console import output as console
from ...console.options import JsonOption, options_of
from ...console.ordering import Result, add_orders, order_command
from ...console.store import ConfigOption, StoreOption, config_of

EventName = Annotated[str, typer.Argument(help="The event.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    text = "Events on a server: make, show, start and stop them. Works beside it and without it."
    event = add_orders(app, "event", text, {"list": _say_events, "show": _say_event})
    event.command("new")(order_command(ACTIONS["event-new"], options_of(NewOptions), _settings))
    event.command("edit")(order_command(ACTIONS["event-edit"], options_of(EditOptions), _changes))
    event.command("export")(_export)


@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """Settings of an event; those of a file hold where an option is left out."""

    file: Annotated[
        Path | None,
        typer.Option(help="TOML file with its settings, as [[event]] has them."),
    ] = None
    format: Annotated[str | None, typer.Option(help="Its format, such as swiss or rr.")] = None
    entrants: Annotated[
        str | None, typer.Option(help="The bots that play, by seeding: ann,bob,cid.")
    ] = None
    enter: Annotated[str | None, typer.Option(help="Who else may enter: list, tokens or open.")] = (
        None
    )
    rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss event.")] = None
    duration_s: Annotated[
        float | None, typer.Option("--duration", help="How long an arena lasts, in seconds.")
    ] = None
    games: Annotated[int | None, typer.Option(help="Games of an encounter.")] = None
    rules: Annotated[str | None, typer.Option(help="The rules of its games.")] = None
    move_ms: Annotated[int | None, typer.Option(help="Time limit per move, in milliseconds.")] = (
        None
    )
    seed: Annotated[int | None, typer.Option(help="Decides lots.")] = None
    starts: Annotated[
        str | None, typer.Option(help="When it begins: 2026-12-01T19:00:00+01:00.")
    ] = None
    rated: Annotated[str | None, typer.Option(help="The ladder that counts its games too.")] = None
    set: Annotated[
        list[str],
        typer.Option(
            help="Any setting, as [[event]] has it: min_rating=1400, 'team=[\"a\"]'. Repeatable.",
        ),
    ] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class NewOptions(EventOptions):
    name: Annotated[
        str | None, typer.Argument(help="The event; may be left out if the file names it.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class EditOptions(EventOptions):
    event: EventName
    unset: Annotated[
        list[str],
        typer.Option(help="A setting whose default is to hold again: password. Repeatable."),
    ] = field(default_factory=list)


def _settings(**given: Any) -> dict[str, object]:  # noqa: ANN401  # the options
    settings = _given(**given)
    if "name" not in settings:
        console.fail("name: the event needs one, as NAME or in the file")
    return {"settings": settings}


def _changes(
    *,
    event: str,
    unset: Sequence[str],
    **given: Any,  # noqa: ANN401  # the options
) -> dict[str, object]:
    settings = _given(**given)
    if twice := settings.keys() & {*unset}:
        console.fail(f"--unset {min(twice)}: it is set, too")
    settings |= dict.fromkeys(unset)
    if not settings:
        console.fail("nothing to change: name settings as options, or a --file of them")
    return {"event": event, "settings": settings}


def _given(
    *,
    file: Path | None,
    entrants: str | None,
    move_ms: int | None,
    set: Sequence[str] = (),  # noqa: A002  # the option's name
    **given: object,
) -> dict[str, object]:
    from mancala.server.config.loading import event_table, with_openings
    from mancala.server.config.settings import ConfigError

    with console.bad_input(ConfigError):
        settings = {} if file is None else event_table(file)
        chosen = with_openings(dict(map(_setting, set)), Path())
    settings |= {key: value for key, value in given.items() if value is not None}
    if entrants is not None:
        settings["entrants"] = [each.strip() for each in entrants.split(",")]
    if move_ms is not None:
        settings["clock"] = {"move_ms": move_ms}
    return settings | chosen


def _setting(text: str) -> tuple[str, object]:
    """Return a setting and its value: TOML, or a text without quotes."""
    from mancala.server.config.events import EventSettings

    key, sign, value = text.partition("=")
    if not sign:
        console.fail(f"--set {text}: write it as KEY=VALUE")
    key, value = key.strip(), value.strip()
    try:
        found = tomllib.loads(f"value = {value}")["value"]
    except ValueError:  # no TOML, or a number of thousands of digits
        return key, value
    kinds = {each.name: each.type for each in msgspec.structs.fields(EventSettings)}
    if not isinstance(found, str):
        with suppress(msgspec.ValidationError):  # a text may look like a number, as a password does
            return key, msgspec.convert(value, kinds.get(key, int))
    return key, found


def _export(
    *,
    name: EventName,
    file: Annotated[Path, typer.Argument(help="The file to write; .gz compresses an archive.")],
    format: Annotated[  # noqa: A002  # the option's name
        Literal["archive", "trf", "trf16", "csv"],
        typer.Option(
            help="archive (one that is over, with all games), trf and trf16 (FIDE's report of 2026 "
            "and of 2016: the rounds that are over) or csv (all boards)."
        ),
    ] = "archive",
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write an event to a file; the server may run."""
    from mancala.server.contest.live.archives import (
        ExportError,
        ExportFormat,
        export_event,
        export_report,
    )
    from mancala.server.store import StoreError

    with console.failing_on(ExportError, StoreError, OSError):
        if format != "archive":
            text, rounds = export_report(config_of(config, store), name, ExportFormat(format))
            size = file.write_bytes(text.encode())
            facts = {"event": name, "file": str(file), "rounds": rounds, "bytes": size}
            said = f"{name}: {quantity(rounds, 'round')}, {quantity(size, 'byte')}"
            console.show(facts, said, json=json)
            return
        archive, size = export_event(config_of(config, store), name, file)
    facts = {"event": name, "file": str(file), "games": len(archive.records), "bytes": size}
    console.show(
        facts,
        f"{name}: {quantity(len(archive.records), 'game')}, {quantity(size, 'byte')}",
        json=json,
    )


def _say_events(result: Result) -> None:
    for event in result["events"]:
        console.say("\t".join(_head(event)))
    if not result["events"]:
        console.say("there are no events")


def _head(event: dict[str, Any]) -> tuple[str, ...]:
    count = len(event["entrants"])
    starts = f"starts {event['starts']}" if event["starts"] is not None else "starts when told to"
    when = f"round {event['round']}" if event["round"] else starts
    state = "round over" if event["state"] == "closed" else event["state"]  # as the page has it
    return event["name"], event["format"], state, when, quantity(count, "entrant")


def _say_event(event: Result) -> None:
    console.say("\t".join(_head(event)))
    out = {each["name"] for each in event["entrants"] if each["withdrawn"]}
    for each in () if event["standings"] else event["entrants"]:
        mark = "withdrawn" if each["name"] in out else ""
        console.say(f"  {each['name']}\t{mark}".rstrip())
    for row in event["standings"]:
        mark = "withdrawn" if row["name"] in out else ""
        score = f"{quantity(row['points'], 'point', form='g')}\t{quantity(row['games'], 'game')}"
        console.say(f"  {row['rank']}\t{row['name']}\t{score}\t{mark}".rstrip())
    if event["rounds"]:
        _say_round(event["rounds"][-1])
    if event["next_round_at"] is not None:
        console.say(f"next round at {event['next_round_at']}")


def _say_round(paired: dict[str, Any]) -> None:
    console.say(f"round {paired['number']}:")
    for encounter in paired["encounters"]:
        ends = ", ".join(_end(game) for game in encounter["games"]) or "to be played"
        console.say(f"  {encounter['first']} - {encounter['second']}\t{ends}")
    for name in paired["byes"]:
        console.say(f"  {name}\tbye")
    for name in paired["half_byes"]:
        console.say(f"  {name}\thalf-point bye")
    for name in paired["left_out"]:
        console.say(f"  {name}\tleft out, not connected")


def _end(game: dict[str, Any]) -> str:
    if game["winner"] is None and game["reason"] != "arbiter":
        return game["reason"] if game["reason"] in {"aborted", "absent"} else "drawn"
    won = "drawn" if game["winner"] is None else (game["first"], game["second"])[game["winner"]]
    return f"{won} ({': '.join(filter(None, (game['reason'], game['note'])))})"
