"""The kinds of players: listed with their options, read and refused by one declaration."""

import pytest

from mancala.bot.players import kind as player_kind
from mancala.bot.players.registry import PLAYERS, make_player
from mancala.bot.players.spec import WHOLE, PlayerSpec, SpecError
from mancala.engine.classics.trees import MinimaxPlayer
from mancala.protocol.player import Player
from mancala.protocol.rules import Board
from tests.engine.classics.positions import VARIANTS

OUTSIDE = {"llm", "debian-mancala", "openspiel-mcts", "openspiel-alphabeta"}
"""Players that need what is not installed here."""
CLASSICS = [name for name in PLAYERS if name not in {"engine", *OUTSIDE, *WHOLE}]
QUICK = {
    "minimax": {"depth": "1"},
    "alphabeta": {"depth": "1"},
    "expectimax": {"depth": "1"},
    "expectiminimax": {"depth": "1", "slip": "0"},
    "maxn": {"depth": "1"},
    "mcts": {"playouts": "5"},
}


def make(name: str, options: dict[str, str], *, seed: int) -> Player:
    player = make_player(str(PlayerSpec(name, options)))
    player.new_game(seed)
    return player


def play(name: str, board: Board, *, seed: int) -> list[int]:
    agent, pits = make(name, QUICK.get(name, {}), seed=seed), []
    while not board.is_over:
        pits.append(agent.choose(board).pit)
        board = board.sow(pits[-1]).board
    return pits


@pytest.mark.parametrize("name", CLASSICS)
def test_every_player_finishes_every_variant(name: str) -> None:
    """Whole games on all rules and sizes, each pit legal."""
    for rules in VARIANTS:
        assert play(name, Board.start(rules), seed=1)


@pytest.mark.parametrize("name", CLASSICS)
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    """A seed decides all choices between equals, and other seeds decide otherwise."""
    games = [play(name, Board.start(), seed=seed) for seed in (1, 1, 2, 3, 4, 5, 6)]
    assert games[0] == games[1]
    assert any(game != games[0] for game in games[2:])


@pytest.mark.parametrize("name", CLASSICS)
def test_no_player_moves_when_the_game_is_over(name: str) -> None:
    """A finished board raises rather than giving a pit."""
    with pytest.raises(ValueError, match="over"):
        make(name, {}, seed=1).choose(Board.from_text("<6,20,27,0,0,0,0,0,0,0,0,1,0,0,0>"))


def test_minimax_looks_three_turns_ahead_unless_told() -> None:
    """The default depth is three."""
    agents = make("minimax", {}, seed=1), make("minimax", {"depth": "3"}, seed=1)
    counts = []
    for agent in agents:
        assert isinstance(agent, MinimaxPlayer)
        agent.choose(Board.start())
        counts.append(agent.nodes)
    assert counts == [1282, 1282]


@pytest.mark.parametrize("name", CLASSICS)
def test_defaults_are_written_as_a_person_would(name: str) -> None:
    """Spelling out every default is the same as leaving it out."""
    written = {
        option.name: option.default
        for option in PLAYERS[name].options
        if option.default is not None
    }
    board = Board.from_text("<3,0,0,2,0,3,1,2,2>")
    assert make(name, written, seed=4).choose(board) == make(name, {}, seed=4).choose(board)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("deepblue", {}, "no player named 'deepblue'; known: engine, cmd, python, kaggle"),
        ("random", {"depth": "3"}, "random has no option 'depth'; known: none"),
        (
            "minimax",
            {"deep": "3"},
            "'deep' (did you mean 'depth'?); known: depth, count, evaluation",
        ),
        ("minmax", {}, "no player named 'minmax' (did you mean 'minimax'?); known: engine"),
        ("minimax", {"depth": "0"}, "depth must be a whole number 1..64, not '0'"),
        ("minimax", {"depth": "three"}, "depth must be a whole number"),
        ("minimax", {"depth": "9" * 10_000}, "depth must be a whole number"),
        ("minimax", {"evaluation": "magic"}, "evaluation must be one of stores, side"),
        ("maxn", {"utility": "spite"}, "utility must be one of margin, harvest"),
        ("alphabeta", {"weights": "/no/such"}, "alphabeta: weights=/no/such: No such file"),
        ("alphabeta", {"my_chain": "9"}, "my_chain must be a number -4..4"),
        (
            "alphabeta",
            {"my_chain": "1", "evaluation": "side"},
            "alphabeta: weights go with evaluation=weighted only",
        ),
        (
            "expectimax",
            {"prune": "1", "evaluation": "side"},
            "expectimax: prune goes with evaluation=stores only",
        ),
        ("expectimax", {"minimax": "1.5"}, "minimax must be a number 0..1"),
        ("mcts", {"exploration": "nan"}, "exploration must be a number 0..100"),
        ("mcts", {"exploration": "much"}, "exploration must be a number 0..100"),
    ],
)
def test_says_what_was_wrong_and_what_is_known(
    name: str, options: dict[str, str], said: str
) -> None:
    """An unknown player, option or value is named together with what would do."""
    with pytest.raises(SpecError) as caught:
        make(name, options, seed=1)
    assert said in str(caught.value)


def test_a_player_whose_extra_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without numba the engine is known by name, and asking for it names the extra."""
    monkeypatch.setattr(player_kind, "find_spec", lambda _package: None)
    assert PLAYERS["greedy"].missing is None
    with pytest.raises(SpecError, match=r'pip install .*\[engine\]"'):
        make_player("engine:depth=3")
