"""Every action of the operator, declared once: what it takes, what plans it, what takes it back.

The commands of ``mancala admin`` and ``mancala event``, the forms of the organiser's page and the
trail follow from these declarations. They name their plans, which the server loads, instead of
importing them: so ``--help`` imports nothing of the server.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct

from mancala.protocol.messages import Name


class Given(NamedTuple):
    """How an argument is given on a command line; an action with others has no such command.

    Attributes:
        is_word: whether it is a word although it may be left out; without a default it always is.
        reads: what its text is read as.
    """

    help: str
    option: str = ""
    is_word: bool = False
    reads: Literal["text", "duration", "path"] = "text"


class Arguments(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The arguments of an action, here none."""


class Action(NamedTuple):
    """An action.

    Attributes:
        plan: ``module:function`` of what plans it.
        back: the same of what takes it back.
        kept: why nothing takes it back, where ``back`` is empty.
        asks: whether it changes nothing.
        may_wait: whether it may be held back until it is confirmed.
        fails_unless: the fact without which the command ends with code 1.
        button: the word of its button on the organiser's page, if it has one.
        is_final: whether the button asks for a tick.
        role: the least role in an event that may order it over the API; empty for none.
        means: the argument that says what it would do now; a command without it asks first, so
            that one given beside it does no more.
    """

    name: str
    arguments: type[Arguments]
    help: str
    plan: str
    back: str = ""
    kept: str = "entrants act on it; 'mancala event' has the steps that lead on"
    asks: bool = False
    may_wait: bool = True
    fails_unless: str = ""
    button: str = ""
    is_final: bool = False
    role: str = ""
    means: str = ""

    @property
    def command(self) -> tuple[str, str]:
        group = "event" if self.name.startswith("event-") else "admin"
        return group, self.name.removeprefix("event-")


ROLES: Final = ("helper", "arbiter", "owner")
"""The roles in an event; each one may order what those before it may."""
ACTIONS: Final[dict[str, Action]] = {}
"""The actions by name, in the order of the help."""
A = TypeVar("A", bound=type[Arguments])


def action(name: str, plan: str, **details: Any) -> Callable[[A], A]:  # noqa: ANN401  # fields of Action
    """Declare an action by its arguments, whose docstring is its sentence."""

    def declare(arguments: A) -> A:
        ACTIONS[name] = Action(name, arguments, arguments.__doc__ or "", plan, **details)
        return arguments

    return declare


Until = Annotated[str | None, Given("When it ends, as 2026-01-31T18:00:00+01:00.")]
For = Annotated[
    float | None, Given("For how long, as 90s, 30m, 12h or 7d.", "--for", reads="duration")
]
ReadReason = Annotated[str, Given("One sentence, which it reads.")]
PublishedReason = Annotated[str, Given("One sentence, which is published.")]
KnownBot = Annotated[Name, Given("The bot's name.")]


# Who is there, and who may not be


@action("who", ".visitors:who", asks=True)
class Who(Arguments, frozen=True):
    """List who is connected, since when, from where, and what it costs the server."""

    name: Annotated[str | None, Given("A bot's name.", is_word=True)] = None


@action("notice", ".switches:notice", back=".switches:switch_back")
class GiveNotice(Arguments, frozen=True):
    """Publish a notice: on the page, over MQTT, and to every connected bot."""

    text: Annotated[str, Given("One or two sentences; none takes it back.", is_word=True)] = ""
    until: Until = None
    for_s: For = None


class BanKey(Arguments, frozen=True):
    """One to keep out: exactly one of the three."""

    name: Annotated[str | None, Given("A bot's name.", is_word=True)] = None
    token: Annotated[str | None, Given("The bearer of this token, whatever its name.")] = None
    address: Annotated[str | None, Given("An address, or a network as 192.0.2.0/24.")] = None


@action("ban", ".visitors:ban", back=".visitors:ban_back")
class MakeBan(BanKey, frozen=True):
    """Keep a name, a token's bearer or a network out; its session ends, its games are lost."""

    reason: ReadReason = ""
    until: Until = None
    for_s: For = None


@action("unban", ".visitors:unban", back=".visitors:ban_back")
class LiftBan(BanKey, frozen=True):
    """Lift a ban."""


@action("bans", ".visitors:bans", asks=True)
class ListBans(Arguments, frozen=True):
    """List the bans."""


