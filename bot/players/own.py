"""A player of one's own in Python, ``python:FILE.py:NAME``: a function, a class or an object.

What was written for another platform is named by its contract instead: ``kaggle:FILE.py:NAME``,
``openspiel:`` and ``policy:``. An adapter (`ADAPTERS`) turns it into a bot.

What a bot author hands to `mancala.run` plays without a server as well: a function from a `Turn`
to a pit, plain or async, or a class of such a `choose`, such as a `Bot`. A subclass of `Player` is
taken as it is. The file is executed as a module of its own; what stands beside it can be imported.
"""

from __future__ import annotations

import asyncio
import importlib.util
import inspect
import random
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from mancala.protocol.clock import Clock, TimeControl
from mancala.protocol.messages import Info, Reason
from mancala.protocol.player import UNLIMITED, Budget, Choice, Player, PlayerError
from mancala.protocol.rules import KALAH, Board, Rules

from ..client.bot import Bot, Choose, FunctionBot, Game, Turn, as_choice
from ..client.errors import raised
from .history import History
from .platforms import kaggle_bot, openspiel_bot, policy_bot
from .spec import SpecError

PYTHON: Final = "python"
USUAL_NAMES: Final = {PYTHON: "choose", "kaggle": "", "openspiel": "bot", "policy": "policy"}
"""What a player is called in its file where its spec does not say, by the kind of player.

Kaggle plays the last callable of a file, whatever it is called."""
UNTIMED_S: Final = 1.0
"""Seconds a move where no time is given, so that a search that uses its budget ends."""
MODULE: Final = "mancala_player_"


