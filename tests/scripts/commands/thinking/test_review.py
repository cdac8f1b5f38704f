"""``mancala review`` as a user types it."""

from pathlib import Path
from typing import Any

import pytest

from mancala.engine.game_reviews import read_records
from mancala.protocol import codec
from mancala.protocol.record import GameRecord, RecordedMove, to_text
from mancala.protocol.referee import outcome
from mancala.protocol.results import Contestant
from mancala.protocol.rules import Board, Rules
from tests.scripts.commands.results import mancala, refusal_of, result_of

RULES = Rules(pits=3, seeds=3)


def review(*arguments: str) -> dict[str, Any]:
    return result_of("review", *arguments)


def untimed(told: dict[str, Any]) -> dict[str, Any]:
    game: dict[str, Any] = told["games"][0]
    del game["review"]["seconds"]
    return game


def record(game: str = "1") -> GameRecord:
    board, moves = Board.start(RULES), list[RecordedMove]()
    while not board.is_over:
        moves.append(RecordedMove(board.player, board.legal()[0]))
        board = board.sow(board.legal()[0]).board
    players = (Contestant("ada"), Contestant("bob"))
    return GameRecord(game, RULES, players, Board.start(RULES).state, tuple(moves), outcome(board))


def test_every_move_has_its_loss_and_every_player_an_accuracy(tmp_path: Path) -> None:
    """The contract's keys, for a game small enough to be known in full."""
    path = tmp_path / "game.json"
    path.write_bytes(codec.to_json(record(), indent=True))
    told = review(str(path))
    (game,) = told["games"]
    assert [move["pit"] for move in game["moves"]] == [move.pit for move in record().moves]
    assert all({"ply", "pit", "loss"} <= move.keys() for move in game["moves"])
    assert all(move["loss"] >= 0 for move in game["moves"])
    assert 0 <= game["accuracy"] <= 1
    assert [player["name"] for player in told["players"]] == ["ada", "bob"]


def test_records_are_read_in_every_form_they_are_written_in(tmp_path: Path) -> None:
    """A JSON document, lines of them, the text form, and folders of records."""
    lines = tmp_path / "games.jsonl"
    lines.write_bytes(b"\n".join(codec.to_json(record(str(number))) for number in range(3)))
    text = tmp_path / "game.txt"
    text.write_text(to_text(record()))
    assert len(review(str(lines))["games"]) == 3
    assert len(review(str(text), str(lines))["games"]) == 4
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1.json").write_bytes(codec.to_json(record()))
    assert len(review(str(folder))["games"]) == 1
    assert untimed(review(str(text))) == untimed(review(str(folder)))


def test_an_events_folder_is_reviewed_as_it_is(tmp_path: Path) -> None:
    """What ``tournament`` keeps can be handed over."""
    arguments = ("random", "greedy", "--rules", "kalah:pits=3,seeds=2", "--dir", str(tmp_path))
    assert mancala("tournament", *arguments).exit_code == 0
    assert len(review(str(tmp_path))["games"]) == 2


def test_a_review_depends_on_no_game_before_it(tmp_path: Path) -> None:
    """The lines that it shows among equals were those that an earlier game had left behind."""
    games = ("random", "greedy", "--rules", "kalah:seeds=3", "--games", "4", "--dir", str(tmp_path))
    assert mancala("tournament", *games).exit_code == 0
    *_, last = (tmp_path / "games.jsonl").read_text().splitlines()
    (tmp_path / "last.json").write_text(last)
    together = review(str(tmp_path), "--time", "60")
    alone = review(str(tmp_path / "last.json"), "--time", "60")
    together["games"] = together["games"][-1:]
    assert untimed(together) == untimed(alone)


def test_text_names_losses_and_accuracies(tmp_path: Path) -> None:
    """A person reads one line a move, and one a player."""
    path = tmp_path / "game.json"
    path.write_bytes(codec.to_json(record()))
    shown = mancala("review", str(path)).stdout
    assert "game 1: ada against bob" in shown
    assert "ada: accuracy" in shown


@pytest.mark.parametrize("content", ["", "{", "{}", "hello", '{"schema":"mancala.game_record.v1"}'])
def test_what_is_no_record_is_named_with_code_2(tmp_path: Path, content: str) -> None:
    """A wrong file is distinguished from a badly played game."""
    path = tmp_path / "game.json"
    path.write_text(content)
    said = refusal_of("review", str(path))
    assert said.startswith(f"mancala: {path}: not a game record: ")
    assert said.count("\n") == 1


def test_a_record_that_lies_is_refused(tmp_path: Path) -> None:
    """A record whose moves the rules do not allow is not reviewed, and says where it lies."""
    lie = codec.to_json(record()).replace(b'"pit":0', b'"pit":2', 1)
    (tmp_path / "game.json").write_bytes(lie)
    assert "game 1: at ply" in refusal_of("review", str(tmp_path / "game.json"))


def test_a_journal_without_its_end_is_reviewed_and_another_file_named_by_its_line(
    tmp_path: Path,
) -> None:
    """A match that was killed leaves half a line, and a folder may hold many files."""
    game = b'{"number":0,"record":' + codec.to_json(record()) + b"}\n"
    (tmp_path / "games.jsonl").write_bytes(game + game[:100])
    assert len(result_of("review", str(tmp_path), "--time", "0")["games"]) == 1
    (tmp_path / "games.jsonl").rename(tmp_path / "out.jsonl")
    assert "not a game record: out.jsonl: line 2: " in refusal_of("review", str(tmp_path))


def test_only_the_half_of_a_line_is_left_out_of_a_journal(tmp_path: Path) -> None:
    """One made by hand lost its last game, and all where it was UTF-16."""
    journal = tmp_path / "games.jsonl"
    game = codec.to_json(record()).replace(b"ada", "adé".encode()).decode()
    for text, games in ((game, 1), (f"{game}\n{game}", 2), (f"{game}\n{game[:100]}", 1), ("{", 0)):
        for encoding in ("utf-8", "utf-16"):
            journal.write_bytes(text.encode(encoding))
            assert len(read_records(tmp_path)) == games
    half = game.encode()[: game.index("é") + 1]
    journal.write_bytes(f"{game}\n".encode() + half)
    assert len(read_records(tmp_path)) == 1
    journal.write_bytes(f"{game}\n{{}}\n".encode() + half)
    assert "not a game record: games.jsonl: line 2: " in refusal_of("review", str(tmp_path))


def test_a_server_that_is_away_is_one_line_and_code_1() -> None:
    """As for every command that needs one."""
    result = mancala("review", "--server", "http://127.0.0.1:1", "--bot", "ann", "--lost")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