@action("rename", ".names:rename", back=".names:rename_back")
class RenameBot(Arguments, frozen=True):
    """Rename a bot: games, ratings, token and bans follow; its session ends."""

    bot: KnownBot
    new: Annotated[Name, Given("Its new name, of which nothing is known.")]


@action("merge", ".names:merge", kept="the store no longer says which games were whose")
class MergeBots(Arguments, frozen=True):
    """Let the games of two names count as one bot's; none takes it back."""

    bot: KnownBot
    into: Annotated[Name, Given("The name that stays; both never met.")]


# Games


@action(
    "abort",
    ".games:abort",
    kept="its players have left the game; 'replay' has a ladder's match played again",
)
class AbortGame(Arguments, frozen=True):
    """End a game under way, and its match; the game does not count."""

    game: Annotated[str, Given("The game's id.")]
    reason: Annotated[str, Given("One sentence, which both players read.")] = ""


@action("annul", ".games:annul", back=".games:reinstate")
class AnnulGames(Arguments, frozen=True):
    """Annul finished games: tables, ratings and accuracies are what remains."""

    games: Annotated[list[str], Given("Ids of finished games.", is_word=True)] = []
    match: Annotated[str | None, Given("All games of this match.")] = None
    bot: Annotated[str | None, Given("Games of this bot.")] = None
    other: Annotated[str | None, Given("Those with this one, with --bot.")] = None
    ladder: Annotated[str | None, Given("Only games of this ladder.")] = None
    since: Annotated[str | None, Given("Only games that began then or later.")] = None
    until: Annotated[str | None, Given("Only games that began before.")] = None
    reason: PublishedReason = ""


@action("replay", ".replays:replay", back=".replays:replay_back")
class ReplayGame(Arguments, frozen=True):
    """Annul the match of a game, and let its bots play it again once both are free."""

    game: Annotated[str, Given("The id of a finished game of a ladder.")]
    reason: PublishedReason = ""


@action("undo", ".trail:undo", kept="order again what it took back")
class UndoLine(Arguments, frozen=True):
    """Take back what a line of the log did: annulled games count again, a ban is lifted."""

    number: Annotated[
        int, Meta(ge=1, le=2**63 - 1), Given("The line's number in 'mancala admin log'.")
    ]


# Ladders


class OneLadder(Arguments, frozen=True):
    """A ladder."""

    ladder: Annotated[str, Given("The ladder.")]


class OneEntrant(OneLadder, frozen=True):
    """A bot in a ladder."""

    bot: Annotated[str, Given("The bot, or one of its versions, bot@version.")]


@action("quarantine", ".quarantines:quarantine", back=".quarantines:quarantine_back")
class MakeQuarantine(OneEntrant, frozen=True):
    """Put a bot out of a ladder for a time; it may play elsewhere."""

    reason: ReadReason = ""
    until: Until = None
    for_s: For = None


@action("release", ".quarantines:release", back=".quarantines:quarantine_back")
class LiftQuarantine(OneEntrant, frozen=True):
    """Lift a quarantine."""


@action("check", ".recount:check", asks=True, fails_unless="equal")
class CheckTables(Arguments, frozen=True):
    """Compare all tables with a count of the games; code 1 where they differ."""


@action("pause", ".switches:switch_on", back=".switches:switch_back")
class PauseLadder(OneLadder, frozen=True):
    """Let a ladder begin no match; those under way are played to their end."""


@action("resume", ".switches:switch_off", back=".switches:switch_back")
class ResumeLadder(OneLadder, frozen=True):
    """Let a paused ladder begin matches again."""


@action("close", ".switches:switch_on", back=".switches:switch_back")
class CloseLadder(OneLadder, frozen=True):
    """Close a ladder for the season: its members leave, its table and games stay."""


@action("open", ".switches:switch_off", back=".switches:switch_back")
class OpenLadder(OneLadder, frozen=True):
    """Open a closed ladder again."""


# The server


@action("drain", ".switches:switch_on", back=".switches:switch_back")
class DrainServer(Arguments, frozen=True):
    """Let no new match begin and no new bot in, without stopping the server."""


@action("recompute", ".recount:recompute", kept="the tables are those of the games")
class RecomputeTables(Arguments, frozen=True):
    """Make all tables anew from the games; ratings are fitted again."""


