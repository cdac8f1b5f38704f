"""``mancala event``: the organiser's hand on the events of a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mancala.protocol.text import quantity

from ...console import output as console
from ...console.options import JsonOption, spread_options
from ...console.ordering import ActOptions, Result, ServerOptions, carried_out
from ...console.store import config_of

EventName = Annotated[str, typer.Argument(help="The event.")]
EntrantName = Annotated[str, typer.Argument(help="The entrant.")]
STEPS = {
    "open": "Let bots enter, without waiting for its time.",
    "check-in": "Begin the check-in: who is not connected until the start is left out.",
    "start": "Pair the first round and play, without waiting for its time.",
    "pause": "Begin no game until the event is resumed; those under way are played to their end.",
    "resume": "Go on with a paused event.",
    "publish": "Declare the table of a finished event final.",
    "cancel": "End an event before its last round; its games stay.",
}
OF_ENTRANTS = {
    "withdraw": "Withdraw an entrant: it is paired for no further round.",
    "replay": "Let an entrant and its opponent play their games of the present round again.",
    "forfeit": "Let an entrant lose its games of the present round that are not under way.",
}


def register(app: typer.Typer) -> None:
    """Add the commands."""
    event = typer.Typer(no_args_is_help=True)
    commands: dict[str, Callable[..., None]] = {"list": _list, "show": _show}
    commands |= {name: _step(name, text) for name, text in STEPS.items()}
    commands |= {name: _about_entrant(name, text) for name, text in OF_ENTRANTS.items()}
    commands |= {"bye": _bye, "annul": _annul, "new": _new, "export": _export, "import": _import}
    for name, command in commands.items():
        event.command(name)(spread_options(command))
    text = "Events on a server: make, show, start and stop them. Works beside it and without it."
    app.add_typer(event, name="event", help=text)


def _list(*, server: ServerOptions, json: JsonOption = False) -> None:
    """List the events, and where they stand."""
    carried_out("event-list", {}, server, say=_say_events, json=json)


def _show(*, name: EventName, server: ServerOptions, json: JsonOption = False) -> None:
    """Print the table of an event, and its last round."""
    carried_out("event-show", {"event": name}, server, say=_say_event, json=json)


@dataclass(frozen=True, kw_only=True)
class NewOptions:
    """The settings of a new event; those of a file hold where an option is left out."""

    file: Annotated[
        Path | None,
        typer.Option("--file", help="TOML file with its settings, as [[event]] has them."),
    ] = None
    format: Annotated[
        str | None, typer.Option("--format", help="Its format, such as swiss or rr.")
    ] = None
    entrants: Annotated[
        str | None, typer.Option("--entrants", help="The bots that play, by seeding: ann,bob,cid.")
    ] = None
    enter: Annotated[
        str | None, typer.Option("--enter", help="Who else may enter: list, tokens or open.")
    ] = None
    rounds: Annotated[int | None, typer.Option("--rounds", help="Rounds of a Swiss event.")] = None
    duration_s: Annotated[
        float | None, typer.Option("--duration", help="How long an arena lasts, in seconds.")
    ] = None
    games: Annotated[int | None, typer.Option("--games", help="Games of an encounter.")] = None
    rules: Annotated[str | None, typer.Option("--rules", help="The rules of its games.")] = None
    move_ms: Annotated[
        int | None, typer.Option("--move-ms", help="Time limit per move, in milliseconds.")
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Decides lots.")] = None
    starts: Annotated[
        str | None, typer.Option("--starts", help="When it begins: 2026-12-01T19:00:00+01:00.")
    ] = None
    rated: Annotated[
        str | None, typer.Option("--rated", help="The ladder that counts its games too.")
    ] = None


def _new(
    *,
    name: EventName,
    new: NewOptions,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Make an event; the server needs no restart, and its settings stay as they are."""
    carried_out("event-new", {"settings": _settings(name, new)}, server, act, json=json)


def _settings(name: str, new: NewOptions) -> dict[str, Any]:
    """Return the settings of a new event, as its file and the options have them."""
    from mancala.server.config.loading import event_table
    from mancala.server.config.settings import ConfigError

    try:
        table = {} if new.file is None else event_table(new.file)
    except ConfigError as error:
        console.fail(error)
    given = {key: value for key, value in vars(new).items() if value is not None and key != "file"}
    if new.entrants is not None:
        given["entrants"] = [each.strip() for each in new.entrants.split(",")]
    if (move_ms := given.pop("move_ms", None)) is not None:
        given["clock"] = {"move_ms": move_ms}
    return {**table, "name": name, **given}


