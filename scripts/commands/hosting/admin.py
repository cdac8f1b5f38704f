"""``mancala admin``: the operator's hand on a server, whether or not it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from mancala.protocol.text import decimal_number

from ...console import output as console
from ...console.operator import (
    say_bans,
    say_bots,
    say_check,
    say_held,
    say_log,
    say_reload,
    say_tables,
)
from ...console.options import JsonOption, spread_options
from ...console.ordering import ActOptions, HowOptions, ServerOptions, TrialOptions
from ...console.ordering import carried_out as _act

Until = Annotated[
    str | None, typer.Option("--until", help="When it ends, as 2026-01-31T18:00:00+01:00.")
]
For = Annotated[str | None, typer.Option("--for", help="For how long, as 90s, 30m, 12h or 7d.")]
LadderName = Annotated[str, typer.Argument(help="The ladder.")]
EntrantName = Annotated[str, typer.Argument(help="The bot, or one of its versions, bot@version.")]
KnownBot = Annotated[str, typer.Argument(help="The bot's name.")]
HeldId = Annotated[str, typer.Argument(help="The order's id in 'mancala admin held'.")]
BotName = Annotated[str | None, typer.Argument(help="A bot's name.")]
TokenOption = Annotated[
    str | None, typer.Option("--token", help="The bearer of this token, whatever its name.")
]
AddressOption = Annotated[
    str | None, typer.Option("--address", help="An address, or a network as 192.0.2.0/24.")
]
OF_A_LADDER = {
    "pause": "Let a ladder begin no match; those under way are played to their end.",
    "resume": "Let a paused ladder begin matches again.",
    "close": "Close a ladder for the season: its members leave, its table and games stay.",
    "open": "Open a closed ladder again.",
}
OF_THE_SERVER = {
    "drain": "Let no new match begin and no new bot in, without stopping the server.",
    "recompute": "Make all tables anew from the games; ratings are fitted again.",
    "undrain": "Let matches begin and bots in again.",
}
UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


@dataclass(frozen=True, kw_only=True)
class TermOptions:
    """When something ends."""

    until: Until = None
    for_: For = None

    @property
    def given(self) -> dict[str, object]:
        """The arguments of an action."""
        return {"until": self.until, "for_s": _seconds(self.for_)}


@dataclass(frozen=True, kw_only=True)
class BarredOptions:
    """One to keep out."""

    name: BotName = None
    token: TokenOption = None
    address: AddressOption = None


def register(app: typer.Typer) -> None:
    """Add the commands."""
    admin = typer.Typer(no_args_is_help=True)
    commands: dict[str, Callable[..., None]] = {
        "who": _who,
        "notice": _notice,
        "ban": _ban,
        "unban": _unban,
        "bans": _bans,
    }
    commands["rename"] = _rename
    commands["merge"] = _merge
    commands |= {"abort": _abort, "annul": _annul, "replay": _replay, "undo": _undo}
    commands |= {"quarantine": _quarantine, "release": _release, "check": _check}
    commands |= {name: _about_ladder(name, text) for name, text in OF_A_LADDER.items()}
    commands |= {name: _about_server(name, text) for name, text in OF_THE_SERVER.items()}
    commands |= {"season": _season, "reload": _reload}
    commands |= {"held": _held, "confirm": _confirm, "drop": _drop}
    for name, command in {**commands, "log": _log}.items():
        admin.command(name)(spread_options(command))
    text = "Act on a server: bans, notices, quarantines, games. Works beside it and without it."
    app.add_typer(admin, name="admin", help=text)


def _how(reason: str, how: HowOptions) -> ActOptions:
    return ActOptions(why=reason, dry_run=how.dry_run, hold=how.hold)


def _who(*, name: BotName = None, server: ServerOptions, json: JsonOption = False) -> None:
    """List who is connected, since when, from where, and what it costs the server."""
    _act("who", {"name": name}, server, say=say_bots, json=json)


def _notice(
    *,
    text: Annotated[str, typer.Argument(help="One or two sentences; none takes it back.")] = "",
    term: TermOptions,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Publish a notice: on the page, over MQTT, and to every connected bot."""
    _act("notice", {"text": text, **term.given}, server, act, json=json)


