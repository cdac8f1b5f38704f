"""``mancala match`` as a user types it, with worker processes."""

import json
import os
import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from typer import Exit

from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord, verify
from mancala.scripts.commands.playing.match import GameFileOptions
from mancala.server.contest.headless.journal import GAMES, EventJournal
from mancala.server.contest.headless.played_game import PlayedGame
from tests.engine.full_disk import full_disk
from tests.protocol.test_record import random_game
from tests.scripts.commands.results import by_one_worker, mancala, refusal_of, result_of

PROMISED = {"wins", "draws", "losses", "score", "elo", "elo_error", "los", "pairs"}


def match(*arguments: str) -> dict[str, Any]:
    return result_of("match", *by_one_worker(arguments))


def games_in(path: Path) -> list[PlayedGame]:
    return [PlayedGame.from_line(line) for line in path.read_bytes().splitlines()]


def test_a_match_tells_its_score_and_keeps_its_games(tmp_path: Path) -> None:
    """The result adds up, every opening is played twice with the seats swapped, once an event."""
    out, records = tmp_path / "games.jsonl", tmp_path / "records"
    arguments = ("--games", "8", "--concurrency", "2", "--out", str(out), "--records", str(records))
    result = mancala("match", "random", "engine:nodes=20", *arguments, "--json")
    assert "--records is deprecated" in result.stderr
    told = json.loads(result.stdout)
    assert told.keys() >= PROMISED
    assert told["wins"] + told["draws"] + told["losses"] == 8
    assert told["pairs"] == 4
    games = games_in(out)
    assert [game.number for game in games] == list(range(8))
    for one, two in zip(games[::2], games[1::2], strict=True):
        assert one.record.opening == two.record.opening
        assert one.record.players == two.record.players[::-1]
    assert len({str(game.record.opening) for game in games}) == 4
    kept = sorted(records.glob("*.json"))
    assert len(kept) == 8
    for path in kept:
        verify(codec.from_json(path.read_bytes(), GameRecord))


@pytest.mark.parametrize("full", ["--out", "--records"])
def test_a_full_disk_is_named_by_what_is_on_it(
    full: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One at --records was said of the file of --out."""
    out = Path("/dev/full" if full == "--out" else os.devnull)
    game = Mock(number=0, line=b"{}", record=random_game(), stderr=())
    with ExitStack() as stack, full_disk(0), pytest.raises(Exit):
        GameFileOptions(records=tmp_path, out=out).opened(stack)([game])
    *_, said = capsys.readouterr().err.splitlines()
    assert said.startswith(f"mancala: {out if full == '--out' else tmp_path / '000000.json'}: ")


def test_the_same_seed_plays_identical_games_on_one_worker_or_two(tmp_path: Path) -> None:
    """With limits of nodes or depth, games do not depend on who played them, or when."""
    kept = []
    for workers in ("1", "2"):
        out = tmp_path / workers
        match(
            "mcts:playouts=5",
            "engine:depth=2",
            *("--games", "12", "--seed", "5", "--concurrency", workers, "--out", str(out)),
        )
        kept.append([tuple(move.pit for move in game.record.moves) for game in games_in(out)])
    assert kept[0] == kept[1]


def test_a_test_ends_the_match_with_its_verdict(tmp_path: Path) -> None:
    """A sequential test stops as soon as the stronger player is proven so, and keeps its games."""
    home, asked = tmp_path / "match", ("engine:nodes=100", "random", "--games", "400")
    told = match(*asked, "--sprt", "0", "100", "--dir", str(home))
    assert told["verdict"] == "H1"
    assert told["llr"] > 0
    assert told["games"] < 400
    assert len(games_in(home / GAMES)) == told["games"]


def test_a_program_that_crashes_loses_and_does_not_stop_the_match(tmp_path: Path) -> None:
    """A broken bot costs its author games, and the organiser nothing."""
    bot = tmp_path / "bot.py"
    bot.write_text("import sys; sys.stdin.readline(); sys.exit('boom')")
    out = tmp_path / "games.jsonl"
    told = match(f"broken=cmd:{sys.executable} {bot}", "random", "--games", "4", "--out", str(out))
    assert told["players"] == ["broken", "random"]
    assert told["losses"] == 4
    assert told["reasons"] == {"disconnected": 4}
    results = [game.record.result for game in games_in(out)]
    assert all(result is not None and result.reason is Reason.DISCONNECTED for result in results)
    assert all(game.stderr[0].line == "boom" for game in games_in(out))


def test_a_match_of_forfeits_says_so_instead_of_an_elo() -> None:
    """It said Elo -656.9 ± 967.3, and without the forfeits +0.0 ± 2217.4."""
    crash = f"cmd:{sys.executable} -c exit(3)"
    told = mancala("match", *by_one_worker((crash, "random", "--games", "2"))).stdout
    assert "by forfeits: no pair says how strong the players are" in told
    assert "Elo" not in told


def test_players_of_one_text_are_told_apart() -> None:
    """A player may meet itself; the second gets a number."""
    told = match("random", "random", "--games", "2", "--rules", "kalah:pits=3,seeds=2")
    assert told["players"] == ["random", "random#2"]


def test_an_odd_number_of_games_becomes_whole_pairs() -> None:
    """Seats are always swapped; a fifth game gets its sixth, and stderr says so."""
    result = mancala("match", *by_one_worker(("random", "greedy", "--games", "1")), "--json")
    assert json.loads(result.stdout)["games"] == 2
    assert "games come in pairs" in result.stderr


def test_a_match_cut_short_is_resumed_to_the_same_score(tmp_path: Path) -> None:
    """Wherever the journal was cut, the match resumed ends as the one left alone, with its test."""
    rules = ("--rules", "kalah:pits=3,seeds=2")
    asked = ("random", "greedy", "--games", "8", *rules, "--sprt", "0", "400")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    score = match(*asked, "--dir", str(whole))
    match(*asked, "--dir", str(cut))
    lines = (cut / GAMES).read_bytes().splitlines(keepends=True)
    (cut / GAMES).write_bytes(lines[0] + lines[1][:40])
    result = mancala("match", "--resume", str(cut), "--games", "20", "--json")
    assert "dropped 40 bytes" in result.stderr
    assert "--games: what is resumed keeps its own" in result.stderr
    resumed = json.loads(result.stdout)
    timing = {"seconds", "plies_per_second"}
    assert {key: resumed[key] for key in resumed.keys() - timing} == {
        key: score[key] for key in score.keys() - timing
    }
    assert "another test" in refusal_of("match", "--resume", str(cut), "--sprt", "0", "300")
    last = mancala("match", "--resume", str(cut)).stdout.splitlines()[-1]
    assert last == f"0 games (and {score['games']} before) in 0.0 s, 0 plies a second"


def test_ctrl_c_ends_a_match_with_its_score_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The summary says that it was interrupted, stderr how to go on, and the code is 130."""

    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(EventJournal, "add", interrupted)
    result = mancala("match", "random", "greedy", "--dir", str(tmp_path / "m"), "--json")
    signal.signal(signal.SIGINT, before)
    assert result.exit_code == 130
    told = json.loads(result.stdout)
    assert told["interrupted"]
    assert (told["games"], told["score"], told["elo"]) == (0, None, None)
    assert f"mancala match --resume {tmp_path / 'm'}" in result.stderr