def _export(
    *,
    name: EventName,
    file: Annotated[Path, typer.Argument(help="The file to write; .gz compresses it.")],
    server: ServerOptions,
    json: JsonOption = False,
) -> None:
    """Write an event that is over to a file, with all its games; the server may run."""
    from mancala.server.contest.live.exporting import ExportError, export_event
    from mancala.server.store import StoreError

    try:
        archive, size = export_event(config_of(server.config, server.store), name, file)
    except (ExportError, StoreError, OSError) as error:
        console.fail(error, code=console.FAILED)
    facts = {"event": name, "file": str(file), "games": len(archive.records), "bytes": size}
    console.show(
        facts,
        f"{name}: {quantity(len(archive.records), 'game')}, {quantity(size, 'byte')}",
        json=json,
    )


def _import(
    *,
    file: Annotated[Path, typer.Argument(help="The file of an event of another server.")],
    name: Annotated[
        str | None, typer.Option("--name", help="Its name here; default: as there.")
    ] = None,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Show an event that another server held: its table, rounds and games; none counts here."""
    arguments = {"file": str(file.absolute()), "name": name}
    carried_out("event-import", arguments, server, act, json=json)


def _step(step: str, text: str) -> Callable[..., None]:
    """Return a command that takes a step of an event."""

    def command(
        *, name: EventName, server: ServerOptions, act: ActOptions, json: JsonOption = False
    ) -> None:
        carried_out(f"event-{step}", {"event": name}, server, act, json=json)

    command.__doc__ = text
    return command


def _about_entrant(action: str, text: str) -> Callable[..., None]:
    """Return a command that does something to an entrant of an event."""

    def command(
        *,
        name: EventName,
        bot: EntrantName,
        server: ServerOptions,
        act: ActOptions,
        json: JsonOption = False,
    ) -> None:
        carried_out(f"event-{action}", {"event": name, "bot": bot}, server, act, json=json)

    command.__doc__ = text
    return command


def _bye(
    *,
    name: EventName,
    bot: EntrantName,
    number: Annotated[int, typer.Argument(metavar="ROUND", help="A round to come.")],
    take_back: Annotated[
        bool, typer.Option("--take-back", help="Let it play that round after all.")
    ] = False,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Give an entrant of a Swiss event a half-point bye in a round that is not paired yet."""
    wanted = {"event": name, "bot": bot, "round": number, "take_back": take_back}
    carried_out("event-bye", wanted, server, act, json=json)


def _annul(
    *,
    name: EventName,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Let a game of the present round not count for the event: it is played again."""
    carried_out("event-annul", {"event": name, "game": game}, server, act, json=json)


def _say_events(result: Result) -> None:
    for event in result["events"]:
        console.say("\t".join(_head(event)))
    if not result["events"]:
        console.say("there are no events")


def _head(event: dict[str, Any]) -> tuple[str, ...]:
    count = len(event["entrants"])
    starts = f"starts {event['starts']}" if event["starts"] is not None else "starts when told to"
    when = f"round {event['round']}" if event["round"] else starts
    return event["name"], event["format"], event["state"], when, quantity(count, "entrant")


def _say_event(event: Result) -> None:
    console.say("\t".join(_head(event)))
    out = {each["name"] for each in event["entrants"] if each["withdrawn"]}
    for row in event["standings"]:
        mark = "withdrawn" if row["name"] in out else ""
        score = f"{row['points']:g} of {row['games']}"
        console.say(f"  {row['rank']}\t{row['name']}\t{score}\t{mark}".rstrip())
    if event["rounds"]:
        _say_round(event["rounds"][-1])


def _say_round(paired: dict[str, Any]) -> None:
    console.say(f"round {paired['number']}:")
    for encounter in paired["encounters"]:
        ends = ", ".join(_end(game) for game in encounter["games"]) or "to be played"
        console.say(f"  {encounter['first']} - {encounter['second']}\t{ends}")
    for name in paired["byes"]:
        console.say(f"  {name}\tbye")
    for name in paired["half_byes"]:
        console.say(f"  {name}\thalf-point bye")


def _end(game: dict[str, Any]) -> str:
    if game["winner"] is None:
        return game["reason"] if game["reason"] in {"aborted", "absent"} else "drawn"
    winner = game["first"] if game["winner"] == 0 else game["second"]
    return f"{winner} ({game['reason']})"
