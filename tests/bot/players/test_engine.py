"""The engine as players: full strength, few nodes, and levels below."""

from dataclasses import replace

import pytest

from mancala.bot import Bot, GameResult
from mancala.bot.client.bot import as_choice
from mancala.bot.players.engine import EnginePlayer, FixedNodePlayer, LevelPlayer, limit_within
from mancala.bot.players.host import PlayerBot
from mancala.bot.players.registry import make_bot, make_player
from mancala.engine.search.reports import Limit
from mancala.engine.skill import HANDICAPS, SkillLevel
from mancala.protocol.messages import Info, Reason
from mancala.protocol.player import Budget, Choice, Player
from mancala.protocol.rules import KALAH, OWARE, Board, Rules
from tests.bot.players.turns import question

HEADLESS = Budget(0.01, 1.0, enforced=False)


async def pits_of(player: Bot, game: str, count: int = 12) -> list[int]:
    turn, pits = question(), list[int]()
    while len(pits) < count and turn.legal:
        turn = replace(turn, game=replace(turn.game, id=game))
        pits.append(as_choice(await player.choose(turn)).pit)
        turn = question(turn.board.sow(pits[-1]).board)
    return pits


@pytest.mark.parametrize(
    "spec", ["engine:depth=5", "engine:nodes=2000", "engine:nodes=200000,depth=5"]
)
def test_a_game_whose_positions_repeat_is_played_by_a_plain_search(spec: str) -> None:
    """It captures what it can, proves nothing, and plays the same again."""
    start = Board.from_text("<6,9,9,1,0,0,0,0,4,4,1,2,9,9,0>", OWARE)
    choices = []
    for _ in range(2):
        player = make_player(spec)
        player.warm_up(OWARE)
        player.new_game(1)
        choices.append(player.choose(start, HEADLESS))
    found = choices[0].info
    assert choices[0].pit == choices[1].pit == 5
    assert found is not None
    assert (found.depth, found.exact) == (5 if "5" in spec else found.depth, False)


def test_a_level_keeps_its_whims_and_its_bounds_where_positions_repeat() -> None:
    """Another game has other moves, the same one the same; level 9 searches few nodes."""
    played = []
    for game in (1, 1, 2, 3, 4, 5):
        player = make_player("engine:level=1,seed=7")
        player.warm_up(OWARE)
        player.new_game(game)
        played.append(player.choose(Board.start(OWARE), HEADLESS).pit)
    assert played[0] == played[1]
    assert len(set(played)) > 1
    found = make_player("engine:level=9").choose(Board.start(OWARE).sow(0).board, HEADLESS).info
    assert found is not None
    assert found.nodes is not None
    assert found.nodes <= HANDICAPS[8].nodes


async def test_seeded_games_come_in_the_same_order_again() -> None:
    """With a seed the first game is the same again, and the second is another than the first."""
    games = []
    for _ in range(2):
        player = PlayerBot(lambda: LevelPlayer(Limit(), SkillLevel(level=2, seed=5)))
        await player.warm_up()
        games.append([await pits_of(player, "a"), await pits_of(player, "b")])
        await player.close()
    assert games[0] == games[1]
    assert games[0][0] != games[0][1]


async def test_without_a_seed_no_game_is_like_the_last() -> None:
    """A level plays a different game each time, unless it has a seed."""

    async def game(spec: str, seed: int | None) -> list[int]:
        player = make_bot(spec, seed=seed)
        pits = await pits_of(player, "a", 20)
        await player.close()
        return pits

    assert await game("engine:level=1", None) != await game("engine:level=1", None)
    assert await game("engine:level=1", 4) == await game("engine:level=1,seed=4", None)


async def test_a_question_without_time_gets_a_glance() -> None:
    """The clock comes first: what is late costs the quality of the move and not the game."""
    player = make_bot("engine:level=7")
    hurried = as_choice(await player.choose(question(budget_s=1e-9)))
    assert hurried.info is not None
    assert hurried.info.depth == 1
    at_leisure = as_choice(await player.choose(question()))
    assert at_leisure.info is not None
    assert at_leisure.info.depth == HANDICAPS[6].plies
    await player.close()


