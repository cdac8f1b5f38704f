"""What players for other platforms are shown, and how they play, beside the platforms themselves.

``make peers`` installs OpenSpiel, and then Kaggle's environments, in an environment of their own
and runs this file there; no extra brings them. A newer version that differs fails here.
"""

import json
import random
import runpy
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mancala.bot.players import platforms
from mancala.bot.players.openspiel_state import KalahGame
from mancala.bot.players.registry import make_player
from mancala.protocol.player import PlayerError
from mancala.protocol.rules import KALAH, Board, Rules
from tests.published.__main__ import PUBLISHED, fetched
from tests.seeds import seed

GAMES = 200
ALIKE = 30
"""Games of players whose moves are compared; they have more than a thousand positions."""


def pyspiel() -> Any:  # noqa: ANN401  # a module
    return import_module("pyspiel")


def kaggle() -> Any:  # noqa: ANN401  # a module
    return import_module("kaggle_environments")


ASKED: dict[str, Callable[[Any], object]] = {
    "tensor": lambda state: state.observation_tensor(0),
    "text": lambda state: (str(state), state.to_string(), state.observation_string(1)),
    "mover": lambda state: (state.current_player(), state.is_player_node(), state.is_terminal()),
    "kind": lambda state: (state.get_type().name, state.is_initial_state()),
    "legal": lambda state: (state.legal_actions(), state.legal_actions(0), state.legal_actions(1)),
    "mask": lambda state: (state.legal_actions_mask(), state.legal_actions_mask(1)),
    "played": lambda state: [(it.player, it.action) for it in state.full_history()],
    "history": lambda state: (state.history(), state.history_str(), state.move_number()),
    "serialized": lambda state: state.serialize(),
    "results": lambda state: (state.returns(), state.rewards(), state.player_return(1)),
    "names": lambda state: [state.action_to_string(each) for each in state.legal_actions()],
    "read": lambda state: [state.string_to_action(str(each)) for each in state.legal_actions()],
    "game": lambda state: (
        str(state.get_game()),
        state.get_game().max_game_length(),
        state.get_game().observation_tensor_shape(),
        state.get_game().policy_tensor_shape(),
        state.get_game().num_distinct_actions(),
    ),
}


def test_a_state_of_ours_answers_as_openspiels() -> None:
    """Field by field, in each position of random games, the last ones included."""
    rng = random.Random(seed())
    for _ in range(GAMES):
        theirs = pyspiel().load_game("mancala").new_initial_state()
        ours = KalahGame(KALAH).new_initial_state()
        while True:
            differing = [name for name, ask in ASKED.items() if ask(ours) != ask(theirs)]
            assert not differing, f"{differing} after {theirs.history()}"
            if theirs.is_terminal():
                break
            action = rng.choice(theirs.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)


CHOOSING = """import json
from zlib import crc32
NUMBER = 0
def chosen(seen, legal):
    return legal[crc32(json.dumps([NUMBER, seen], sort_keys=True).encode()) % len(legal)]
"""
"""The head of players whose moves follow from all that they are shown."""
OF_THE_TENSOR = f"""{CHOOSING}
def bot(state):
    seen = list(state.observation_tensor(state.current_player()))
    return chosen(seen, state.legal_actions())
"""
OF_THE_OBSERVATION = f"""{CHOOSING}
def agent(observation):
    if observation["step"] == 0:
        return {{"submission": 0}}
    seen = {{name: observation[name] for name in observation if name != "remainingOverageTime"}}
    board = json.loads(seen["observationString"])
    player = board["current_player"]
    row = board["pits"][str(player)]
    legal = [pit + 1 + 7 * player for pit, seeds in enumerate(row) if seeds]
    return {{"submission": chosen(seen, legal)}}
"""


def _written(file: Path, source: str, number: int) -> dict[str, Any]:
    file.write_text(source.replace("NUMBER = 0", f"NUMBER = {number}"))
    return runpy.run_path(str(file))


def _actions_here(spec: str) -> list[int]:
    """Return OpenSpiel's actions of a game of two equal players."""
    players, board, actions = [make_player(spec) for _ in (0, 1)], Board.start(), list[int]()
    for player in players:
        player.new_game(1)
    while not board.is_over:
        pit = players[board.player].choose(board).pit
        actions.append(pit + 1 + 7 * board.player)
        board = board.sow(pit).board
    for player in players:
        player.close()
    return actions


@pytest.mark.parametrize("number", range(ALIKE))
def test_a_player_of_the_tensor_plays_here_as_there(tmp_path: Path, number: int) -> None:
    """The same actions in all positions of a game."""
    file = tmp_path / "player.py"
    bot = _written(file, OF_THE_TENSOR, seed() + number)["bot"]
    state = pyspiel().load_game("mancala").new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot(state))
    assert _actions_here(f"openspiel:{file}") == state.history()


