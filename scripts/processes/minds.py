"""From a player's text to a mind: a player of headless games, asked without a thread or a loop.

`bot.players.registry` makes the same players for a server, where a question may be
withdrawn and the event
loop must not wait. Here nothing else is going on in the process, so the engine and the classic
agents are simply called, and only programs need an event loop, one of their own.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
import shutil
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.client.bot import Game, Turn
from bot.players.external import ExternalError, ExternalPlayer, Failure
from bot.players.registry import engine_settings
from engine.classics import AGENTS, AgentSpecError, PlayerSpec, make
from engine.classics.spec import PROGRAM
from protocol.clock import ClockState, TimeControl
from protocol.messages import Info, Reason
from protocol.rules import Board
from server.headless.game import Answer, Mind, MindError

if TYPE_CHECKING:
    from engine.fixed_nodes import FixedNodeSearch
    from engine.reports import Report
    from engine.search import Engine, EngineOptions, Limit
    from engine.skill import SkillLevel, SkillPlayer
    from protocol.rules import Rules

LOST_BY: Final = {
    Failure.NOT_STARTED: Reason.DISCONNECTED,
    Failure.CRASHED: Reason.DISCONNECTED,
    Failure.HUNG: Reason.TIMEOUT,
    Failure.ILLEGAL: Reason.ILLEGAL,
}
PROGRAM_CLOCK: Final = TimeControl(move_ms=1000)
"""What a program's question carries; the limits it is told are its budget and its deadline."""


def check_spec(text: str) -> None:
    """See whether a text names a player that could be made.

    Raises:
        AgentSpecError: when it doesn't; it says what is known.
    """
    spec = PlayerSpec.parse(text)
    if spec.name == "engine":
        engine_settings(spec.options)
    elif spec.name == "cmd":
        program = shlex.split(spec.options[PROGRAM])[:1]
        if not program or shutil.which(program[0]) is None:
            raise AgentSpecError(f"no program {' '.join(program)!r} to be started")
    elif spec.name in AGENTS:
        make(spec.name, spec.options, seed=0)
    else:
        raise AgentSpecError(
            f"no player named {spec.name!r}; known: {', '.join(('engine', 'cmd', *AGENTS))}"
        )


def make_mind(text: str, rules: Rules) -> Mind:
    """Make the mind that a text names, ready to play by these rules.

    Raises:
        AgentSpecError: when the text names none.
    """
    check_spec(text)
    spec = PlayerSpec.parse(text)
    match spec.name:
        case "engine":
            return _engine(*engine_settings(spec.options), rules)
        case "cmd":
            return ProgramMind(spec.options[PROGRAM])
    return AgentMind(spec)


def _engine(limit: Limit, options: EngineOptions | SkillLevel, rules: Rules) -> Mind:
    from engine.fixed_nodes import MOST_NODES, FixedNodeSearch
    from engine.search import Engine
    from engine.skill import SkillLevel, SkillPlayer

    if isinstance(options, SkillLevel):
        amateur = SkillPlayer(options)
        amateur.warm_up(rules)
        return AmateurMind(amateur, limit)
    if limit.time_s is None and limit.nodes is not None and limit.nodes <= MOST_NODES:
        sprinter = FixedNodeSearch(rules, options, nodes=limit.nodes, depth=limit.depth)
        sprinter.choose(Board.start(rules))  # compiles what is not compiled, on nobody's clock
        sprinter.forget()
        return SprintMind(sprinter)
    engine = Engine(options=options)
    engine.warm_up(rules)
    return EngineMind(engine, limit)


class InProcessMind:
    """What the minds within this process share: no program to be overheard, ended or killed."""

    def overheard(self) -> list[str]:
        """Give nothing."""
        return []

    def close(self) -> None:
        """Hold nothing that goes on."""

    def kill(self) -> None:
        """Hold nothing that outlives the process."""


class AgentMind(InProcessMind):
    """A classic agent; it knows no clock."""

    def __init__(self, spec: PlayerSpec) -> None:
        self._spec = spec
        self._agent = make(spec.name, spec.options, seed=0)

    def new_game(self, seed: int) -> None:
        """Make it anew, with the game's chance."""
        self._agent = make(self._spec.name, self._spec.options, seed=seed)

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # it knows no clock
        """Ask the agent."""
        return Answer(*self._agent.choose(board))


