"""Players that were written for other platforms: OpenSpiel's bots, Kaggle's agents, policies.

**OpenSpiel** (``openspiel:FILE.py:NAME``) numbers the fourteen holes of both players: player 0's
pits 1 to 6 and its store 7, player 1's pits 8 to 13 and its store 0. A bot there has
``step(state)``; it asks a state what is legal and applies actions to copies of it. `KalahState`
answers as ``pyspiel.State`` does, under any rules and from any position, where OpenSpiel's own game
has one beginning. It needs no OpenSpiel; `mancala.bot.env.spiel` makes it a game of OpenSpiel.

**Kaggle** (``kaggle:FILE.py:NAME``) has agents ``agent(observation, configuration)``. The
observation is that of its ``open_spiel_mancala``: pits are OpenSpiel's actions, and
``observationString`` is a JSON object with the board. ``serializedGameAndState`` is left out, since
OpenSpiel cannot hold a position without its history. The answer is an action, or
``{"submission": action}``.

A **policy** (``policy:FILE.py:NAME``) is a function from observations and masks to pits, as
`mancala.env` has it for many games, or an object with ``predict``, such as a model of
Stable-Baselines3; one that takes ``action_masks`` (sb3-contrib's MaskablePPO) is given them. It is
asked about one game at a time.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, Final

from mancala.protocol.rules import Board, Rules

from ..client.bot import Bot, Choose, FunctionBot, Game, Turn

TERMINAL: Final = -4
"""The player to move of a game that is over."""
MASKS: Final = "action_masks"


def holes(rules: Rules) -> int:
    """Return the number of holes, stores included."""
    return 2 * rules.pits + 2


def action_of(rules: Rules, player: int, pit: int) -> int:
    """Return OpenSpiel's number of a player's pit."""
    return pit + 1 + player * (rules.pits + 1)


def pit_of(rules: Rules, player: int, action: int) -> int:
    """Return the pit that a player's action sows; no pit for an action that is none of its pits."""
    return action - action_of(rules, player, 0)


def counts(board: Board) -> list[int]:
    """Return the seeds in each hole, by OpenSpiel's numbers."""
    south, north = board.pits
    return [board.stores[1], *south, board.stores[0], *north]


class KalahGame:
    """The game of a state: what OpenSpiel's algorithms ask a game about."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def new_initial_state(self) -> KalahState:
        """Return the start."""
        return KalahState(Board.start(self.rules))

    def num_players(self) -> int:
        """Return the number of players."""
        return 2

    def num_distinct_actions(self) -> int:
        """Return the number of actions: one for each hole, though stores are never sown."""
        return holes(self.rules)

    def min_utility(self) -> float:
        """Return what a loss is worth."""
        return -1.0

    def max_utility(self) -> float:
        """Return what a win is worth."""
        return 1.0

    def utility_sum(self) -> float:
        """Return what both players' results add up to."""
        return 0.0

    def observation_tensor_shape(self) -> list[int]:
        """Return the shape of an observation: the seeds in each hole."""
        return [holes(self.rules)]


class KalahState:
    """A position as ``pyspiel.State`` shows it."""

    def __init__(self, board: Board, history: tuple[int, ...] = ()) -> None:
        self.board = board
        self._history = history

    def get_game(self) -> KalahGame:
        """Return the game."""
        return KalahGame(self.board.rules)

    def current_player(self) -> int:
        """Return the player to move; a negative number when the game is over."""
        return TERMINAL if self.board.is_over else self.board.player

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the actions of the player to move, ascending; none of the other player."""
        mover = self.board.player
        if player not in {None, mover}:
            return []
        return [action_of(self.board.rules, mover, pit) for pit in self.board.legal()]

    def legal_actions_mask(self, player: int | None = None) -> list[int]:
        """Return 1 for each action that is legal."""
        legal = self.legal_actions(player)
        return [int(action in legal) for action in range(holes(self.board.rules))]

    def apply_action(self, action: int) -> None:
        """Sow; raise IllegalMoveError when the action is not legal."""
        pit = pit_of(self.board.rules, self.board.player, int(action))
        self.board = self.board.sow(pit).board
        self._history = (*self._history, int(action))

    def clone(self) -> KalahState:
        """Return a state of its own."""
        return KalahState(self.board, self._history)

    def __deepcopy__(self, memo: object) -> KalahState:
        return self.clone()

    def child(self, action: int) -> KalahState:
        """Return the state after an action."""
        after = self.clone()
        after.apply_action(action)
        return after

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.board.is_over

    def is_chance_node(self) -> bool:
        """Return whether chance moves: never."""
        return False

    is_simultaneous_node = is_chance_node

    def returns(self) -> list[float]:
        """Return what the game is worth to each player: 1, 0 or -1; 0 while it goes on."""
        margin = self.board.score(0) if self.board.is_over else 0
        result = float((margin > 0) - (margin < 0))
        return [result, -result]

    rewards = returns  # an action brings nothing but at the end

    def player_return(self, player: int) -> float:
        """Return what the game is worth to a player."""
        return self.returns()[player]

    player_reward = player_return

    def history(self) -> list[int]:
        """Return the actions since the position that the bot was asked about."""
        return list(self._history)

    def move_number(self) -> int:
        """Return the number of actions since then."""
        return len(self._history)

    def num_players(self) -> int:
        """Return the number of players."""
        return 2

    def num_distinct_actions(self) -> int:
        """Return the number of actions."""
        return holes(self.board.rules)

    def action_to_string(self, *player_and_action: int) -> str:
        """Return an action as text."""
        return str(player_and_action[-1])

    def observation_tensor(self, player: int = 0) -> list[float]:  # noqa: ARG002  # all is seen by both
        """Return the seeds in each hole."""
        return [float(seeds) for seeds in counts(self.board)]

    def observation_string(self, player: int = 0) -> str:  # noqa: ARG002  # all is seen by both
        """Return the position as text."""
        return str(self)

    def __str__(self) -> str:
        """Return the position as OpenSpiel draws it, player 1's row above."""
        rows = self.board.pits[0], self.board.pits[1][::-1]
        south, north = ("-".join(map(str, row)) for row in rows)
        gap = "-" * (2 * self.board.rules.pits - 1)
        return f"-{north}-\n{self.board.stores[1]}{gap}{self.board.stores[0]}\n-{south}-"


