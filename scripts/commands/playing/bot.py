"""``mancala bot``: connect one of the shipped players, or a program, to a match server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, Challenge, Reason, Seek
from mancala.protocol.player import START_UP_S
from mancala.protocol.rules import Rules

from ...console import output as console
from ...console.compiling import compile_engine_for
from ...console.options import JsonOption, TablesOption
from ...console.playing import StartUpOption
from ...console.seat import SeatOptions, UrlArgument, played

if TYPE_CHECKING:
    from mancala.bot.client.bot import GameResult

SEEK_GAMES: Final = 2
ENGINE: Final = "engine"


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """Options: who plays."""

    player: Annotated[
        str, typer.Option(help="The player, as a SPEC; 'mancala players' lists them.")
    ] = ENGINE
    start_up: StartUpOption = START_UP_S
    seed: Annotated[int | None, typer.Option(help="Seed of the player's random choices.")] = None
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="NAME/VERSION",
            help="The program behind the name; each version has a rating of its own. Default: a"
            " hash of the program's files, or this package's version for its own players.",
        ),
    ] = None
    tables: TablesOption = None
    better: Annotated[
        bool,
        typer.Option(
            "--better-tables/--no-better-tables",
            envvar="MANCALA_BETTER_TABLES",
            help="Once the engine has played for a minute, build larger endgame tables for its"
            " later games, at the lowest priority: up to 24 seeds, 0.7 GB, where memory and disk"
            " allow.",
        ),
    ] = True

    @property
    def kind(self) -> str:
        """The player's name in the registry."""
        return self.player.partition(":")[0]

    @property
    def chooses_tables(self) -> bool:
        """Whether the engine plays, with the tables that this command gives it."""
        return self.kind == ENGINE and "tables=" not in self.player

    @property
    def spec(self) -> str:
        """The player with its tables."""
        if self.tables is None or not self.chooses_tables:
            return self.player
        return f"{self.player}{',' if ':' in self.player else ':'}tables={self.tables}"

    @property
    def builds_tables(self) -> bool:
        """Whether larger tables would make it play better."""
        full = self.chooses_tables and "level=" not in self.player
        return full and self.better and self.tables is None


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Options: which games a bot asks for."""

    games: Annotated[int | None, typer.Option(min=1, max=1000, help="Leave after N games.")] = None
    ladder: Annotated[
        str | None, typer.Option(help="Join this ladder instead of asking for matches.")
    ] = None
    event: Annotated[
        str | None,
        typer.Option(help="Enter this event; leave once it is over, or with --ladder stay there."),
    ] = None
    event_password: Annotated[
        str,
        typer.Option(envvar="MANCALA_EVENT_PASSWORD", help="The event's password, if it has one."),
    ] = ""
    opponent: Annotated[
        str | None, typer.Option(help="Play only with this bot, once it asks for a match.")
    ] = None
    challenge: Annotated[
        str | None, typer.Option(help="Challenge this bot instead of asking for matches.")
    ] = None
    rules: Annotated[str | None, typer.Option(help="Play only by these rules.")] = None
    movetime: Annotated[
        float | None,
        typer.Option(min=0.001, max=86400, help="Ask for this time per move, in seconds."),
    ] = None
    casual: Annotated[bool, typer.Option("--casual", help="Ask for unrated games.")] = False

    def request(self) -> Seek | Challenge:
        """Return the request for matches that the options describe."""
        if self.ladder is not None or self.event is not None:
            self._check_for_ladder()
        if self.event_password and self.event is None:
            raise ValueError("--event-password is for --event: name it, or leave the password out")
        if self.opponent is not None and self.challenge is not None:
            raise ValueError("--opponent waits for a bot and --challenge asks it: name one of them")
        clock = None
        if self.movetime is not None:
            clock = TimeControl(move_ms=round(self.movetime * 1000))
        terms: dict[str, Any] = {
            "rules": Rules.parse(self.rules) if self.rules is not None else None,
            "clock": clock,
            "rated": not self.casual,
            "games": self.games or SEEK_GAMES,
        }
        if self.challenge is not None:
            return Challenge(opponent=self.challenge, **terms)
        return Seek(opponent=self.opponent, **terms)

    def _check_for_ladder(self) -> None:
        """Refuse options that a bot in a ladder or an event has no use for."""
        given = {
            "--opponent": self.opponent,
            "--challenge": self.challenge,
            "--movetime": self.movetime,
            "--casual": self.casual or None,
        }
        if unused := [option for option, value in given.items() if value is not None]:
            where = "a ladder" if self.ladder is not None else "an event"
            raise ValueError(f"{where} sets opponents and terms: leave out {', '.join(unused)}")


def command(
    url: UrlArgument,
    *,
    playing: PlayerOptions,
    seat: SeatOptions,
    wanted: RequestOptions,
    challenges: Annotated[
        int | None, typer.Option(min=0, help="Accept challenges up to N matches at a time.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Connect a player to a match server."""
    from mancala.bot.client.run import run
    from mancala.bot.players.registry import make_bot

    from ...console.views.announcer import Announcer

    name = seat.name_at(url, playing.kind)
    with console.bad_input():
        bot = make_bot(playing.spec, seed=playing.seed, start_up_s=playing.start_up)
        program = _agent(playing.agent, playing.spec)
        seek = wanted.request()
    console.log_warnings("bot")
    compile_engine_for(playing.spec)
    games = run(
        url,
        bot if json else Announcer(bot),
        name=name,
        token=seat.token,
        games=wanted.games,
        seek=seek,
        ladder=wanted.ladder,
        event=wanted.event,
        event_password=wanted.event_password,
        accept=challenges != 0,
        challenges=challenges,
        agent=program,
    )
    if playing.builds_tables:
        from ...console.processes.better_tables import with_better_tables

        played_by = Rules.parse(wanted.rules) if wanted.rules else Rules()
        games = with_better_tables(games, played_by)
    results = played(games)
    if json:
        console.emit(_report(name, results))


def _agent(stated: str | None, player: str) -> Agent:
    from importlib.metadata import version

    from mancala.bot.players.spec import agent_of, parse_agent

    if stated is not None:
        return parse_agent(stated)
    return agent_of(player, arena=version("mancala-arena"))


def _report(name: str, results: Sequence[GameResult]) -> dict[str, object]:
    counted = [result for result in results if result.reason is not Reason.ABORTED]
    return {
        "name": name,
        "games": len(results),
        "wins": sum(result.won for result in counted),
        "draws": sum(result.winner is None for result in counted),
        "losses": sum(result.winner == 1 - result.seat for result in counted),
        "results": [asdict(result) for result in results],
    }