def _ban(
    *,
    barred: BarredOptions,
    reason: Annotated[str, typer.Option(help="One sentence, which it reads.")] = "",
    term: TermOptions,
    server: ServerOptions,
    how: HowOptions,
    json: JsonOption = False,
) -> None:
    """Keep a name, a token's bearer or a network out; its session ends, its games are lost."""
    given = {**asdict(barred), "reason": reason, **term.given}
    _act("ban", given, server, _how(reason, how), json=json)


def _unban(
    *, barred: BarredOptions, server: ServerOptions, act: ActOptions, json: JsonOption = False
) -> None:
    """Lift a ban."""
    _act("unban", asdict(barred), server, act, json=json)


def _bans(*, server: ServerOptions, json: JsonOption = False) -> None:
    """List the bans."""
    _act("bans", {}, server, say=say_bans, json=json)


def _abort(
    *,
    game: Annotated[str, typer.Argument(help="The game's id.")],
    reason: Annotated[str, typer.Option(help="One sentence, which both players read.")] = "",
    server: ServerOptions,
    how: HowOptions,
    json: JsonOption = False,
) -> None:
    """End a game under way, and its match; the game does not count."""
    act = _how(reason, how)
    _act("abort", {"game": game, "reason": reason}, server, act, json=json)


def _annul(
    *,
    games: Annotated[list[str] | None, typer.Argument(help="Ids of finished games.")] = None,
    match: Annotated[str | None, typer.Option(help="All games of this match.")] = None,
    bot: Annotated[str | None, typer.Option(help="Games of this bot.")] = None,
    other: Annotated[str | None, typer.Option(help="Those with this one, with --bot.")] = None,
    ladder: Annotated[str | None, typer.Option(help="Only games of this ladder.")] = None,
    since: Annotated[str | None, typer.Option(help="Only games that began then or later.")] = None,
    until: Annotated[str | None, typer.Option(help="Only games that began before.")] = None,
    reason: Annotated[str, typer.Option(help="One sentence, which is published.")] = "",
    server: ServerOptions,
    how: HowOptions,
    json: JsonOption = False,
) -> None:
    """Annul finished games: tables, ratings and accuracies are what remains."""
    given: dict[str, object] = {"games": tuple(games or ()), "match": match, "bot": bot}
    given |= {"other": other, "ladder": ladder, "since": since, "until": until, "reason": reason}
    act = _how(reason, how)
    _act("annul", given, server, act, say=say_tables, json=json)


def _replay(
    *,
    game: Annotated[str, typer.Argument(help="The id of a finished game of a ladder.")],
    reason: Annotated[str, typer.Option(help="One sentence, which is published.")] = "",
    server: ServerOptions,
    how: HowOptions,
    json: JsonOption = False,
) -> None:
    """Annul the match of a game, and let its bots play it again once both are free."""
    act = _how(reason, how)
    _act("replay", {"game": game, "reason": reason}, server, act, say=say_tables, json=json)


