"""What reviews say about lost games, against proofs of another solver."""

import json
from itertools import count
from pathlib import Path

import pytest
from msgspec import structs
from typer import Exit

from mancala.engine.game_reviews import loser_of, review
from mancala.protocol import codec
from mancala.protocol.record import GameRecord
from mancala.protocol.review import Lost, Result, how_lost
from mancala.protocol.rules import Rules
from mancala.scripts.bench.search.losing import WinnerProver, checked, main
from mancala.server.contest.headless.game import Task, play
from tests.seeds import seed
from tests.server.contest.headless.players import AnyPitPlayer, conditions

SMALL = Rules(pits=4, seeds=3)
REVIEW_S = 0.02
PROOF_S = 5.0


def games(number: int) -> list[GameRecord]:
    players, rules, ticks = (AnyPitPlayer(), AnyPitPlayer()), conditions(SMALL), count()
    first = 1000 * seed()
    return [
        play(Task(each, ("ada", "bob")), players, rules, lambda: float(next(ticks))).record
        for each in range(first, first + number)
    ]


def test_reviews_of_random_games_claim_nothing_false(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each losing move lost the game, and each game lost from the start was: by proof."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n".join(map(codec.to_json, games(30))))
    capsys.readouterr()  # the seed
    with pytest.raises(Exit) as ended:
        main([path], time=REVIEW_S, proof=PROOF_S)
    told = json.loads(capsys.readouterr().out)
    assert (ended.value.exit_code, told["games"], told["faults"]) == (0, 30, 0), told
    assert sum(times for claim, times in told["claims"].items() if claim.endswith("true")) > 10


def test_a_false_claim_is_found() -> None:
    """A move that gave up a draw did not give up a win, and the other way round."""
    prover = WinnerProver(PROOF_S)
    for record, found in review(games(20), time_s=REVIEW_S):
        loser = loser_of(record)
        if loser is None or found.losing is None or how_lost(found.plies, loser) != Lost.BY_MOVE:
            continue
        assert checked(record, found, loser, prover).endswith(": true")
        other = Result.DRAW if found.losing.kept == Result.WIN else Result.WIN
        spoilt = structs.replace(found, losing=structs.replace(found.losing, kept=other))
        assert checked(record, spoilt, loser, prover).endswith(": false")
        return
    pytest.fail("no game was lost by a move")