class Place(NamedTuple):
    """Where a player is written: a file, the name in it, and the kind of player."""

    path: Path
    name: str
    kind: str = PYTHON

    @classmethod
    def parse(cls, text: str, kind: str = PYTHON) -> Place:
        """Read ``FILE.py:NAME``; without a name it is the usual one of its kind."""
        path, colon, name = text.rpartition(":")
        return cls(Path(path), name, kind) if colon else cls(Path(text), USUAL_NAMES[kind], kind)

    def check(self) -> None:
        """Check that the file can be read as Python, without running it."""
        try:
            compile(self.path.read_bytes(), str(self.path), "exec", dont_inherit=True)
        except OSError as error:
            raise SpecError(
                f"{self.kind}: {self.path}: {(error.strerror or str(error)).lower()}"
            ) from None
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = f", line {line}" if line else ""
            raise SpecError(f"{self.kind}: {self.path}{where}: {error.args[0]}") from None

    def load(self) -> object:
        """Run the file and return what has the name; raise SpecError when that fails."""
        self.check()
        module = MODULE + self.path.stem
        spec = importlib.util.spec_from_file_location(module, self.path)
        if spec is None or spec.loader is None:
            raise SpecError(f"{self.kind}: {self.path} is not the name of a file in Python (.py)")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[module] = loaded  # as dataclasses want it
        folder = str(self.path.resolve().parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        try:
            spec.loader.exec_module(loaded)
        except (Exception, SystemExit) as error:
            raise SpecError(f"{self.kind}: {self.path} raises {raised(error)}") from error
        if not self.name:
            found = [it for it in vars(loaded).values() if callable(it)]
            if not found:
                raise SpecError(f"{self.kind}: {self.path} has no function")
            return found[-1]
        if not hasattr(loaded, self.name):
            names = [name for name, it in vars(loaded).items() if _is_own(it, module)]
            how = f": write {self.kind}:{self.path}:{names[0]}" if names else ""
            known = ", ".join(names) or "no function or class"
            raise SpecError(f"{self.kind}: {self.path} has no {self.name!r}; it has {known}{how}")
        return getattr(loaded, self.name)


def made_of(place: Place) -> Bot | Player:
    """Return the player at a place: a class is made into an object, a function into a bot."""
    found: Any = place.load()
    if inspect.isclass(found):
        try:
            found = found()
        except Exception as error:
            raise SpecError(f"{place.kind}: {place.name}() raises {raised(error)}") from error
    if isinstance(found, Bot | Player):
        return found
    try:
        return ADAPTERS[place.kind](found)
    except TypeError as error:
        raise SpecError(f"{place.kind}: {place.name} in {place.path} is {error}") from None


def _function_bot(found: Any) -> Bot:  # noqa: ANN401  # the author's
    choose = getattr(found, "choose", found)
    if not callable(choose):
        raise TypeError("neither a function nor a class with choose()")
    return FunctionBot(choose)


ADAPTERS: Final = {
    PYTHON: _function_bot,
    "kaggle": kaggle_bot,
    "openspiel": openspiel_bot,
    "policy": policy_bot,
}
"""What makes an author's object a bot, by the kind of player; a TypeError says why it is none."""


def make_own(text: str, kind: str = PYTHON) -> Player:
    """Make the player that ``FILE.py:NAME`` names, for games without a server."""
    made = made_of(Place.parse(text, kind))
    return made if isinstance(made, Player) else OwnPlayer(made)


class OwnPlayer(Player):
    """A bot as a blocking player, for headless games.

    Its game has an id, but no opponent's name; its `game_over` is not called, since a player is
    not told how its games end. Before each game Python's `random` is seeded, so that a bot that
    uses it repeats its games.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.swaps = bot.swaps
        self._runner = asyncio.Runner()  # whose loop begins with the first async call
        self._games = 0
        self._history: History | None = None

    def warm_up(self, rules: Rules = KALAH) -> None:  # noqa: ARG002  # bots have one warm-up
        self._called(self._bot.warm_up)

    def new_game(self, seed: int) -> None:
        """Forget the last game."""
        random.seed(seed)
        self._games += 1
        self._history = None

    def choose(self, board: Board, budget: Budget = UNLIMITED) -> Choice:
        """Ask the bot; raise PlayerError when it raises, or answers with no pit."""
        is_first = self._history is None
        history = self._history = self._history or History()
        history.see(board)
        turn = self._turn(board, budget, history.moves)
        if is_first:
            self._called(lambda: self._bot.game_started(turn.game))
        bot = self._bot
        ask: Choose = bot.function if isinstance(bot, FunctionBot) else bot.choose
        answer = self._called(lambda: ask(turn))
        try:
            choice = as_choice(answer)
        except TypeError as error:
            raise PlayerError(str(error), reason=Reason.ILLEGAL, received=repr(answer)) from None
        if board.may_sow(choice.pit):
            history.play(board, choice.pit)
        return choice

    def close(self) -> None:
        with self._runner as runner:
            runner.run(self._bot.close())

    def _called(self, call: Callable[[], Any]) -> Any:  # noqa: ANN401  # the author's
        try:
            result = call()
            if inspect.isawaitable(result):
                return self._runner.run(_awaited(result))
        except PlayerError:
            raise
        except Exception as error:
            detail = f"the player raised {raised(error)}"
            raise PlayerError(detail, reason=Reason.DISCONNECTED) from error
        return result

    def _turn(self, board: Board, budget: Budget, ply: int) -> Turn:
        budget_s = budget.time_s if isfinite(budget.time_s) else UNTIMED_S
        deadline_s = budget.deadline_s if isfinite(budget.deadline_s) else budget_s
        control = TimeControl.for_each_move(deadline_s)

        def heard(pit: int, info: Info | None) -> None:
            budget.offer(Choice(pit, info))

        name = f"game{self._games}"
        game = Game(name, name, board.player, board.rules, control, "opponent", rated=False)
        clock = Clock.set_up(control).state
        return Turn(board, board.legal(), game, ply, clock, deadline_s, budget_s, heard)


async def _awaited(answer: Any) -> Any:  # noqa: ANN401  # the author's
    return await answer


def _is_own(found: object, module: str) -> bool:
    return callable(found) and getattr(found, "__module__", None) == module
