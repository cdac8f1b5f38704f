"""``mancala event``: the organiser's hand on the events of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from mancala.scripts.console import output as console
from mancala.scripts.console.options import JsonOption, spread_options
from mancala.scripts.console.ordering import ActOptions, Result, ServerOptions, carried_out

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
    commands["annul"] = _annul
    for name, command in commands.items():
        event.command(name)(spread_options(command))
    text = "Events on a server: list, show, start and stop them. Works beside it and without it."
    app.add_typer(event, name="event", help=text)


def _list(*, server: ServerOptions, json: JsonOption = False) -> None:
    """List the events, and where they stand."""
    carried_out("event-list", {}, server, say=_say_events, json=json)


def _show(*, name: EventName, server: ServerOptions, json: JsonOption = False) -> None:
    """Print the table of an event, and its last round."""
    carried_out("event-show", {"event": name}, server, say=_say_event, json=json)


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
        console.say("no events are configured")


def _head(event: dict[str, Any]) -> tuple[str, ...]:
    count = len(event["entrants"])
    starts = f"starts {event['starts']}" if event["starts"] is not None else "starts when told to"
    when = f"round {event['round']}" if event["round"] else starts
    return event["name"], event["format"], event["state"], when, f"{count} entrants"


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


def _end(game: dict[str, Any]) -> str:
    if game["winner"] is None:
        return game["reason"] if game["reason"] in {"aborted", "absent"} else "drawn"
    winner = game["first"] if game["winner"] == 0 else game["second"]
    return f"{winner} ({game['reason']})"
