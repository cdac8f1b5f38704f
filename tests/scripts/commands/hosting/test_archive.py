"""``mancala archive``, as an organiser types it."""

from pathlib import Path

from mancala.protocol import codec
from mancala.scripts.bench.serving.store_archive import Size, make
from tests.scripts.commands.results import mancala

SMALL = Size(games=40, entrants=5, pairings=10, members=2)


def test_a_ladder_is_written_to_a_file_once(tmp_path: Path) -> None:
    """The second time nothing is new, and the digest is the same."""
    place, file = str(tmp_path / "store.sqlite3"), str(tmp_path / "main.gz")
    make(place, SMALL)
    found = []
    for _ in range(2):
        done = mancala("archive", "export", "main", file, "--store", place, "--json")
        assert done.exit_code == 0, done.output
        found.append(codec.from_json(done.stdout, dict[str, int | str]))
    assert found[0]["new"] == found[0]["games"]
    assert found[1] == {**found[0], "new": 0}


def test_what_is_wrong_is_one_sentence(tmp_path: Path) -> None:
    """A missing ladder, store or file, and a file that is something else."""
    place, file = str(tmp_path / "store.sqlite3"), tmp_path / "main.gz"
    make(place, SMALL)
    export = mancala("archive", "export", "none", str(file), "--store", place)
    assert export.exit_code == 1
    assert "no game of a ladder none" in export.stderr
    missing = mancala("archive", "import", str(file), "--store", place)
    assert missing.exit_code == 2
    assert "no such file" in missing.stderr
    file.write_text("a letter")
    other = mancala("archive", "import", str(file), "--store", place)
    assert other.exit_code == 2
    assert "is not an archive of a ladder" in other.stderr