def _undo(
    *,
    number: Annotated[int, typer.Argument(help="The line's number in 'mancala admin log'.")],
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Take back what a line of the log did: annulled games count again, a ban is lifted."""
    _act("undo", {"number": number}, server, act, say=say_tables, json=json)


def _quarantine(
    *,
    ladder: LadderName,
    bot: EntrantName,
    reason: Annotated[str, typer.Option(help="One sentence, which it reads.")] = "",
    term: TermOptions,
    server: ServerOptions,
    how: HowOptions,
    json: JsonOption = False,
) -> None:
    """Put a bot out of a ladder for a time; it may play elsewhere."""
    given = {"ladder": ladder, "bot": bot, "reason": reason, **term.given}
    _act("quarantine", given, server, _how(reason, how), json=json)


def _release(
    *,
    ladder: LadderName,
    bot: EntrantName,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Lift a quarantine."""
    _act("release", {"ladder": ladder, "bot": bot}, server, act, json=json)


def _rename(
    *,
    bot: KnownBot,
    new: Annotated[str, typer.Argument(help="Its new name, of which nothing is known.")],
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Rename a bot: games, ratings, token and bans follow; its session ends."""
    _act("rename", {"bot": bot, "new": new}, server, act, json=json)


def _merge(
    *,
    bot: KnownBot,
    into: Annotated[str, typer.Argument(help="The name that stays; both never met.")],
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """Let the games of two names count as one bot's; none takes it back."""
    _act("merge", {"bot": bot, "into": into}, server, act, json=json)


def _check(*, server: ServerOptions, json: JsonOption = False) -> None:
    """Compare all tables with a count of the games; code 1 where they differ."""
    result = _act("check", {}, server, say=say_check, json=json)
    if not result["equal"]:
        raise typer.Exit(console.FAILED)


def _reload(
    *,
    same_season: Annotated[
        bool,
        typer.Option("--same-season", help="Take up a ladder's new clock; ratings go on."),
    ] = False,
    server: ServerOptions,
    act: TrialOptions,
    json: JsonOption = False,
) -> None:
    """Take the settings up again; print what changes and what waits for a restart."""
    _act("reload", {"same_season": same_season}, server, act, say=say_reload, json=json)


def _season(
    *,
    ladder: LadderName,
    name: Annotated[
        str | None, typer.Option("--as", help="Its name from now on. [default: LADDER-1, -2, …]")
    ] = None,
    from_ratings: Annotated[
        bool,
        typer.Option(
            "--from-ratings/--empty",
            help="Pair bots at the strength they have from the first match on.",
        ),
    ] = False,
    server: ServerOptions,
    act: ActOptions,
    json: JsonOption = False,
) -> None:
    """End a ladder's season: its table and games stay under a name of their own, read-only."""
    given = {"ladder": ladder, "name": name, "from_ratings": from_ratings}
    _act("season", given, server, act, json=json)


def _about_ladder(action: str, text: str) -> Callable[..., None]:
    """Return a command that does something to a ladder."""

    def command(
        *, ladder: LadderName, server: ServerOptions, act: ActOptions, json: JsonOption = False
    ) -> None:
        _act(action, {"ladder": ladder}, server, act, json=json)

    command.__doc__ = text
    return command


def _about_server(action: str, text: str) -> Callable[..., None]:
    """Return a command that does something to the whole server."""

    def command(*, server: ServerOptions, act: ActOptions, json: JsonOption = False) -> None:
        _act(action, {}, server, act, json=json)

    command.__doc__ = text
    return command


def _held(*, server: ServerOptions, json: JsonOption = False) -> None:
    """List the orders that wait to be confirmed."""
    _act("held", {}, server, say=say_held, json=json)


def _confirm(
    *,
    order: HeldId,
    server: ServerOptions,
    trial: TrialOptions,
    json: JsonOption = False,
) -> None:
    """Carry out an order that was given with --hold, as things stand now."""
    _act("confirm", {"id": order}, server, trial, say=say_tables, json=json)


def _drop(
    *,
    order: HeldId,
    server: ServerOptions,
    trial: TrialOptions,
    json: JsonOption = False,
) -> None:
    """Drop an order that was given with --hold."""
    _act("drop", {"id": order}, server, trial, json=json)


def _log(
    *,
    last: Annotated[int, typer.Option(min=1, max=10_000, help="How many lines.")] = 50,
    server: ServerOptions,
    json: JsonOption = False,
) -> None:
    """List who did what and why, the latest first."""
    _act("log", {"last": last}, server, say=say_log, json=json)


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    number, unit = text[:-1], text[-1:]
    try:
        seconds = decimal_number(number) * UNITS[unit]
    except (KeyError, ValueError):
        console.fail(f"--for {text!r} is no duration: write 90s, 30m, 12h or 7d")
    if not 0 < seconds <= 36500 * UNITS["d"]:
        console.fail(f"--for {text!r} must be more than nothing and at most 36500d")
    return seconds
