"""Both players of a game as PettingZoo agents, who move in turn as the rules say."""

from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from mancala.protocol.rules import KALAH, Rules

from ..players.seen import mask, move_of, view
from .picture import FRAMES_A_SECOND, SingleGame
from .start import Openings, drawn, mask_space, pits_space, reward_for, seeds_space

AGENTS: Final = ("player_0", "player_1")


def env(
    rules: Rules | str = KALAH,
    *,
    openings: Openings = "start",
    reward: str = "result",
    render_mode: str | None = None,
) -> Any:  # noqa: ANN401  # the wrappers have no types
    """Return the environment with the usual wrappers: illegal moves lose, misuse raises."""
    duel = MancalaDuel(rules, openings=openings, reward=reward, render_mode=render_mode)
    judged = wrappers.TerminateIllegalWrapper(duel, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(judged))


class MancalaDuel(SingleGame, AECEnv):  # type: ignore[misc]  # pettingzoo has no annotations that mypy trusts
    """A game between two agents.

    An observation holds ``observation``, the board from the agent's side as `MancalaEnv` describes
    it, and ``action_mask``. A player who moves again is selected again.

    Args:
        rules: a variant, or its text.
        openings: where games begin; one is drawn for each. See `mancala.bot.env.start.Openings`.
        reward: ``result`` or ``margin``, as for `MancalaEnv`.
        render_mode: ``ansi``, ``rgb_array``, ``human``, or None, as for `MancalaEnv`.

    Raises:
        ValueError: when there is no such opening or reward.
        ModuleNotFoundError: when pixels are wanted and pygame is not installed.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "mancala_v0",
        "is_parallelizable": False,
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": FRAMES_A_SECOND,
    }

    def __init__(
        self,
        rules: Rules | str = KALAH,
        *,
        openings: Openings = "start",
        reward: str = "result",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._set_up(rules, openings, reward, render_mode)
        self._rng = np.random.default_rng()
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self._seen = spaces.Dict(
            {"observation": seeds_space(self.rules), "action_mask": mask_space(self.rules)}
        )
        self.observation_spaces = dict.fromkeys(AGENTS, self._seen)
        self.action_spaces = {agent: pits_space(self.rules) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of observations, the same for both."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of moves, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game.

        Args:
            seed: decides the openings of this game and those after it.
            options: ``opening``, a board or its text, for this game alone.

        Raises:
            ValueError: when the opening is no board of the rules, or over already.
        """
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.board = drawn(self._starts, self._rng, options)
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[self.board.player]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._show()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the board from an agent's side."""
        player = AGENTS.index(agent)
        allowed = mask(self.board, player, self.rules)
        return {"observation": view(self.board, player), "action_mask": allowed}

    def step(self, action: int | None) -> None:
        """Sow a pit for the agent selected, or swap."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        move = move_of(int(action if action is not None else -1), self.rules)
        self.board = self.board.sow(move).board
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        if self.board.is_over:
            value = reward_for(self._reward, self.board, 0)
            self.rewards = {AGENTS[0]: value, AGENTS[1]: -value}
            self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[self.board.player]
        self._accumulate_rewards()
        self._show()
