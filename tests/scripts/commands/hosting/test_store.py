"""``mancala store``, as an organiser types it."""

from itertools import islice
from pathlib import Path
from typing import Any

from mancala.protocol import codec
from mancala.scripts.bench.serving.store_archive import Size, make, played
from mancala.server.store.carrying.moving import downgrade_store
from mancala.server.store.database.packed import pack
from tests.scripts.commands.results import mancala

SMALL = Size(games=40, entrants=5, pairings=10, members=2)


def test_a_store_of_the_version_before_goes_back_and_forth(tmp_path: Path) -> None:
    """Each command prints the same digest of the same games."""
    place = str(tmp_path / "store.sqlite3")
    make(place, SMALL)
    found = []
    for verb in ("upgrade", "digest", "downgrade", "upgrade"):
        done = mancala("store", verb, "--store", place, "--json")
        assert done.exit_code == 0, done.output
        found.append(codec.from_json(done.stdout, dict[str, int | str]))
    assert found[0]["games"] == SMALL.games
    assert found == [found[0]] * len(found)
    assert "; there was nothing to upgrade" in mancala("store", "upgrade", "--store", place).output


def test_a_store_in_another_form_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Reading does not change it."""
    place = str(tmp_path / "store.sqlite3")
    make(place, SMALL)
    downgrade_store(place)
    done = mancala("store", "digest", "--store", place)
    assert done.exit_code == 1
    assert "another version: 0019" in done.output


def test_a_copy_has_the_digest_of_the_store(tmp_path: Path) -> None:
    """A second copy to the same place is refused in one sentence."""
    place, copy = str(tmp_path / "store.sqlite3"), str(tmp_path / "copy.sqlite3")
    make(place, SMALL)
    digest = mancala("store", "digest", "--store", place, "--json")
    done = mancala("store", "copy", place, copy, "--json")
    assert done.exit_code == 0, done.output
    assert done.stdout == digest.stdout
    again = mancala("store", "copy", place, copy)
    assert again.exit_code == 1
    assert "a store at the target already" in again.stderr


def test_a_game_is_shown_as_the_store_holds_it(tmp_path: Path) -> None:
    """Its row, its packed moves with their version, and each move; an unknown one is an error."""
    place = str(tmp_path / "store.sqlite3")
    make(place, SMALL)
    [first] = list(islice(played(SMALL), 1))
    shown = mancala("store", "show", first.id, "--store", place, "--json")
    found = codec.from_json(shown.stdout, dict[str, Any])
    assert found["version"] == 3
    assert bytes.fromhex(found["packed"]) == pack(first.moves)
    assert [move["pit"] for move in found["moves"]] == [move.pit for move in first.moves]
    text = mancala("store", "show", first.id, "--store", place).stdout
    assert "version 3" in text
    assert f"  0  pit {first.moves[0].pit}" in text
