"""A learner in the style of AlphaZero, small and in NumPy: it learns Kalah from nothing but play.

A net guesses from a position how likely each pit is the best (the prior) and how the game ends (the
value). A tree search asks the net about the positions that it reaches, and its visits are a better
choice than the prior. The learner plays against itself by searching, then moves the net towards
what the searches chose and how the games ended (Silver et al., "A general reinforcement learning
algorithm that masters chess, shogi, and Go through self-play", Science 362, 2018).

All games take each step together: one call sows in all of them, one product of matrices evaluates
all positions. A player may move again here, so a value changes its sign only where the turn does.

    python alphazero.py --minutes 60 --out net.npz

Then a file of these lines beside it is a player, as in ``mancala rate policy:mine.py``::

    from alphazero import Net, Searcher

    policy = Searcher(Net.load("net.npz"), simulations=64)
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from pathlib import Path
from typing import Any, Final

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from mancala.env import MancalaSelfPlayEnv, points

Floats = NDArray[np.float32]
Seeds = NDArray[np.int16]
Masks = NDArray[np.bool_]

PITS: Final = 6
COUNTS: Final = 16
INPUTS: Final = 2 * PITS * COUNTS + 1
EXPLORATION: Final = 1.5
NOISE: Final = (0.25, 0.8)
"""The share of Dirichlet's noise in the priors at the root, and its parameter."""
VARIED_PLIES: Final = 24
"""Plies of a game that are drawn by visits; later the most visited pit is sown."""
SHARPNESS: Final = 8.0
"""A value is ``tanh(SHARPNESS * margin / seeds)``: mostly who wins, a little by how much."""
BATCH: Final = 512
DECAY: Final = 1e-4
MEMORY: Final = 150_000


def features(seen: Seeds) -> Floats:
    """Return what the net sees, f32[n, INPUTS]: each pit's count as a place, the stores' lead."""
    counts = np.minimum(seen[:, :, :PITS], COUNTS - 1).reshape(len(seen), -1)
    places = np.eye(COUNTS, dtype=np.float32)[counts].reshape(len(seen), -1)
    lead = (seen[:, 0, PITS] - seen[:, 1, PITS]).astype(np.float32) / 8
    return np.concatenate([places, lead[:, None]], axis=1)


class Net:
    """Two hidden layers; then logits of the pits, and a value between -1 and 1.

    Attributes:
        layers: weights and biases: of the first layer, the second, the logits, the value.
    """

    def __init__(self, layers: list[Floats]) -> None:
        self.layers = layers
        self._moments = [(np.zeros_like(each), np.zeros_like(each)) for each in layers]
        self._updates = 0

    @classmethod
    def random(cls, rng: np.random.Generator, hidden: int = 128) -> Net:
        """Return a net that has not learned."""
        layers: list[Floats] = []
        for fan_in, fan_out in ((INPUTS, hidden), (hidden, hidden), (hidden, PITS), (hidden, 1)):
            scale = np.sqrt(2 / min(fan_in, hidden)) * (0.1 if fan_out < hidden else 1)
            layers.append((rng.normal(size=(fan_in, fan_out)) * scale).astype(np.float32))
            layers.append(np.zeros(fan_out, dtype=np.float32))
        return cls(layers)

    @classmethod
    def load(cls, path: str | Path) -> Net:
        """Read a net."""
        with np.load(path) as kept:
            return cls([kept[f"arr_{at}"] for at in range(8)])

    def save(self, path: str | Path) -> None:
        """Write the net."""
        with Path(path).open("wb") as file:
            np.savez(file, *self.layers)

    def evaluate(self, seen: Seeds, masks: Masks) -> tuple[Floats, Floats]:
        """Return priors f32[n, pits], 0 where a pit may not be sown, and values f32[n]."""
        *_, priors, values = self._forward(features(seen), masks)
        return priors, values

    def learn(self, seen: Seeds, visits: Floats, values: Floats, rate: float = 1e-3) -> None:
        """Move a step towards the visits' shares and the values (Adam: Kingma and Ba, 2015)."""
        x = features(seen)
        first, second, priors, guessed = self._forward(x, seen[:, 0, :PITS] > 0)
        to_logits = (priors - visits) / len(x)
        to_value = (2 * (guessed - values) * (1 - guessed**2) / len(x))[:, None]
        to_second = (to_logits @ self.layers[4].T + to_value @ self.layers[6].T) * (second > 0)
        to_first = (to_second @ self.layers[2].T) * (first > 0)
        gradients = []
        for inputs, back in (
            (x, to_first),
            (first, to_second),
            (second, to_logits),
            (second, to_value),
        ):
            gradients += [inputs.T @ back, back.sum(axis=0)]
        self._update(gradients, rate)

    def _forward(self, x: Floats, masks: Masks) -> tuple[Floats, Floats, Floats, Floats]:
        w1, b1, w2, b2, wp, bp, wv, bv = self.layers
        first = np.maximum(x @ w1 + b1, 0)
        second = np.maximum(first @ w2 + b2, 0)
        logits = np.where(masks, second @ wp + bp, np.float32(-1e9))
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        value = np.tanh(second @ wv + bv)[:, 0]
        return first, second, odds / odds.sum(axis=1, keepdims=True), value

    def _update(self, gradients: list[Floats], rate: float) -> None:
        self._updates += 1
        fade, spread = 1 - 0.9**self._updates, 1 - 0.999**self._updates
        for layer, gradient, moments in zip(self.layers, gradients, self._moments, strict=True):
            mean, square = moments
            np.copyto(mean, mean + 0.1 * (gradient - mean))
            np.copyto(square, square + 0.001 * (gradient**2 - square))
            step = mean / fade / (np.sqrt(square / spread) + 1e-8) + DECAY * layer
            np.copyto(layer, layer - rate * step)


