"""Games played in batches are the games that the players play one move at a time."""

from random import Random
from typing import Final, TypeAlias

import pytest

from mancala.bot.players.registry import make_player
from mancala.engine.batches.games import BatchedGames, Classic, Compiled, CompiledPlayer, FixedNodes
from mancala.engine.search.engine import EngineOptions
from mancala.protocol.messages import Info
from mancala.protocol.player import Player
from mancala.protocol.rules import PRESETS, Board, Rules

CLASSICS: Final = {
    "random": Classic("random"),
    "greedy": Classic("greedy"),
    "captures": Classic("captures"),
    "defend": Classic("defend"),
    "minimax:depth=1": Classic("minimax", 1),
    "minimax:depth=2,evaluation=side": Classic("minimax", 2, "side"),
    "alphabeta:depth=3": Classic("alphabeta", 3),
    "alphabeta:depth=2,evaluation=side,order=none": Classic("alphabeta", 2, "side", "none"),
    "alphabeta:depth=2,order=worst": Classic("alphabeta", 2, "stores", "worst"),
}
SEARCHES: Final = {
    "engine:nodes=1": FixedNodes(EngineOptions(), 1),
    "engine:nodes=100": FixedNodes(EngineOptions(), 100),
    "engine:nodes=400,depth=3": FixedNodes(EngineOptions(), 400, 3),
}
Move: TypeAlias = "tuple[int, int, Info | None]"
PLAYERS: Final[dict[str, Compiled]] = {**CLASSICS, **SEARCHES}
BOARDS: Final = [
    *PRESETS.values(),
    Rules(pits=1, seeds=2),
    Rules(pits=3, seeds=3),
    Rules(pits=4, seeds=20, relap=True),
    Rules(pits=5, seeds=2, majority=True),
    Rules(pits=7, seeds=5),
]


def one_by_one(
    board: Board, players: tuple[Player, Player], seeds: tuple[int, int]
) -> tuple[list[Move], tuple[int, int]]:
    moves: list[Move] = []
    for player, seed in zip(players, seeds, strict=True):
        player.new_game(seed)
    while not board.is_over:
        pit, info = players[board.player].choose(board)
        moves.append((board.player, pit, info))
        board = board.sow(pit).board
    return moves, board.settled().stores


def openings(rules: Rules, count: int, rng: Random) -> list[Board]:
    boards: list[Board] = []
    while len(boards) < count:
        board = Board.start(rules)
        for _ in range(rng.randrange(6)):
            if not board.is_over:
                board = board.sow(rng.choice(board.legal())).board
        if not board.is_over:
            boards.append(board)
    return boards


def compare(names: tuple[str, str], rules: Rules, games: int, rng: Random) -> None:
    boards = openings(rules, games, rng)
    seeds = [(rng.getrandbits(63), rng.getrandbits(rng.choice((3, 32, 63)))) for _ in boards]
    batch = BatchedGames(*(CompiledPlayer(rules, PLAYERS[name]) for name in names))
    players = make_player(names[0]), make_player(names[1])
    for board, pair, game in zip(boards, seeds, batch.play(boards, seeds), strict=True):
        assert game is not None
        moves, stores = one_by_one(board, players, pair)
        infos = game.infos or [None] * len(game.pits)
        assert list(zip(game.players, game.pits, infos, strict=True)) == moves, (names, board.text)
        assert game.stores == stores
        assert min(game.elapsed_ms, default=0.0) >= 0.0


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_all_players_play_the_games_they_play_alone(rules: Rules, rng: Random) -> None:
    """Every two players play the same moves, with the same reports, to the same stores."""
    for names in rng.sample([(one, other) for one in PLAYERS for other in PLAYERS], 12):
        compare(names, rules, 2, rng)
