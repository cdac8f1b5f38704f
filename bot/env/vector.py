"""Many games at the same time as one Gymnasium vector environment, played in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from mancala.bot.env.against import GamesAgainstPolicy, Policy
from mancala.bot.env.autoreset import begin_anew, check_autoreset
from mancala.bot.env.reward import check_reward
from mancala.bot.env.solo import SEATS
from mancala.bot.env.start import Openings, boards_of, drawn
from mancala.bot.env.view import pits_space, seeds_space
from mancala.bot.players.compiled import compiled_player
from mancala.protocol.rules import KALAH, Board, Rules

if TYPE_CHECKING:
    from mancala.engine.batches.steps import GamesUnderWay

MOST_SEED: Final = 2**31


class MancalaVectorEnv(VectorEnv[Any, Any, Any]):
    """Games against an opponent, as many as are wanted, moved on by one call.

    Each game is what `MancalaEnv` plays with the same seed: the same seats, openings and answers of
    the opponent. Observations are i16[games, 2, pits + 1]; ``action_masks()`` and
    ``info["action_mask"]`` are [games, pits].

    Args:
        num_envs: number of games.
        opponent: ``random``, ``greedy``, ``captures``, ``defend``, ``minimax:…``, ``alphabeta:…``
            or ``engine:nodes=…``; or a function from observations and masks to pits, which is asked
            about all games that wait for it in one call. See `mancala.bot.env.against.Policy`.
        rules: a variant, or its text; at most seven pits a row.
        seat: ``first``, ``second``, or ``random`` to draw it for each game.
        openings: where games begin; one is drawn for each. See `mancala.bot.env.start.Openings`.
        reward: ``result`` or ``margin``, as for `MancalaEnv`.
        autoreset: ``NEXT_STEP``: a game that is over begins anew with the next step, whose pit is
            not looked at and whose reward is 0. ``SAME_STEP``: it begins anew in the step that
            ends it, whose ``info["final_obs"]`` shows the end where ``info["_final_obs"]`` is set.

    Raises:
        ValueError: when there is no such seat, opening, reward, autoreset, or opponent in compiled
            code.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  # gymnasium's own way

    def __init__(  # noqa: PLR0913  # each is an option of the games
        self,
        num_envs: int = 1,
        opponent: str | Policy = "random",
        rules: Rules | str = KALAH,
        *,
        seat: str = "random",
        openings: Openings = "start",
        reward: str = "result",
        autoreset: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        from mancala.engine.batches.steps import ILLEGAL  # noqa: PLC0415  # loads the compiler

        if seat not in SEATS:
            raise ValueError(f"the seat is one of {', '.join(SEATS)}, not {seat!r}")
        self._autoreset = check_autoreset(autoreset)
        self.metadata = {"autoreset_mode": autoreset}
        self.rules = Rules.parse(rules) if isinstance(rules, str) else rules
        self.num_envs = num_envs
        self._seat = seat
        self._starts = boards_of(openings, self.rules)
        self._reward = check_reward(reward)
        self._games = _games_against(opponent, self.rules, num_envs)
        self._illegal = ILLEGAL
        self._rngs = [np.random.default_rng() for _ in range(num_envs)]
        self._totals = np.zeros(num_envs, dtype=np.int64)
        self.single_observation_space = seeds_space(self.rules)
        self.single_action_space = pits_space(self.rules)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.int16], dict[str, Any]]:
        """Begin all games anew.

        Args:
            seed: of the first game, the next ones counting up from it; or one for each game. It
                decides seats, openings and answers of that game and of those after it.
            options: ``opening``, a board or its text, for these games alone.

        Raises:
            ValueError: when the opening is no board of the rules, or over already.
        """
        seeds = [seed + at for at in range(self.num_envs)] if isinstance(seed, int) else seed
        for at, each in enumerate(seeds or []):
            if each is not None:
                self._rngs[at] = np.random.default_rng(each)
        self._open(range(self.num_envs), options)
        return self._games.seen.copy(), self._info()

    def step(
        self,
        actions: Any,  # noqa: ANN401  # any array of whole numbers
    ) -> tuple[
        NDArray[np.int16],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Sow a pit in every game and let the opponents answer.

        Games that were over begin anew, or under ``SAME_STEP`` those that are over now.
        """
        games, were_over = self._games, self._games.states != 0
        games.step(np.asarray(actions, dtype=np.int64))
        over = (games.states != 0) & ~were_over
        rewards = np.where(over, self._rewards(), 0.0)
        which, ends = begin_anew(self._autoreset, games.seen, over, were_over)
        if which.size:
            self._open(which.tolist(), None)
        return games.seen.copy(), rewards, over, np.zeros_like(over), self._info() | ends

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which pits may be sown, bool[games, pits]; any where a game is over."""
        masks = self._games.masks.astype(bool)
        masks[self._games.states != 0] = True
        return masks

    def _rewards(self) -> NDArray[np.float64]:
        games = self._games
        if self._reward == "margin":
            rewards = games.margins / np.maximum(self._totals, 1)
        else:
            rewards = np.sign(games.margins).astype(np.float64)
        return np.where(games.states == self._illegal, -1.0, rewards)

    def _open(self, which: Any, options: dict[str, Any] | None) -> None:  # noqa: ANN401  # numbers
        """Begin games, each by its own random generator."""
        boards: list[Board] = []
        players: list[int] = []
        seeds: list[int] = []
        for game in which:
            rng = self._rngs[game]
            drawn_seat = int(rng.integers(2)) if self._seat == "random" else SEATS.index(self._seat)
            seeds.append(int(rng.integers(MOST_SEED)))
            boards.append(drawn(self._starts, rng, options))
            players.append(drawn_seat)
            self._totals[game] = boards[-1].total
        self._games.open(list(which), boards, players, seeds)
        ended = [at for at, game in enumerate(which) if self._games.states[game] != 0]
        if ended:  # a first turn that ends the game is the learner's
            self._games.open(
                [list(which)[at] for at in ended],
                [boards[at] for at in ended],
                [boards[at].player for at in ended],
                [seeds[at] for at in ended],
            )

    def _info(self) -> dict[str, Any]:
        present = np.ones(self.num_envs, dtype=bool)
        return {"action_mask": self._games.masks.copy(), "_action_mask": present}


def _games_against(
    opponent: str | Policy, rules: Rules, count: int
) -> GamesUnderWay | GamesAgainstPolicy:
    from mancala.engine.batches.steps import GamesUnderWay  # noqa: PLC0415  # loads the compiler

    if not isinstance(opponent, str):
        return GamesAgainstPolicy(opponent, rules, count)
    player = compiled_player(opponent, rules, games_at_once=count)
    if player is None:
        raise ValueError(f"{opponent!r} does not play {rules} in compiled code")
    return GamesUnderWay(player, count)
