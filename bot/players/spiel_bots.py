"""``openspiel-mcts`` and ``openspiel-alphabeta``: OpenSpiel's searches as players.

They need the package ``open_spiel``, which no extra brings. They ask the states of `platforms`, so
they play under any rules and from any position; from the start of ``kalah`` OpenSpiel's own.
"""

import random
from collections.abc import Callable
from typing import Any, Final

from .kind import PlayerKind, whole
from .own import OwnPlayer
from .platforms import openspiel_bot
from .spec import SpecError


class _Mcts:
    """Monte Carlo tree search with random playouts, drawn anew for each game."""

    def __init__(self, simulations: int) -> None:
        self._simulations = simulations
        self.restart()

    def restart(self) -> None:
        import pyspiel  # noqa: PLC0415  # no extra brings it
        from numpy.random import RandomState  # noqa: PLC0415  # loads numpy
        from open_spiel.python.algorithms import mcts  # noqa: PLC0415  # no extra brings it

        rng = RandomState(random.getrandbits(32))
        evaluator = mcts.RandomRolloutEvaluator(1, rng)
        game = pyspiel.load_game("mancala")
        self._bot = mcts.MCTSBot(game, 2**0.5, self._simulations, evaluator, random_state=rng)

    def step(self, state: Any) -> int:  # noqa: ANN401  # a state of OpenSpiel's or ours
        return int(self._bot.step(state))


class _AlphaBeta:
    """Alpha-beta search, which values positions by the difference of the stores."""

    def __init__(self, depth: int) -> None:
        import pyspiel  # noqa: PLC0415  # no extra brings it
        from open_spiel.python.algorithms import minimax  # noqa: PLC0415  # no extra brings it

        self._depth = depth
        self._search = minimax.alpha_beta_search
        self._game = pyspiel.load_game("mancala")

    def step(self, state: Any) -> int:  # noqa: ANN401  # a state of OpenSpiel's or ours
        mover = state.current_player()

        def margin(later: Any) -> float:  # noqa: ANN401  # a state of OpenSpiel's or ours
            *seeds, _, _ = later.observation_tensor(0)
            south, north = seeds[len(seeds) // 2], seeds[0]
            return float((south - north) * (1 - 2 * mover) / sum(seeds))

        return int(self._search(self._game, state, margin, self._depth, mover)[1])


def _made(name: str, bot: Callable[[], object]) -> OwnPlayer:
    try:
        return OwnPlayer(openspiel_bot(bot()))
    except ModuleNotFoundError as error:
        raise SpecError(f"{name} needs OpenSpiel ({error}): pip install open_spiel") from None


MCTS: Final = PlayerKind(
    "openspiel-mcts",
    "OpenSpiel's Monte Carlo tree search with random playouts (pip install open_spiel)",
    (whole("simulations", "playouts a move", 100, low=2, high=1_000_000),),
    lambda settings: _made("openspiel-mcts", lambda: _Mcts(settings.get("simulations", 100))),
)
ALPHABETA: Final = PlayerKind(
    "openspiel-alphabeta",
    "OpenSpiel's alpha-beta search, by the difference of the stores (pip install open_spiel)",
    (whole("depth", "sowings to look ahead", 4, low=1, high=30),),
    lambda settings: _made("openspiel-alphabeta", lambda: _AlphaBeta(settings.get("depth", 4))),
)
