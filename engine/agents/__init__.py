"""The classic players, in plain Python to be read: what the engine is measured against.

`make` builds one from its name and options; `PlayerSpec` reads a player as it is written on a
command line. The tree searches are in `trees`, the rules of thumb in `strategies`.
"""

from engine.agents.agent import Agent
from engine.agents.catalogue import AGENTS, AgentKind, Option, make
from engine.agents.spec import AgentSpecError, PlayerSpec
from engine.agents.state_api import GameState, evaluate, legal_actions, new_game, step

__all__ = [
    "AGENTS",
    "Agent",
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