class EngineMind(InProcessMind):
    """The engine; bounded by nodes or depth it knows no clock, and otherwise by its budget."""

    def __init__(self, engine: Engine, limit: Limit) -> None:
        self._engine = engine
        self._limit = limit
        self._is_timed = limit.depth is None and limit.nodes is None

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # there is no chance in it
        """Forget the last game, so that games do not depend on which were played before."""
        self._engine.forget()

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # the budget is less
        """Search."""
        limit = self._limit
        if self._is_timed and limit.time_s is None:
            limit = replace(limit, time_s=budget_s)
        *_, last = self._engine.think(board, limit.to_choose_on(board))
        return _answer(last)


class AmateurMind(InProcessMind):
    """The engine at a lower level; bounded by that, it knows no clock but its own limit of time."""

    def __init__(self, amateur: SkillPlayer, limit: Limit) -> None:
        self._amateur = amateur
        self._limit = limit
        self._game = 0

    def new_game(self, seed: int) -> None:
        """Take the game's chance; there is nothing to forget."""
        self._game = seed

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # bounded by its level
        """Look a little ahead."""
        return _answer(self._amateur.choose(board, self._limit, game=self._game))


class SprintMind(InProcessMind):
    """The engine with a handful of nodes a move."""

    def __init__(self, sprinter: FixedNodeSearch) -> None:
        self._sprinter = sprinter

    def new_game(self, seed: int) -> None:  # noqa: ARG002  # there is no chance in it
        """Forget the last game."""
        self._sprinter.forget()

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:  # noqa: ARG002  # bounded by nodes
        """Search."""
        chosen = self._sprinter.choose(board)
        return Answer(chosen.pit, Info(depth=chosen.depth, value=chosen.value, nodes=chosen.nodes))


class ProgramMind:
    """Any program, spoken to over its pipes; see `bot.players.external` for the lines."""

    def __init__(self, program: str) -> None:
        self._heard = _Heard()
        logger = logging.Logger("mancala.program", level=logging.INFO)  # noqa: LOG001  # a mind's own, not the process's
        logger.addHandler(self._heard)
        self._player = ExternalPlayer(program, logger=logger)
        self._loop = asyncio.new_event_loop()
        with suppress(ExternalError):  # the first question says why it can't be started
            self._loop.run_until_complete(self._player.warm_up())

    def new_game(self, seed: int) -> None:
        """Go on with the program as it is; each question tells it all."""

    def choose(self, board: Board, *, budget_s: float, deadline_s: float) -> Answer:
        """Ask the program.

        Raises:
            MindError: when it crashed, hung or answered with no legal pit.
        """
        turn = _turn(board, budget_s, deadline_s)
        try:
            return Answer(self._loop.run_until_complete(self._player.choose(turn)))
        except ExternalError as error:
            raise MindError(LOST_BY[error.failure], _detail(error), error.line or "") from None

    def overheard(self) -> list[str]:
        """Give what it wrote to stderr since the last time."""
        return self._heard.take()

    def close(self) -> None:
        """End the program."""
        self._loop.run_until_complete(self._player.close())
        self._loop.close()

    def kill(self) -> None:
        """Kill the program; in the middle of a question, too."""
        self._player.kill()


class _Heard(logging.Handler):
    """Keeps what a program wrote to stderr, logged by `bot.players.external`."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        if isinstance(record.args, tuple) and record.args:
            self._lines.append(str(record.args[-1]))

    def take(self) -> list[str]:
        """Hand over what was kept."""
        lines, self._lines = self._lines, []
        return lines


def _answer(report: Report) -> Answer:
    info = Info(
        depth=report.depth,
        value=report.value,
        exact=report.exact,
        nodes=report.nodes,
        seconds=round(report.seconds, 6),
    )
    return Answer(report.pit, info)


def _turn(board: Board, budget_s: float, deadline_s: float) -> Turn:
    game = Game("", "", board.player, board.rules, PROGRAM_CLOCK, "", rated=False)
    return Turn(
        board=board,
        legal=board.legal(),
        game=game,
        ply=0,
        clock=ClockState(None, (0, 0)),
        deadline_s=deadline_s,
        budget_s=budget_s,
    )


def _detail(error: ExternalError) -> str:
    facts = [f"the program {error.failure}"]
    facts += [f"exit code {error.exit_code}"] if error.exit_code is not None else []
    facts += [f"stderr: {' | '.join(error.stderr)}"] if error.stderr else []
    return "; ".join(facts)
