"""Kalah as a game of OpenSpiel, for its algorithms; and the players of this program as its bots.

It needs the package ``open_spiel``, which no extra brings. Importing this module registers the
game, whose parameters are the rules::

    import pyspiel
    from mancala.spiel import NAME, ArenaBot

    game = pyspiel.load_game(NAME, {"pits": 4, "seeds": 3})
    bot = ArenaBot("engine:nodes=100")
    action = bot.step(game.new_initial_state())

Pits have the numbers of OpenSpiel's own ``mancala``, which has the rules ``kalah`` and no others;
so policies for that one play this one. `mancala.bot.players.platforms` is the other direction: bots
of OpenSpiel as players here.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyspiel
from numpy.typing import NDArray
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from mancala.protocol.rules import KALAH, Board, Capture, Rules

from .openspiel_state import KalahState, action_of, holes
from .registry import make_player

NAME: Final = "python_kalah"
"""The name under which the game is registered."""

PARAMETERS: Final = {
    "pits": 6,
    "seeds": 4,
    "capture": "opposite",
    "relap": False,
    "majority": False,
}
"""The game's parameters, the fields of `Rules` without the pie rule, with their defaults."""

_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Kalah under the rules of Mancala Arena",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


def longest(rules: Rules) -> int:
    """Return a number of plies that no game exceeds.

    A ply that puts nothing into a store moves seeds towards the store of their row. Together they
    can make ``seeds * (pits - 1)`` such steps before, between and after those plies that put seeds
    into a store, of which there are at most as many as seeds.
    """
    seeds = 2 * rules.pits * rules.seeds
    return seeds + (seeds + 1) * seeds * (rules.pits - 1)


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # of a package that is not in the lock
    """The game; ``returns()`` of a finished one are 1, 0 or -1.

    Args:
        params: parameters that differ from `PARAMETERS`.
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = PARAMETERS | (params or {})
        self.rules = Rules(**chosen | {"capture": Capture(chosen["capture"])})  # type: ignore[arg-type]  # OpenSpiel holds parameters to the types above
        info = pyspiel.GameInfo(
            num_distinct_actions=holes(self.rules),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=longest(self.rules),
        )
        super().__init__(_TYPE, info, params or {})

    def new_initial_state(self) -> SpielState:
        """Return the start."""
        return SpielState(self)

    def make_py_observer(
        self,
        iig_obs_type: Any = None,  # noqa: ANN401  # pyspiel.IIGObservationType
        params: dict[str, Any] | None = None,
    ) -> Any:  # noqa: ANN401  # one of two observers
        """Return an observer of the board; or OpenSpiel's, of all that was played."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return SeedsObserver(self.rules)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]  # of a package that is not in the lock
    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position = KalahState(Board.start(game.rules))

    def current_player(self) -> int:
        """Return the player to move, or OpenSpiel's number for a game that is over."""
        return self.position.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal_actions(player)

    def _apply_action(self, action: int) -> None:
        self.position = self.position.child(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.position.action_to_string(player, action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.is_terminal()

    def returns(self) -> list[float]:
        """Return what the game is worth to each player; 0 while it goes on."""
        return self.position.returns()

    def __str__(self) -> str:
        """Return the position as OpenSpiel draws it."""
        return str(self.position)


class SeedsObserver:
    """What both players see, as of OpenSpiel's own ``mancala``.

    Attributes:
        tensor: f32[holes + 2], the seeds by OpenSpiel's numbers, the player to move, and the number
            of sowings so far.
        dict: parts of the tensor, ``seeds``, ``player`` and ``move_number``.
    """

    def __init__(self, rules: Rules) -> None:
        count = holes(rules)
        self.tensor: NDArray[np.float32] = np.zeros(count + 2, dtype=np.float32)
        self.dict = {"seeds": self.tensor[:count], "player": self.tensor[count : count + 1]}
        self.dict["move_number"] = self.tensor[count + 1 :]

    def set_from(self, state: SpielState, player: int) -> None:  # noqa: ARG002  # both see all
        """Show a state."""
        self.tensor[:] = state.position.observation_tensor()

    def string_from(self, state: SpielState, player: int) -> str:  # noqa: ARG002  # both see all
        """Return a state as text."""
        return str(state)


class ArenaBot(pyspiel.Bot):  # type: ignore[misc]  # of a package that is not in the lock
    """A player of this program as a bot of OpenSpiel, for this game and its own ``mancala``.

    Args:
        player: as in ``mancala players``, such as ``engine:nodes=100``; one that bounds its own
            effort, since no clock runs.
        seed: what its random choices follow from.

    Raises:
        SpecError: when there is no such player.
    """

    def __init__(self, player: str, seed: int = 0) -> None:
        super().__init__()
        self._player = make_player(player)
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        """Begin a new game, whose random choices are those of the last one."""
        self._player.new_game(self._seed)

    def restart_at(self, state: Any) -> None:  # noqa: ANN401, ARG002  # pyspiel.State; no player needs it
        """Begin a new game at a state."""
        self.restart()

    def step(self, state: Any) -> int:  # noqa: ANN401  # pyspiel.State
        """Return the action that the player chooses."""
        board = board_of(state)
        return action_of(board.rules, board.player, self._player.choose(board).pit)


def board_of(state: Any) -> Board:  # noqa: ANN401  # pyspiel.State
    """Return the board of a state of this game or of OpenSpiel's ``mancala``."""
    if isinstance(state, SpielState):
        return state.position.board
    seeds = [int(each) for each in state.observation_tensor()[: holes(KALAH)]]
    south, north = seeds[1:7], seeds[8:14]
    return Board(KALAH, (tuple(south), tuple(north)), (seeds[7], seeds[0]), state.current_player())


pyspiel.register_game(_TYPE, SpielGame)