async def test_a_finished_game_is_forgotten_and_rules_may_change() -> None:
    """A bot of years keeps nothing of each game, and plays whatever it is asked to."""
    player = PlayerBot(lambda: LevelPlayer(Limit(), SkillLevel(level=3)))
    for number in range(3):
        board = Board.start(Rules(pits=3 + 5 * number, seeds=3))
        turn = question(board)
        choice = await player.choose(replace(turn, game=replace(turn.game, id=str(number))))
        assert isinstance(choice, Choice)
        assert choice.pit in board.legal()
        player.game_over(GameResult(str(number), "m1", "rival", 0, None, (9, 9), Reason.NORMAL))
    assert vars(player)["_games"] == {}
    await player.close()


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("engine:level=10", EnginePlayer),
        ("engine:level=10,seed=3,nodes=100000", EnginePlayer),
        ("engine:level=9", LevelPlayer),
        ("engine:nodes=500", FixedNodePlayer),
        ("engine:nodes=500,movetime=1", EnginePlayer),
    ],
)
def test_options_decide_who_searches(spec: str, kind: type[Player]) -> None:
    """Level 10 is the engine itself, and a few nodes a move need neither clock nor slices."""
    assert type(make_player(spec)) is kind


@pytest.mark.parametrize(
    "spec",
    [
        "engine:depth=3",
        "engine:nodes=5",
        "engine:nodes=5000",
        "engine:level=1",
        "engine:level=9,depth=4",
        "random",
        "greedy",
        "mcts:playouts=5",
    ],
)
def test_every_player_plays_the_same_game_again(spec: str) -> None:
    """With the same seed, limits of depth or nodes give the same moves, whatever came before."""

    def moves() -> list[int]:
        board = Board.start(KALAH)
        pits: list[int] = []
        player.new_game(7)
        while len(pits) < 20 and not board.is_over:
            pits.append(player.choose(board, HEADLESS).pit)
            board = board.sow(pits[-1]).board
        return pits

    player = make_player(spec)
    player.warm_up(KALAH)
    first = moves()
    player.new_game(8)
    player.choose(Board.from_text("<6,2,1,0,5,5,4,4,4,4,4,4,4,4,3>"), HEADLESS)
    assert moves() == first
    assert player.drain_stderr() == []
    player.close()


def test_what_was_proven_in_one_game_says_nothing_in_the_next() -> None:
    """The value that one game's opening was proven to have once guided the next game's search."""
    one = Board.from_text("<6,9,3,5,1,0,6,2,4,3,0,4,6,1,4>")
    other = Board.from_text("<6,3,9,0,6,3,0,4,4,5,1,2,5,0,6>")

    def found(*, after: bool) -> Info | None:
        player = make_player("engine:nodes=400000")
        if after:
            player.choose(one, HEADLESS)
        player.new_game(1)
        return player.choose(other, HEADLESS).info

    fresh, later = found(after=False), found(after=True)
    assert fresh is not None
    assert later is not None
    assert (fresh.nodes, fresh.depth, fresh.value) == (later.nodes, later.depth, later.value)


def test_an_only_move_costs_no_more_than_a_glance() -> None:
    """Where there is nothing to choose, a million nodes are not spent on it."""
    forced = Board.from_text("<6,0,0,0,0,0,0,0,9,9,9,9,9,9,9>")
    pit, info = make_player("engine:nodes=1000000").choose(forced, HEADLESS)
    assert pit == 5
    assert info is not None
    assert info.nodes is not None
    assert info.nodes < 10_000


def test_an_engine_of_few_nodes_keeps_its_limit_to_the_node() -> None:
    """``engine:nodes=30`` searches thirty positions, not a slice of a thousand."""
    info = make_player("engine:nodes=30").choose(Board.start(KALAH), HEADLESS).info
    assert info is not None
    assert info.nodes == 30


def test_only_an_enforced_budget_bounds_a_search_with_a_limit_of_its_own() -> None:
    """Headless, a limit of depth is reached whatever the budget; on a server the clock is first."""
    limit = Limit(depth=4)
    assert limit_within(limit, Budget(0.1, 1.0, enforced=False)) == limit
    assert limit_within(limit, Budget(0.1, 1.0)) == Limit(depth=4, time_s=0.1)
    assert limit_within(Limit(), Budget(0.1, 1.0, enforced=False)) == Limit(time_s=0.1)


def test_games_of_a_beginner_differ_by_their_seeds() -> None:
    """A level is a headless player as any other, and its whims come from the game's seed."""
    player, pits = make_player("engine:level=1"), set()
    for seed in range(100):
        player.new_game(seed)
        pits.add(player.choose(Board.start(KALAH), HEADLESS).pit)
    assert len(pits) > 1
