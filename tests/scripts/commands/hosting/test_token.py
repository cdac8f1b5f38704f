"""``mancala token`` and ``mancala backup``, as an organiser types them."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from mancala.protocol import codec
from mancala.server.app.operating import operated
from mancala.server.health.log import NullLog
from mancala.server.store.database.database import connect
from tests.scripts.commands.results import mancala
from tests.server.peers import arena, order


def test_a_token_is_shown_once(tmp_path: Path) -> None:
    """``new`` prints it, ``list`` doesn't, ``revoke`` ends it."""
    connect(str(tmp_path / "store.sqlite3")).close()
    store = ("--store", str(tmp_path / "store.sqlite3"), "--json")
    issued = codec.from_json(mancala("token", "new", "ann", *store).stdout, dict[str, str])
    assert issued["name"] == "ann"
    listed = mancala("token", "list", *store).stdout
    assert '"ann"' in listed
    assert issued["token"] not in listed
    assert mancala("token", "revoke", "ann", *store).exit_code == 0
    assert mancala("token", "revoke", "ann", *store).exit_code == 1
    assert '"revoked_at":null' not in mancala("token", "list", *store).stdout


def test_the_store_is_the_one_of_the_servers_settings(tmp_path: Path) -> None:
    """``--config`` is the file that ``serve`` is given."""
    config, place = tmp_path / "arena.toml", tmp_path / "club.sqlite3"
    config.write_text(f'name = "club"\nstore = "{place}"\n')
    connect(str(place)).close()
    assert mancala("token", "new", "ann", "--config", str(config)).exit_code == 0
    assert "ann" in mancala("token", "list", "--store", str(place)).stdout


def test_a_name_that_no_bot_can_have_is_bad_input(tmp_path: Path) -> None:
    """With code 2, before anything is written."""
    result = mancala("token", "new", "a b", "--store", str(tmp_path / "s"))
    assert result.exit_code == 2
    assert not (tmp_path / "s").exists()


def test_another_programs_database_is_not_changed(tmp_path: Path) -> None:
    """``list`` reads it, and says that it is no store."""
    place = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(place)) as other:
        other.execute("CREATE TABLE notes (line TEXT)")
    before = place.read_bytes()
    result = mancala("token", "list", "--store", str(place))
    assert result.exit_code == 2
    assert "no server's store" in result.stderr
    assert place.read_bytes() == before


async def test_a_backup_is_taken_while_the_server_runs(tmp_path: Path) -> None:
    """It is a whole store, the server notes it, and none is ever overwritten."""
    target = tmp_path / "copy.sqlite3"
    async with arena(tmp_path) as running, operated(running.server.target, NullLog()):
        await running.greet("ann")
        backup = ("backup", str(target), "--store", running.server.config.store_path)
        assert (await asyncio.to_thread(mancala, *backup, "--json")).exit_code == 0
        again = await asyncio.to_thread(mancala, *backup)
        [line] = (await order(running.server, "log"))["log"]
    assert line["changed"][0]["subject"] == str(target)
    assert again.exit_code == 1
    assert "exists" in again.stderr
    with closing(sqlite3.connect(target)) as copy:
        assert copy.execute("SELECT name FROM sessions").fetchall() == [("ann",)]


def test_a_postgresql_that_cannot_be_reached_is_one_line_without_its_password(
    tmp_path: Path,
) -> None:
    """Nothing is left behind."""
    url = "postgresql://club:secret@127.0.0.1:1/arena"
    result = mancala("backup", str(tmp_path / "copy"), "--store", url)
    assert result.exit_code == 1
    assert "connection" in result.stderr
    assert "secret" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_reviewers_token_is_listed_as_one(tmp_path: Path) -> None:
    """The right belongs to the token; a new one without it takes it away."""
    store = str(tmp_path / "store.sqlite3")
    connect(store).close()

    def listed() -> str:
        return mancala("token", "list", "--store", store).stdout

    for options, is_reviewer in ((["--reviewer"], True), ([], False)):
        issued = mancala("token", "new", "carol", "--store", store, *options)
        assert issued.exit_code == 0
        assert listed().endswith("reviewer\n") == is_reviewer
