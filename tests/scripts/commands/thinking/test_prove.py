"""Campaigns of ``mancala prove``, and the check of their certificates."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from mancala.scripts.mancala import build
from tests.scripts.commands.results import assert_usage_error, result_of
from tests.seeds import seed

KILLED = """
import os, signal, sys
from mancala.engine.campaign.journal import CampaignJournal
left, add = int(sys.argv.pop(1)), CampaignJournal.add
def add_or_die(self, entry):
    global left
    left -= 1
    if left < 0:
        os.write(self._file._file.fileno(), b'0123abcd {"type":"pr')
        os.kill(os.getpid(), signal.SIGKILL)
    add(self, entry)
CampaignJournal.add = add_or_die
from mancala.__main__ import main
main()
"""
"""The command, killed while it writes a line, after as many whole lines as its first argument."""
SMALL = ("--tables", "6", "--threads", "1")


def test_a_small_game_is_proven_and_its_certificate_is_good(tmp_path: Path) -> None:
    """Kalah(4,3) is worth 6; what is proven of it stands a check of every leaf."""
    home = str(tmp_path / "campaign")
    answer = result_of("prove", "kalah:4,3", "--dir", home, *SMALL)
    assert answer["low"] == answer["high"] == answer["value"] == 6
    assert answer["exact"]
    assert answer["proven"] > 0
    assert answer["nodes"] > 0
    assert answer["remaining"] is None
    assert answer["best"] in {move["pit"] for move in answer["moves"] if move["value"] == 6}
    assert answer["expected_collisions"] < 1e-9
    verdict = result_of("prove", "--check", home, "--samples", "1000", *SMALL)
    assert verdict["ok"]
    assert verdict["checked"] == verdict["leaves"] > 0
    assert (verdict["low"], verdict["high"]) == (6, 6)


def test_the_start_may_be_given_as_options_or_as_a_board(tmp_path: Path) -> None:
    """All ways to name the start of Kalah(4,2) lead to the same value."""
    starts = (
        ("kalah:pits=4,seeds=2",),
        ("--pits", "4", "--seeds", "2"),
        ("<4,0,0,2,2,2,2,2,2,2,2>",),
    )
    for number, start in enumerate(starts):
        answer = result_of("prove", *start, "--dir", str(tmp_path / str(number)), *SMALL)
        assert answer["value"] == 6


def test_out_of_time_a_campaign_says_what_remains_and_goes_on(tmp_path: Path) -> None:
    """Without time there are true bounds and an estimate; resumed, the value is found."""
    home = str(tmp_path / "campaign")
    answer = result_of("prove", "kalah:5,3", "--dir", home, "--seconds", "0", *SMALL)
    assert answer["value"] is None
    assert answer["low"] <= 6 <= answer["high"]
    assert answer["asked"] is not None
    assert answer["remaining"]["nodes"] > 0
    again = result_of("prove", "--dir", home, "--resume", "--all-moves", *SMALL)
    assert again["value"] == 6
    assert all(move["exact"] for move in again["moves"])
    assert again["nodes"] > answer["nodes"]


def test_a_campaign_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Killed twice in the middle of a line, it removes the line and proves Kalah(5,3)."""
    rng = random.Random(seed())
    home = str(tmp_path / "campaign")
    command = ["prove", "kalah:5,3", "--dir", home, "--json", *SMALL]
    for resume in ([], ["--resume"]):
        lines = str(rng.randrange(1, 9))  # of 21 that the whole proof takes
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, lines, *command, *resume],
            capture_output=True,
            check=False,
        )
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    result = CliRunner().invoke(build(), [*command, "--resume"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["value"] == 6
    assert "removed 20 bytes" in result.stderr


def test_a_false_certificate_is_refused(tmp_path: Path) -> None:
    """A certificate whose leaves were made stronger fails with code 1 and names what is wrong."""
    home = tmp_path / "campaign"
    result_of("prove", "kalah:4,3", "--dir", str(home), *SMALL)
    header, *lines = (home / "certificate.jsonl").read_text().splitlines()
    claims = [json.loads(line) for line in lines]
    for claim in claims:
        claim["value"] += 2 if claim["bound"] == "low" else -2
    forged = tmp_path / "forged.jsonl"
    told = (json.dumps(claim, separators=(",", ":")) for claim in claims)
    forged.write_text("".join(f"{line}\n" for line in (header, *told)))
    result = CliRunner().invoke(
        build(), ["prove", "--check", str(forged), "--samples", "1000", "--json", *SMALL]
    )
    assert result.exit_code == 1
    verdict = json.loads(result.stdout)
    assert not verdict["ok"]
    assert verdict["refuted"]


def test_a_directory_is_for_one_position(tmp_path: Path) -> None:
    """Another start, other rules, a second beginning: all are refused, and the campaign stays."""
    home = ("--dir", str(tmp_path / "campaign"))
    result_of("prove", "kalah:4,1", *home, *SMALL)
    assert_usage_error("prove", "kalah:4,2", *home, "--resume")
    assert_usage_error("prove", "kalah-empty-capture:4,1", *home, "--resume")
    assert_usage_error("prove", "kalah:4,1", *home)
    assert result_of("prove", "kalah:4,1", *home, "--resume", *SMALL)["value"] == 2
