"""Levels below the engine's as players of a server, or of a person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot import GameResult
from bot.client.bot import as_choice
from bot.players.registry import make_player
from bot.players.skill import AmateurPlayer
from engine.reports import Limit
from engine.skill import HANDICAPS, SkillLevel
from protocol.messages import Reason
from protocol.player import Choice
from protocol.rules import Board, Rules
from tests.bot.players.turns import question


async def pits_of(player: AmateurPlayer, game: str, count: int = 12) -> list[int]:
    """Ask for the first moves of a game."""
    turn, pits = question(), []
    for _ in range(count):
        turn = replace(turn, game=replace(turn.game, id=game))
        pits.append((await player.choose(turn)).pit)
        turn = question(turn.board.sow(pits[-1]).board)
    return pits


async def test_seeded_games_come_in_the_same_order_again() -> None:
    """With a seed the first game is the same again, and the second is another than the first."""
    games = []
    for _ in range(2):
        player = AmateurPlayer(Limit(), SkillLevel(level=2, seed=5))
        await player.warm_up()
        games.append([await pits_of(player, "a"), await pits_of(player, "b")])
        await player.close()
    assert games[0] == games[1]
    assert games[0][0] != games[0][1]


async def test_without_a_seed_no_game_is_like_the_last() -> None:
    """Whoever plays a level twice meets another game, but for a seed."""

    async def game(spec: str, seed: int | None) -> list[int]:
        player = make_player(spec, seed=seed)
        assert isinstance(player, AmateurPlayer)
        pits = await pits_of(player, "a", 20)
        await player.close()
        return pits

    assert await game("engine:level=1", None) != await game("engine:level=1", None)
    assert await game("engine:level=1", 4) == await game("engine:level=1,seed=4", None)


async def test_a_question_without_time_gets_a_glance() -> None:
    """The clock comes first: what is late costs the quality of the move and not the game."""
    player = make_player("engine:level=9")
    hurried = as_choice(await player.choose(question(budget_s=1e-9)))
    assert hurried.info is not None
    assert hurried.info.depth == 1
    at_leisure = as_choice(await player.choose(question()))
    assert at_leisure.info is not None
    assert at_leisure.info.depth == HANDICAPS[8].plies
    await player.close()


async def test_a_finished_game_is_forgotten_and_rules_may_change() -> None:
    """A bot of years keeps nothing of each game, and plays whatever it is asked to."""
    player = AmateurPlayer(Limit(), SkillLevel(level=3))
    for number in range(3):
        board = Board.start(Rules(pits=3 + 5 * number, seeds=3))
        turn = question(board)
        choice = await player.choose(replace(turn, game=replace(turn.game, id=str(number))))
        assert isinstance(choice, Choice)
        assert choice.pit in board.legal()
        player.game_over(GameResult(str(number), "m1", "rival", 0, None, (9, 9), Reason.NORMAL))
    assert vars(player)["_games"] == {}
    await player.close()


@pytest.mark.parametrize("spec", ["engine:level=10", "engine:level=10,seed=3,nodes=500"])
async def test_the_tenth_level_is_the_engine(spec: str) -> None:
    """Level 10 takes the engine's options, and a seed that it has no use for."""
    player = make_player(spec)
    assert not isinstance(player, AmateurPlayer)
    await player.close()
