"""``mancala bot``: connect one of the shipped players, or a program, to a match server."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mancala.protocol.clock import TimeControl
from mancala.protocol.messages import Agent, Challenge, Reason, Seek
from mancala.protocol.player import START_UP_S
from mancala.protocol.rules import Rules
from mancala.scripts.console import output as console
from mancala.scripts.console.compiling import compile_engine_for
from mancala.scripts.console.options import TablesOption
from mancala.scripts.console.seat import (
    AuthorityOption,
    NameOption,
    TokenOption,
    UrlArgument,
    check_server,
    name_or_new,
)
from mancala.scripts.processes.parent_death import end_with
from mancala.scripts.tournament.workers.contest import StartUpOption

if TYPE_CHECKING:
    from mancala.bot.client.bot import GameResult

SEEK_GAMES: Final = 2
ENGINE: Final = "engine"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bot")(_command)


def _command(
    url: UrlArgument,
    *,
    player: Annotated[
        str, typer.Option(help="The player, as a SPEC; 'mancala players' lists them.")
    ] = "engine",
    name: NameOption = None,
    token: TokenOption = None,
    _authority: AuthorityOption = None,
    games: Annotated[int | None, typer.Option(min=1, max=1000, help="Leave after N games.")] = None,
    ladder: Annotated[
        str | None, typer.Option(help="Join this ladder instead of asking for matches.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option(help="Enter this event; leave once it is over, or with --ladder stay there."),
    ] = None,
    opponent: Annotated[
        str | None, typer.Option(help="Play only with this bot, once it asks for a match.")
    ] = None,
    challenge: Annotated[
        str | None, typer.Option(help="Challenge this bot instead of asking for matches.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="Play only by these rules.")] = None,
    movetime: Annotated[
        float | None,
        typer.Option(min=0.001, max=86400, help="Ask for this time per move, in seconds."),
    ] = None,
    start_up: StartUpOption = START_UP_S,
    seed: Annotated[int | None, typer.Option(help="Seed of the player's random choices.")] = None,
    casual: Annotated[bool, typer.Option("--casual", help="Ask for unrated games.")] = False,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="NAME/VERSION",
            help="The program behind the name; each version has a rating of its own. Default: a"
            " hash of the program's files, or this package's version for its own players.",
        ),
    ] = None,
    challenges: Annotated[
        int | None, typer.Option(min=0, help="Accept challenges up to N matches at a time.")
    ] = None,
    parent: Annotated[
        int | None, typer.Option(hidden=True, help="Process id of the parent; end when it ends.")
    ] = None,
    tables: TablesOption = None,
    better: Annotated[
        bool,
        typer.Option(
            "--better-tables/--no-better-tables",
            envvar="MANCALA_BETTER_TABLES",
            help="Once the engine has played for a minute, build larger endgame tables for its next"
            " start, at the lowest priority: up to 24 seeds, 0.7 GB, where memory and disk allow.",
        ),
    ] = True,
    json: Annotated[
        bool, typer.Option("--json", help="Print the finished games as one JSON object.")
    ] = False,
) -> None:
    """Connect a player to a match server."""
    import asyncio

    from mancala.bot.client.errors import ClientError
    from mancala.bot.client.run import run
    from mancala.bot.players.registry import make_bot
    from mancala.scripts.views.announcer import Announcer

    if parent is not None:
        end_with(parent)
    check_server(url)
    is_engine = _kind(player) == ENGINE and "tables=" not in player
    if is_engine and tables is not None:
        player += f"{',' if ':' in player else ':'}tables={tables}"
    try:
        bot = make_bot(player, seed=seed, start_up_s=start_up)
        program = _agent(agent, player)
        seek = _seek(games, opponent, rules, movetime, rated=not casual, challenge=challenge)
    except ValueError as wrong:
        console.fail(wrong)
    name = name_or_new(name, _kind(player))
    console.log_warnings("bot")
    compile_engine_for(player)
    playing = run(
        url,
        bot if json else Announcer(bot),
        name=name,
        token=token,
        games=games,
        seek=seek,
        ladder=ladder,
        event=event,
        accept=challenges != 0,
        challenges=challenges,
        agent=program,
    )
    if is_engine and "level=" not in player and better and tables is None:
        playing = _with_better_tables(playing, Rules.parse(rules) if rules else Rules())
    try:
        results = asyncio.run(playing)
    except ClientError as error:
        console.fail(error, code=console.FAILED)
    if json:
        console.emit(_report(name, results))


def _agent(stated: str | None, player: str) -> Agent:
    """Return the program behind the name.

    Raises:
        ValueError: when it is not written NAME/VERSION.
    """
    from importlib.metadata import version

    from mancala.bot.players.agent import agent_of, parse_agent

    if stated is not None:
        return parse_agent(stated)
    return agent_of(player, arena=version("mancala-arena"))


async def _with_better_tables(
    playing: Coroutine[None, None, list[GameResult]], rules: Rules
) -> list[GameResult]:
    from mancala.scripts.processes.better_tables import better_tables

    async with better_tables(rules):
        return await playing


def _seek(
    games: int | None,
    opponent: str | None,
    rules: str | None,
    movetime: float | None,
    *,
    rated: bool,
    challenge: str | None = None,
) -> Seek | Challenge:
    """Return the request for matches that the options describe.

    Raises:
        InvalidPositionError: when the rules are unknown.
        ValueError: when two options name different opponents.
    """
    if opponent is not None and challenge is not None:
        raise ValueError("--opponent waits for a bot and --challenge asks it: name one of them")
    terms: dict[str, Any] = {
        "rules": Rules.parse(rules) if rules is not None else None,
        "clock": TimeControl(move_ms=round(movetime * 1000)) if movetime is not None else None,
        "rated": rated,
        "games": games or SEEK_GAMES,
    }
    if challenge is not None:
        return Challenge(opponent=challenge, **terms)
    return Seek(opponent=opponent, **terms)


def _kind(spec: str) -> str:
    return spec.partition(":")[0]


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
