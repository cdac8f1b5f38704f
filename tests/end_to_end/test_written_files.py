"""Files that people write, as an editor of Windows saves them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mancala.engine import openings
from mancala.engine.classics import weighted
from mancala.engine.evaluation.weights import Weights
from mancala.engine.game_reviews import read_records
from mancala.protocol import codec
from mancala.protocol.rules import KALAH
from mancala.scripts.commands.hosting.host import _tokens
from mancala.scripts.commands.thinking.import_games import _text
from mancala.scripts.course.settings import SETTINGS, read_settings
from mancala.scripts.hosting.manifest import Manifest, read_manifest
from mancala.server.config.loading import event_table, load
from mancala.server.contest.live.reports import archive_of_report, text_of
from tests.protocol.test_record import random_game
from tests.server.contest.live.test_reports import PUBLISHED

BOARD: Final = "<6,3,1,0,0,8,1,1,9,5,0,2,0,9,9>"
VALUES: Final = json.dumps(
    {"version": 2, "provenance": "", "values": {"tempo": 1.0}, "pits": [], "pairs": []}
)


def _manifest(file: Path) -> Manifest:
    return read_manifest(file.read_bytes())


READERS: Final[dict[str, tuple[str, str, Callable[[Path], object]]]] = {
    "settings": ("a.toml", "port = 4711\n", load),
    "an event": ("a.toml", "name = 'cup'\n", event_table),
    "course": (SETTINGS, "games = 4\n", lambda file: read_settings(file.parent)),
    "bot.toml": ("a", "name = 'a'\nlanguage = 'c'\n", _manifest),
    "tokens": ("a.toml", "ann = 'secret'\n", _tokens),
    "lists of moves": ("a.txt", "[3, 1]\n", lambda file: _text(str(file))),
    "openings": ("a.txt", f"{BOARD}\n", lambda file: openings.read(file.read_bytes(), KALAH)),
    "weights": ("a.json", VALUES, weighted.load),
    "the engine's weights": ("a.json", VALUES, Weights.load),
    "reports": ("a.trf", PUBLISHED, lambda file: archive_of_report(text_of(file.read_bytes()))),
    "games": ("a.json", codec.to_json(random_game()).decode(), read_records),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_mark_and_line_ends_of_another_system_change_nothing(kind: str, tmp_path: Path) -> None:
    """Each reader reads the same from the file of Notepad as from that of vim."""
    name, text, read = READERS[kind]
    file = tmp_path / name
    file.write_bytes(text.encode())
    expected = read(file)
    for encoding in ("utf-8-sig", "utf-16"):
        file.write_bytes(text.replace("\n", "\r\n").encode(encoding))
        assert repr(read(file)) == repr(expected)


def test_openings_of_settings_may_have_a_mark(tmp_path: Path) -> None:
    """The file that ``openings_file`` names."""
    (tmp_path / "o.txt").write_bytes(f"{BOARD} # one\r\n".encode("utf-8-sig"))
    (tmp_path / "a.toml").write_text("[[ladder]]\nname = 'main'\nopenings_file = 'o.txt'\n")
    assert load(tmp_path / "a.toml").ladder[0].openings == (BOARD,)
