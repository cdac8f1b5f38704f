"""Many games at the same time as one Gymnasium vector environment, played in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.protocol.rules import KALAH, Board, Rules

from ..players.compiled import compiled_player
from .against import GamesAgainstPolicy, Policy
from .games import GamesEnv
from .solo import SEATS
from .start import Openings, drawn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mancala.engine.batches.steps import GamesUnderWay

MOST_SEED: Final = 2**31


class _Beginning(NamedTuple):
    """How a game begins: its number, position, the learner's seat and the opponent's seed."""

    game: int
    board: Board
    player: int
    seed: int


class MancalaVectorEnv(GamesEnv):
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

    _games: GamesUnderWay | GamesAgainstPolicy
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
        if seat not in SEATS:
            raise ValueError(f"the seat is one of {', '.join(SEATS)}, not {seat!r}")
        super().__init__(num_envs, rules, openings, reward, autoreset)
        self._seat = seat
        self._games = _games_against(opponent, self.rules, num_envs)
        self._rngs = [np.random.default_rng() for _ in range(num_envs)]

    def _seed(self, game: int, seed: int) -> None:
        self._rngs[game] = np.random.default_rng(seed)

    def _sow(self, pits: NDArray[np.int64]) -> None:
        self._games.step(pits)

    def _open(self, which: Iterable[int], options: dict[str, Any] | None) -> None:
        """Begin games, each by its own random generator."""
        beginnings = [self._drawn(game, options) for game in which]
        self._games.open(*zip(*beginnings, strict=True))
        ended = [
            each._replace(player=each.board.player)  # a first turn that ends it is the learner's
            for each in beginnings
            if self._games.states[each.game] != self._running
        ]
        if ended:
            self._games.open(*zip(*ended, strict=True))

    def _drawn(self, game: int, options: dict[str, Any] | None) -> _Beginning:
        rng = self._rngs[game]
        player = int(rng.integers(2)) if self._seat == "random" else SEATS.index(self._seat)
        seed = int(rng.integers(MOST_SEED))
        return _Beginning(game, drawn(self._starts, rng, options), player, seed)


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


def points(
    policy: Policy,
    opponent: str | Policy,
    rules: Rules | str = KALAH,
    *,
    games: int = 200,
    openings: Openings = "fair",
    seed: int = 1,
) -> float:
    """Return the share of points that a policy takes, a draw being half of one.

    Args:
        policy: asked about all games that wait for it in one call.
        opponent: as for `MancalaVectorEnv`.
        rules: a variant, or its text; at most seven pits a row.
        games: number of games, each player beginning about half of them.
        openings: where games begin; the fair ones, unless they are few or there are none.
        seed: the same seed plays the same openings and seats.

    Raises:
        ValueError: when there is no such opponent or opening.
    """
    env = MancalaVectorEnv(games, opponent, rules, openings=openings)
    seen, _ = env.reset(seed=seed)
    masks, results = env.action_masks(), np.full(games, np.nan)
    while (left := np.isnan(results)).any():
        pits = np.zeros(games, dtype=np.int64)
        pits[left] = policy(seen[left], masks[left])
        seen, rewards, over, _, _ = env.step(pits)
        results[left & over] = rewards[left & over]
        masks = env.action_masks()
    return float((results.mean() + 1) / 2)