@action("undrain", ".switches:switch_off", back=".switches:switch_back")
class UndrainServer(Arguments, frozen=True):
    """Let matches begin and bots in again."""


@action("season", ".seasons:season", back=".seasons:season_back")
class EndSeason(OneLadder, frozen=True):
    """End a ladder's season: its table and games stay under a name of their own, read-only."""

    name: Annotated[
        Name | None, Given("Its name from now on. [default: LADDER-1, -2, …]", "--as")
    ] = None
    from_ratings: Annotated[
        bool,
        Given(
            "Pair bots at the strength they have from the first match on.", "--from-ratings/--empty"
        ),
    ] = False


@action(
    "reload",
    ".reloading:reload",
    kept="change the settings' file, and reload again",
    may_wait=False,  # it acts on settings as they are then
)
class ReloadSettings(Arguments, frozen=True):
    """Take the settings up again; print what changes and what waits for a restart."""

    same_season: Annotated[bool, Given("Take up a ladder's new clock; ratings go on.")] = False


@action("held", ".holding:held", asks=True)
class ListHeld(Arguments, frozen=True):
    """List the orders that wait to be confirmed."""


class OneHeld(Arguments, frozen=True):
    """An order that is held back."""

    id: Annotated[str, Given("The order's id in 'mancala admin held'.")]


@action("confirm", ".holding:confirm", may_wait=False)
class ConfirmOrder(OneHeld, frozen=True):
    """Carry out an order that was given with --hold, as things stand now."""


@action("drop", ".holding:drop", back=".holding:hold_back", may_wait=False)
class DropOrder(OneHeld, frozen=True):
    """Drop an order that was given with --hold."""


@action("aside", ".trail:aside", asks=True)
class ListAside(Arguments, frozen=True):
    """List the results that the broker does not accept, the oldest first: why, and how often."""

    first: Annotated[int, Meta(ge=1, le=10_000), Given("How many results.")] = 50


@action("log", ".trail:log", asks=True)
class ShowTrail(Arguments, frozen=True):
    """List who did what and why, the latest first."""

    last: Annotated[int, Meta(ge=1, le=10_000), Given("How many lines.")] = 50


@action("hold", ".holding:hold", back=".holding:hold_back", may_wait=False)
class HoldOrder(Arguments, frozen=True):
    """Hold an order back until it is confirmed; each command does so with ``--hold``."""

    action: str
    arguments: dict[str, Any]


@action("backup", ".trail:backup", kept="it changed nothing here; delete the file")
class NoteBackup(Arguments, frozen=True):
    """Note a copy of the store, a file and its bytes; ``mancala backup`` makes it."""

    target: str
    size: int


# Events


class OneEvent(Arguments, frozen=True):
    """An event."""

    event: Annotated[str, Given("The event.")]


class OneEventBot(OneEvent, frozen=True):
    """An entrant of an event."""

    bot: Annotated[str, Given("The entrant.")]


@action("event-list", ".events:list_all", asks=True)
class ListEvents(Arguments, frozen=True):
    """List the events, and where they stand."""


@action("event-show", ".events:show", asks=True, role="helper")
class ShowEvent(OneEvent, frozen=True):
    """Print the table of an event, and its last round."""


@action("event-open", ".events:step", button="Open", role="arbiter")
class OpenEvent(OneEvent, frozen=True):
    """Let bots enter, without waiting for its time."""


@action("event-check-in", ".events:step", button="Begin the check-in", role="arbiter")
class CheckInEvent(OneEvent, frozen=True):
    """Begin the check-in: who is not connected until the start is left out."""


@action("event-start", ".events:step", button="Start", role="arbiter")
class StartEvent(OneEvent, frozen=True):
    """Pair the first round and play, or the next one while the event rests between two."""


@action("event-pause", ".events:step", button="Pause", role="arbiter")
class PauseEvent(OneEvent, frozen=True):
    """Begin no game until the event is resumed; those under way are played to their end."""


@action("event-resume", ".events:step", button="Resume", role="arbiter")
class ResumeEvent(OneEvent, frozen=True):
    """Go on with a paused event."""


@action("event-publish", ".events:step", button="Publish", role="owner")
class PublishEvent(OneEvent, frozen=True):
    """Declare the table of a finished event final."""