class Trees:
    """A search tree for each of n positions, all grown by one node a simulation.

    Args:
        net: evaluates positions.
        seen: the roots, from the side of the player to move; none is over.
        simulations: nodes to add.
        rng: draws noise at the roots; None for none.
    """

    def __init__(
        self, net: Net, seen: Seeds, simulations: int, rng: np.random.Generator | None = None
    ) -> None:
        count, size = len(seen), simulations + 1
        self._net, self._games = net, MancalaSelfPlayEnv(count, reward="margin")
        self._rows = np.arange(count)
        self._seen: Seeds = np.zeros((count, size, 2, PITS + 1), dtype=np.int16)
        self._priors: Floats = np.zeros((count, size, PITS), dtype=np.float32)
        self._visits, self._totals = np.zeros_like(self._priors), np.zeros_like(self._priors)
        self._signs = np.ones_like(self._priors)  # -1 where a pit passes the turn
        self._children = np.full((count, size, PITS), -1)
        self._over = np.zeros((count, size), dtype=bool)
        self._worth: Floats = np.zeros((count, size), dtype=np.float32)  # for its mover
        self._seen[:, 0] = seen
        self._priors[:, 0], _ = net.evaluate(seen, seen[:, 0, :PITS] > 0)
        if rng is not None:
            share, alpha = NOISE
            noise = rng.gamma(alpha, size=(count, PITS)) * (seen[:, 0, :PITS] > 0)
            noise /= noise.sum(axis=1, keepdims=True)
            self._priors[:, 0] += share * (noise - self._priors[:, 0])
        for number in range(1, size):
            self._simulate(number)

    @property
    def visits(self) -> Floats:
        """How often each pit was tried at the roots, f32[n, pits]."""
        return self._visits[:, 0]

    def _simulate(self, number: int) -> None:
        """Go down each tree, add the node ``number`` to it, and count what it is worth."""
        rows, node = self._rows, np.zeros_like(self._rows)
        path, going = [], np.ones(len(rows), dtype=bool)
        pit = self._promising(node)
        while True:
            child = self._children[rows, node, pit]
            path.append((node, pit, going))
            going = going & (child >= 0)
            arrived = np.where(going, child, node)
            going = going & ~self._over[rows, arrived]
            if not going.any():
                break
            deeper = self._promising(arrived)
            node, pit = np.where(going, arrived, node), np.where(going, deeper, pit)
        child = self._children[rows, node, pit]
        new = child < 0
        self._expand(number, node, pit, new)
        values = self._worth[rows, np.where(new, number, child)]
        for node, pit, there in reversed(path):
            values = np.where(there, values * self._signs[rows, node, pit], values)
            self._totals[rows, node, pit] += values * there
            self._visits[rows, node, pit] += there

    def _promising(self, node: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pits with the greatest sum of mean value and curiosity (PUCT)."""
        visits = self._visits[self._rows, node]
        means = self._totals[self._rows, node] / np.maximum(visits, 1)
        tried = np.sqrt(visits.sum(axis=1, keepdims=True) + 1)
        curiosity = EXPLORATION * self._priors[self._rows, node] * tried / (1 + visits)
        legal = self._seen[self._rows, node, 0, :PITS] > 0
        best: NDArray[np.int64] = np.where(legal, means + curiosity, -np.inf).argmax(axis=1)
        return best

    def _expand(
        self, number: int, node: NDArray[np.int64], pit: NDArray[np.int64], new: Masks
    ) -> None:
        self._games.place(self._seen[self._rows, node])
        seen, rewards, over, _, info = self._games.step(pit)
        priors, values = self._net.evaluate(seen, info["action_mask"].astype(bool))
        self._seen[:, number], self._priors[:, number] = seen, priors
        self._over[:, number] = over
        self._worth[:, number] = np.where(over, np.tanh(SHARPNESS * rewards), values)
        rows = self._rows[new]
        self._children[rows, node[new], pit[new]] = number
        self._signs[rows, node[new], pit[new]] = np.where(info["player"] == 0, 1, -1)[new]


class Searcher:
    """A policy: from observations and masks to the most visited pits.

    Args:
        net: evaluates positions.
        simulations: nodes of each search.
    """

    def __init__(self, net: Net, simulations: int = 64) -> None:
        self._net, self._simulations = net, simulations

    def __call__(self, seen: Seeds, _masks: Masks) -> NDArray[np.int64]:
        """Return the pits."""
        pits: NDArray[np.int64] = Trees(self._net, seen, self._simulations).visits.argmax(axis=1)
        return pits


class SelfPlay:
    """Games of a net against itself, and the positions that it learns from.

    Args:
        net: the player.
        games: number of games under way.
        simulations: nodes of each search.
        seed: what all that is random follows from.
    """

    def __init__(self, net: Net, games: int = 256, simulations: int = 48, seed: int = 1) -> None:
        self.net, self.plies, self.finished = net, 0, 0
        self._simulations, self._rng = simulations, np.random.default_rng(seed)
        self._env = MancalaSelfPlayEnv(
            games, openings="fair", reward="margin", autoreset=AutoresetMode.SAME_STEP
        )
        self._seen, self._info = self._env.reset(seed=seed)
        self._lines: list[list[tuple[Any, ...]]] = [[] for _ in range(games)]
        self.memory: deque[tuple[Any, ...]] = deque(maxlen=MEMORY)

    def step(self) -> None:
        """Play a ply of each game; learn from two batches once the memory holds enough."""
        self.play()
        if len(self.memory) > 10 * BATCH:
            self.learn(2)

    def play(self) -> None:
        """Sow a pit in each game, chosen by a search; keep the positions of those that ended."""
        visits = Trees(self.net, self._seen, self._simulations, self._rng).visits
        shares = visits / visits.sum(axis=1, keepdims=True)
        varied = np.array([len(line) < VARIED_PLIES for line in self._lines])
        drawn = (shares.cumsum(axis=1) > self._rng.random((len(shares), 1))).argmax(axis=1)
        pits = np.where(varied, drawn, shares.argmax(axis=1))
        for line, seen, share, player in zip(
            self._lines, self._seen, shares, self._info["player"], strict=True
        ):
            line.append((seen, share, player))
        self._seen, rewards, over, _, self._info = self._env.step(pits)
        self.plies += len(pits)
        for game in np.flatnonzero(over).tolist():
            self._keep(game, float(np.tanh(SHARPNESS * rewards[game])))

    def learn(self, batches: int) -> None:
        """Learn from positions drawn from the memory."""
        for _ in range(batches):
            drawn = self._rng.integers(len(self.memory), size=BATCH)
            seen, shares, values = zip(*(self.memory[at] for at in drawn), strict=True)
            self.net.learn(np.array(seen), np.array(shares), np.array(values, dtype=np.float32))

    def _keep(self, game: int, value: float) -> None:
        """Keep a finished game; ``value`` is that of the player who sowed last."""
        line, self._lines[game] = self._lines[game], []
        last = line[-1][2]
        self.memory.extend(
            (seen, share, value if player == last else -value) for seen, share, player in line
        )
        self.finished += 1


def train(play: SelfPlay, minutes: float, path: Path, opponent: str, every_s: float = 120) -> None:
    """Play and learn for a time of the processor; save and rate the net as it goes."""
    until, rated = time.process_time() + 60 * minutes, time.process_time()
    while time.process_time() < until:
        play.step()
        if time.process_time() > rated + every_s:
            rated = time.process_time()
            play.net.save(path)
            share = points(Searcher(play.net, 48), opponent, games=100)
            print(  # noqa: T201  # a program
                f"{play.finished} games, {play.plies} plies: {share:.0%} against {opponent}",
                flush=True,
            )
    play.net.save(path)


def main() -> None:
    """Train a net."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="of the processor")
    parser.add_argument("--out", type=Path, default=Path("net.npz"))
    parser.add_argument("--opponent", default="alphabeta:depth=4", help="rates the net")
    options = parser.parse_args()
    play = SelfPlay(Net.random(np.random.default_rng(1)))
    train(play, options.minutes, options.out, options.opponent)


if __name__ == "__main__":
    main()
