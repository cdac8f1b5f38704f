"""The classic players, in plain Python to be read: what the engine is measured against.

The tree searches are in `trees` (minimax, maxⁿ), `alphabeta` and `chance`, Monte Carlo tree search
in `mcts`, the rules of thumb in `strategies`; `evaluation` and `weighted` have the evaluations and
`game` the rules on flat tuples. `state_api` is the game as plain dictionaries and functions, for
teaching, and `lecture` draws trees as lectures do.
"""

from .alphabeta import AlphaBetaPlayer
from .chance import ExpectimaxPlayer, ExpectiminimaxPlayer
from .mcts import MctsPlayer
from .rating import RatingPlayer
from .state_api import GameState, evaluate, legal_actions, new_game, step
from .strategies import CapturesPlayer, DefendPlayer, GreedyPlayer, RandomPlayer
from .trees import MaxNPlayer, MinimaxPlayer

__all__ = [
    "AlphaBetaPlayer",
    "CapturesPlayer",
    "DefendPlayer",
    "ExpectimaxPlayer",
    "ExpectiminimaxPlayer",
    "GameState",
    "GreedyPlayer",
    "MaxNPlayer",
    "MctsPlayer",
    "MinimaxPlayer",
    "RandomPlayer",
    "RatingPlayer",
    "evaluate",
    "legal_actions",
    "new_game",
    "step",
]