@action("event-reveal", ".events:reveal", button="Reveal a round", role="owner", means="round")
class RevealRound(OneEvent, frozen=True):
    """Show the next round that is frozen: the table takes it in, hidden results are published."""

    round: Annotated[
        int | None, Given("The round that is meant; refused unless it is the next to be shown.")
    ] = None


@action("event-cancel", ".events:step", button="Cancel the event", is_final=True, role="owner")
class CancelEvent(OneEvent, frozen=True):
    """End an event before its last round; its games stay."""


@action("event-withdraw", ".events:withdraw", button="Withdraw", role="helper")
class WithdrawEntrant(OneEventBot, frozen=True):
    """Withdraw an entrant: it is paired for no further round."""


@action("event-reinstate", ".events:reinstate", button="Reinstate", role="arbiter")
class ReinstateEntrant(OneEventBot, frozen=True):
    """Take an entrant back that had withdrawn; the rounds that it missed bring it no points."""


@action(
    "event-result",
    ".event_results:result",
    back=".event_results:result_back",
    button="Set the result",
    role="arbiter",
)
class SetResult(OneEventBot, frozen=True):
    """Set the result of an entrant's games of a round by hand; the reason, --why, is published."""

    result: Annotated[Literal["win", "draw", "loss"], Given("The entrant's result.")]
    round: Annotated[int | None, Given("The round. [default: the present one]")] = None
    game: Annotated[
        int | None, Given("The game of the encounter, from 1. [default: all of them]")
    ] = None


@action("event-pair", ".events:pair", button="Pair by hand", role="arbiter")
class PairByHand(OneEventBot, frozen=True):
    """Let an entrant of a Swiss event meet another one in a round that is not paired yet."""

    opponent: Annotated[str, Given("Whom it meets; the entrant moves first.")]
    round: Annotated[int, Given("A round to come.")]
    take_back: Annotated[bool, Given("Pair the two as all others after all.")] = False


@action("event-replay", ".event_results:replay", button="Replay", role="arbiter")
class ReplayEntrant(OneEventBot, frozen=True):
    """Let an entrant and its opponent play their games of the present round again."""


@action("event-forfeit", ".event_results:forfeit", button="Forfeit its round", role="helper")
class ForfeitEntrant(OneEventBot, frozen=True):
    """Let an entrant lose its games of the present round that are not under way."""


@action("event-bye", ".events:bye", button="Half-point bye", role="helper")
class OrderBye(OneEventBot, frozen=True):
    """Give an entrant of a Swiss event a half-point bye in a round that is not paired yet."""

    round: Annotated[int, Given("A round to come.")]
    take_back: Annotated[bool, Given("Let it play that round after all.")] = False


@action("event-annul", ".event_results:annul", button="Play again", role="arbiter")
class AnnulEventGame(OneEvent, frozen=True):
    """Let a game of the present round, also one under way, not count: it is played again."""

    game: Annotated[str, Given("The game's id.")]


@action("event-new", ".events:new", button="Make it")
class MakeEvent(Arguments, frozen=True):
    """Make an event; the server needs no restart, and its settings stay as they are."""

    settings: dict[str, Any]


@action("event-edit", ".events:edit", button="Edit", role="owner")
class EditEvent(OneEvent, frozen=True):
    """Change settings of an event that was made by an order and has not begun."""

    settings: dict[str, Any]


@action("event-delete", ".events:delete", button="Delete", is_final=True, role="owner")
class DeleteEvent(OneEvent, frozen=True):
    """Delete an event that was made by an order and has not begun; its name is free again."""


@action("event-import", ".events:bring_in")
class ImportEvent(Arguments, frozen=True):
    """Show an event that was held elsewhere: its table, rounds and games; none counts here."""

    file: Annotated[str, Given("An archive of another server, or a report (TRF).", reads="path")]
    name: Annotated[Name | None, Given("Its name here; default: as there.")] = None


@action("event-grant", ".roles:grant", back=".switches:switch_back", role="owner")
class GrantRole(OneEvent, frozen=True):
    """Let the bearer of a name's token give orders for an event over the API."""

    name: Annotated[Name, Given("The name, which has a token.")]
    role: Annotated[Literal["helper", "arbiter", "owner"], Given("Its role.")]


@action("event-revoke", ".roles:revoke", back=".switches:switch_back", role="owner")
class RevokeRole(OneEvent, frozen=True):
    """Take a name's role in an event back."""

    name: Annotated[Name, Given("The name.")]
