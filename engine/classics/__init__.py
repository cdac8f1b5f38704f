"""The classic players, in plain Python to be read: what the engine is measured against.

`make` builds one from its name and options; `PlayerSpec` reads a player as it is written on a
command line. The tree searches are in `trees`, the rules of thumb in `strategies`.
"""

from engine.classics.catalogue import AGENTS, AgentKind, Option, make
from engine.classics.spec import AgentSpecError, PlayerSpec
from engine.classics.state_api import GameState, evaluate, legal_actions, new_game, step

__all__ = [
    "AGENTS",
    "AgentKind",
    "AgentSpecError",
    "GameState",
    "Option",
    "PlayerSpec",
    "evaluate",
    "legal_actions",
    "make",
    "new_game",
    "step",
]
