"""The classic players, in plain Python to be read: what the engine is measured against.

The tree searches are in `trees` (minimax, maxⁿ), `alphabeta` and `chance`, Monte Carlo tree search
in `mcts`, the rules of thumb in `strategies`; `evaluation` and `weighted` have the evaluations and
`game` the rules on flat tuples. `state_api` is the game as plain dictionaries and functions, for
teaching, and `game_tree` draws trees as lectures do.
"""

from mancala.engine.classics.alphabeta import AlphaBetaPlayer
from mancala.engine.classics.chance import ExpectimaxPlayer, ExpectiminimaxPlayer
from mancala.engine.classics.mcts import MctsPlayer
from mancala.engine.classics.rating import RatingPlayer
from mancala.engine.classics.state_api import GameState, evaluate, legal_actions, new_game, step
from mancala.engine.classics.strategies import (
    CapturesPlayer,
    DefendPlayer,
    GreedyPlayer,
    RandomPlayer,
)
from mancala.engine.classics.trees import MaxNPlayer, MinimaxPlayer

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