@pytest.mark.parametrize("number", range(ALIKE))
def test_an_agent_of_kaggles_observation_plays_here_as_there(tmp_path: Path, number: int) -> None:
    """The same actions in all positions of a game."""
    file = tmp_path / "submission.py"
    agent = _written(file, OF_THE_OBSERVATION, seed() + number)["agent"]
    actions: list[int] = []

    def noted(observation: dict[str, Any]) -> dict[str, int]:
        answer: dict[str, int] = agent(observation)
        if observation["step"]:
            actions.append(answer["submission"])
        return answer

    kaggle().make("open_spiel_mancala").run([noted, noted])
    assert _actions_here(f"kaggle:{file}") == actions


def test_a_bot_in_cpp_plays_as_a_player_of_ours(tmp_path: Path) -> None:
    """It takes OpenSpiel's own states alone, and is given them."""
    file = tmp_path / "searcher.py"
    file.write_text(
        "import pyspiel\n"
        'game = pyspiel.load_game("mancala")\n'
        "bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 20, 10, True, 1, "
        "False)\n"
    )
    player, board = make_player(f"openspiel:{file}"), Board.start()
    player.new_game(1)
    while not board.is_over:
        pit = player.choose(board).pit if board.player == 1 else board.legal()[-1]
        board = board.sow(pit).board
    player.close()


@pytest.mark.parametrize("name", ["openspiel-mcts:simulations=20", "openspiel-alphabeta:depth=2"])
def test_openspiels_searches_play_from_any_position_under_any_rules(name: str) -> None:
    """From the start they are asked about OpenSpiel's states, elsewhere about ours."""
    opening = Board.from_text("<6,3,5,7,5,0,1,6,0,0,0,7,3,2,9>")
    player = make_player(name)
    for start in (Board.start(), opening, Board.start(Rules(pits=4, seeds=3, relap=True))):
        player.new_game(1)
        board = start
        while not board.is_over:
            board = board.sow(player.choose(board).pit).board
    player.close()


def test_debians_program_plays_games_from_their_start() -> None:
    """Each of its answers is a legal one, with the other player's pits as they were."""
    folder, _ = fetched(PUBLISHED["Debian's `mancala`"], newest=False)
    rng = random.Random(seed())
    for level, seeds in ((1, 4), (3, 6), (5, 10)):
        program = folder / "usr" / "games" / "mancala"
        player = make_player(f"debian-mancala:level={level},program={program}")
        for seat in (0, 1):
            player.new_game(1)
            board = Board.start(Rules(seeds=seeds))
            while not board.is_over:
                own = board.player == seat
                pit = player.choose(board).pit if own else rng.choice(board.legal())
                board = board.sow(pit).board
        player.close()


def _shown(rng: random.Random) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []

    def agent(seen: dict[str, Any]) -> dict[str, int]:
        if seen["step"] == 0:
            return {"submission": 0}
        shown.append(dict(seen))
        state = pyspiel().deserialize_game_and_state(seen["serializedGameAndState"])[1]
        return {"submission": rng.choice(state.legal_actions())}

    kaggle().make("open_spiel_mancala").run([agent, agent])
    return shown


ANSWERS = {
    "alone": "move",
    "object": '{"submission": move}',
    "more": '{"submission": move, "thoughts": "x"}',
    "text": '{"submission": str(move)}',
    "other": '{"move": move}',
    "nothing": "None",
    "raises": "1 / 0",
}
"""What an agent answers, as source code."""
AGENT = """import json
def agent(observation, configuration):
    if observation.step == 0:
        return {"submission": 0}
    seen = json.loads(observation.observationString)
    player = seen["current_player"]
    move = next(p + 1 + 7 * player for p in range(6) if seen["pits"][str(player)][p])
"""


def test_an_agent_is_shown_what_kaggle_shows() -> None:
    """Field by field, in each position of random games; here there is no overage time."""
    rng = random.Random(seed())
    for _ in range(GAMES // 10):
        shown = _shown(rng)
        state = KalahGame(KALAH).new_initial_state()
        for theirs, after in zip(shown, [*shown[1:], None], strict=True):
            ours = dict(platforms.observation(state))
            del ours["remainingOverageTime"], theirs["remainingOverageTime"]
            assert ours == theirs
            if after is not None:
                state.apply_action(json.loads(after["observationString"])["last_action"])


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_counts_here_where_it_counts_on_kaggle(tmp_path: Path, answer: str) -> None:
    """Whatever else is answered loses, or ends the game, in both."""
    file = tmp_path / "submission.py"
    file.write_text(f"{AGENT}    return {ANSWERS[answer]}\n")
    environment = kaggle().make("open_spiel_mancala")
    environment.run([str(file), "random"])
    is_answer = len(environment.steps) > 3
    player = make_player(f"kaggle:{file}")
    player.new_game(1)
    if is_answer:
        assert player.choose(Board.start()).pit == 0
    else:
        with pytest.raises(PlayerError):
            player.choose(Board.start())
    player.close()