class _SpielBot(FunctionBot):
    """A bot of OpenSpiel, restarted before each game if it knows ``restart``."""

    def __init__(self, choose: Choose, restart: Callable[[], Any] | None) -> None:
        super().__init__(choose)
        self._restart = restart

    def game_started(self, game: Game) -> None:  # noqa: ARG002  # which game it is does not matter
        if self._restart is not None:
            self._restart()


def openspiel_bot(found: Any) -> Bot:  # noqa: ANN401  # the author's
    """Return a bot that asks ``found.step``, or ``found`` itself, about states."""
    step = getattr(found, "step", found)
    if not callable(step):
        raise TypeError("neither a function nor a bot with step(state)")

    def choose(turn: Turn) -> int:
        action = int(step(KalahState(turn.board)))
        return pit_of(turn.rules, turn.board.player, action)

    return _SpielBot(choose, getattr(found, "restart", None))


class _KaggleFields(dict[str, Any]):
    """A dictionary whose keys are attributes as well."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever stands there
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def kaggle_bot(agent: Callable[..., Any]) -> Bot:
    """Return a bot that asks an agent of up to two arguments."""
    positional = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}
    kinds = [each.kind for each in inspect.signature(agent).parameters.values()]
    takes_all = inspect.Parameter.VAR_POSITIONAL in kinds
    most = 2 if takes_all else sum(kind in positional for kind in kinds)

    def choose(turn: Turn) -> int:
        given = (observation(turn.board, turn.ply), configuration(turn))[:most]
        answer = agent(*given)
        action = answer["submission"] if isinstance(answer, dict) else answer
        return pit_of(turn.rules, turn.board.player, int(action))

    return FunctionBot(choose)


def observation(board: Board, step: int) -> _KaggleFields:
    """Return a position as Kaggle's environment shows it to the player to move."""
    legal = [action_of(board.rules, board.player, pit) for pit in board.legal()]
    state = {
        "board": counts(board),
        "pits": {str(player): list(row) for player, row in enumerate(board.pits)},
        "stores": {str(player): store for player, store in enumerate(board.stores)},
        "scores": list(board.stores),
        "current_player": board.player,
        "move_number": step,
        "last_action": None,
        "is_terminal": False,
        "winner": None,
    }
    return _KaggleFields(
        observationString=json.dumps(state),
        legalActions=legal,
        legalActionStrings=[str(action) for action in legal],
        currentPlayer=board.player,
        playerId=board.player,
        isTerminal=False,
        step=step,
        remainingOverageTime=0.0,
    )


def configuration(turn: Turn) -> _KaggleFields:
    """Return the terms of a game: the time for a move, and what is played."""
    return _KaggleFields(
        actTimeout=turn.budget_s,
        runTimeout=turn.deadline_s,
        openSpielGameName="mancala",
        openSpielGameString="mancala()",
        includeLegalActions=True,
    )


def policy_bot(found: Any) -> Bot:  # noqa: ANN401  # the author's
    """Return a bot that asks a policy."""
    import numpy as np  # noqa: PLC0415  # an extra brings it

    from .seen import mask, view  # noqa: PLC0415  # loads numpy

    predict = getattr(found, "predict", None)
    if predict is None and not callable(found):
        raise TypeError("neither a function nor a model with predict()")
    takes_masks = predict is not None and MASKS in inspect.signature(predict).parameters

    def choose(turn: Turn) -> int:
        board = turn.board
        seen = view(board, board.player)[np.newaxis]
        masks = mask(board, board.player, turn.rules)[np.newaxis].astype(bool)
        if predict is None:
            pits = found(seen, masks)
        else:
            pits, _ = predict(seen, deterministic=True, **({MASKS: masks} if takes_masks else {}))
        return int(np.asarray(pits).reshape(-1)[0])

    return FunctionBot(choose)
