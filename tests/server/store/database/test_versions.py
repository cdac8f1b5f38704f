"""Which stores this program opens, what it makes of them, and how it takes them back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, select

from mancala.protocol import codec
from mancala.protocol.results import EventRoundPaired
from mancala.server.store import StoreError
from mancala.server.store.carrying import moving
from mancala.server.store.carrying.moving import digest_of, downgrade_store, upgrade_store
from mancala.server.store.database import versions
from mancala.server.store.database.database import Access, connect
from mancala.server.store.database.schema import counters, hidden_games, metadata, puzzles, sealed
from mancala.server.store.database.tenure import TENURE
from mancala.server.store.entries import write_all
from tests.server.store.builders import GAMES, STORES, do, ignore, later_scripts, played
from tests.server.store.databases import execute, place_of, rows

pytestmark = pytest.mark.usefixtures("database")

DIGEST = "86639a22c1f0cff5674952e8fdbb5f0ffe3494e867bf52a39d61cfa0372beb83"
ADDED = {"outbox": (None, 0, None), "event_entrants": ("",), "event_games": ("",)}
"""What later versions have added to each row of a table."""
VERSION = "SELECT version_num FROM alembic_version"


@pytest.fixture
def place(tmp_path: Path) -> str:
    place = place_of(tmp_path)
    with closing(connect(place)) as connection:
        do(connection, lambda transaction: write_all(played(GAMES), transaction))
    return place


def pretend(place: str, version: str) -> None:
    execute(place, f"UPDATE alembic_version SET version_num = '{version}'")  # noqa: S608  # a test's own


def keys_of(tables: MetaData) -> dict[str, object]:
    """Return the keys, references, indexes and columns that may be null of each table."""
    return {
        name: (
            [column.name for column in table.primary_key],
            {(key.parent.name, key.target_fullname) for key in table.foreign_keys},
            {(*(c.name for c in index.columns), bool(index.unique)) for index in table.indexes},
            {column.name for column in table.columns if column.nullable},
        )
        for name, table in tables.tables.items()
        if name not in {versions.VERSION.name, TENURE.name}
    }


def expect_our_tables(place: str) -> None:
    kept = {"include_object": lambda _thing, name, *_of: name != TENURE.name}
    with closing(connect(place)) as connection:
        assert compare_metadata(MigrationContext.configure(connection, opts=kept), metadata) == []
        found = MetaData()
        found.reflect(connection)
        assert keys_of(found) == keys_of(metadata)


def test_a_new_store_has_exactly_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    """Nothing is missing in either; its counters begin with 0."""
    place = place_of(tmp_path)
    expect_our_tables(place)
    assert rows(place, VERSION) == [(versions.newest(),)]
    with closing(connect(place)) as connection:
        assert set(connection.execute(select(counters))) == {("seq", 0), ("info_bytes", 0)}


def test_a_store_of_the_program_before_the_release_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that commit e9872345 wrote has the same tables, keeps every row, and is stamped.

    Its digest is the same in whatever pieces its games are read.
    """
    place = str(tmp_path / "store.sqlite3")
    with closing(sqlite3.connect(place)) as connection:
        connection.executescript((STORES / "0019.sql").read_text())
    added = {puzzles.name, sealed.name, hidden_games.name}
    tables = [each for each in metadata.tables if each not in added]
    queries = [f"SELECT * FROM {table}" for table in tables]  # noqa: S608  # our own names
    with closing(sqlite3.connect(place)) as connection:
        found = {query: connection.execute(query).fetchall() for query in queries}
    before = [
        [(*row, *ADDED.get(query.split()[-1], ())) for row in found[query]] for query in queries
    ]
    with pytest.raises(StoreError, match=r"another version: 0019, not 0024; .* upgrades it"):
        connect(place, Access.READ)
    expect_our_tables(place)
    assert [rows(place, query) for query in queries] == before
    assert rows(place, VERSION) == [("0024",)]
    assert digest_of(place, ignore).text == DIGEST
    monkeypatch.setattr(moving, "GAMES", moving.GAMES.limit(1))
    assert digest_of(place, ignore).text == DIGEST


def test_hashes_from_which_addresses_could_be_guessed_are_forgotten(place: str) -> None:
    """Those of a Swiss event that bots entered from one, also on their way to the broker."""
    events = (("cup", "swiss", "::1"), ("listed", "swiss", ""), ("league", "rr", "::1"))

    def told(seq: int, event: str, inputs: str) -> str:
        head = (f"event-{event}-round-1", seq, "test")
        paired = EventRoundPaired(
            *head, event=event, round=1, encounters=(), byes=("ann",), inputs=inputs, at="x"
        )
        return codec.to_json(paired).decode()

    for seq, (event, format_, owner) in enumerate(events, start=1000):
        terms = f'{{"format":"{format_}"}}'
        for table, values in {
            "events (name, state, round, regulations)": f"'{event}', 'playing', 1, '{terms}'",
            "event_entrants (event, name, place, joins, absences, owner)": (
                f"'{event}', 'ann', 0, 1, 0, '{owner}'"
            ),
            "event_pairings (event, round, place, first, inputs)": f"'{event}', 1, 0, 'ann', 'abc'",
            "outbox (seq, event_id, topic, payload)": (
                f"{seq}, '{event}', 'rounds', '{told(seq, event, 'abc')}'"
            ),
        }.items():
            execute(place, f"INSERT INTO {table} VALUES ({values})")  # noqa: S608  # our own
    downgrade_store(place)
    upgrade_store(place)
    left = {"cup": "", "listed": "abc", "league": "abc"}
    assert dict(rows(place, "SELECT event, inputs FROM event_pairings")) == left
    waiting = "SELECT payload FROM outbox WHERE topic = 'rounds' ORDER BY seq"
    assert [payload for (payload,) in rows(place, waiting)] == [
        told(seq, event, left[event]) for seq, (event, _, _) in enumerate(events, start=1000)
    ]


def test_a_store_goes_back_to_the_version_before_and_returns(place: str) -> None:
    """Its digest stays; one of this version has nothing to upgrade."""
    digest = digest_of(place, ignore)
    assert digest.games == GAMES
    assert not upgrade_store(place)
    downgrade_store(place)
    assert upgrade_store(place)
    assert digest_of(place, ignore) == digest


def test_the_version_before_reads_what_is_left_of_events(place: str) -> None:
    """It knows no roles, and refuses settings that it does not know."""
    settings = '{"name":"cup","format":"swiss","about":"Prizes.","apart":[],"freeze":"results"}'
    execute(place, f"INSERT INTO event_settings VALUES ('cup', '{settings}', NULL)")  # noqa: S608  # our own
    for kind, subject in (("role", "cup ann"), ("paused", "main")):
        execute(place, f"INSERT INTO switches VALUES ('{kind}', '{subject}', 'x', 'y', NULL)")  # noqa: S608  # our own
    downgrade_store(place)
    upgrade_store(place)
    assert rows(place, "SELECT kind FROM switches") == [("paused",)]
    expected = '{"name":"cup","format":"swiss"}'
    assert rows(place, "SELECT settings FROM event_settings") == [(expected,)]


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO sealed VALUES ('g', 'GameClosed', 'cup', 0, 0, '{}')",
        "UPDATE games SET seq = NULL WHERE match = 'm3'",
    ],
)
def test_a_store_with_hidden_results_does_not_go_back(place: str, change: str) -> None:
    """The version before would lose them, and never list a hidden game that is under way."""
    execute(place, change)
    with pytest.raises(StoreError, match="mancala event reveal"):
        downgrade_store(place)
    assert rows(place, VERSION) == [(versions.newest(),)]


def test_an_event_does_not_go_back_where_all_could_enter_it(place: str) -> None:
    """Its password means nothing to the version before; once it has begun, that is no matter."""
    settings = '{"name":"cup","format":"swiss","password":"wari"}'
    execute(place, f"INSERT INTO event_settings VALUES ('cup', '{settings}', NULL)")  # noqa: S608  # our own
    with pytest.raises(StoreError, match="the event cup to all, as it knows no password"):
        downgrade_store(place)
    assert rows(place, VERSION) == [(versions.newest(),)]
    execute(place, "INSERT INTO events VALUES ('cup', 'playing', 1, NULL, NULL)")
    downgrade_store(place)
    upgrade_store(place)
    expected = '{"name":"cup","format":"swiss"}'
    assert rows(place, "SELECT settings FROM event_settings") == [(expected,)]


def test_a_store_whose_games_are_not_packed_is_refused(place: str) -> None:
    """The program before this one packs them; the store stays as it is."""
    for _ in range(2):
        downgrade_store(place)
    with closing(connect(place)) as connection:
        versions.downgrade(connection)
        with connection.begin():
            connection.exec_driver_sql("UPDATE games SET seq = NULL WHERE match = 'm3'")
    with pytest.raises(StoreError, match=r"not packed yet.*e9872345"):
        connect(place)
    with pytest.raises(StoreError, match="another version: 0019"):
        connect(place, Access.READ)


@pytest.mark.parametrize("access", Access)
@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0001", r"before the first release \(0001\).*e9872345"),
        ("0018", r"before the first release \(0018\).*e9872345"),
        ("0022", r"step before the first release \(0022, not 0024\).*downgrade"),
        ("9999", r"later version \(9999, not 0024\).*downgrade"),
    ],
)
def test_a_store_of_a_version_unknown_here_is_refused_in_one_sentence(
    place: str, access: Access, version: str, reason: str
) -> None:
    """It says which program helps, and leaves the store alone."""
    pretend(place, version)
    with pytest.raises(StoreError, match=reason) as refused:
        connect(place, access)
    assert "\n" not in str(refused.value)


def test_the_next_migration_changes_the_tables_and_takes_them_back(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All rows stay; this program refuses what the later one made."""
    digest = digest_of(place, ignore)
    with monkeypatch.context() as later:
        later.setattr(versions, "SCRIPTS", later_scripts(tmp_path))
        assert upgrade_store(place)
        assert rows(place, "SELECT DISTINCT mood FROM games") == [("calm",)]
        assert digest_of(place, ignore) == digest
    with pytest.raises(StoreError, match=r"later version \(0025, not 0024\)"):
        connect(place)
    with monkeypatch.context() as later:
        later.setattr(versions, "SCRIPTS", later_scripts(tmp_path / "again"))
        downgrade_store(place)
    expect_our_tables(place)
    assert digest_of(place, ignore) == digest


def test_the_versions_of_the_tables_are_alembics() -> None:
    """They are read from the names of its scripts."""
    config = Config()
    config.set_main_option("script_location", str(versions.SCRIPTS))
    scripts = ScriptDirectory.from_config(config)
    assert versions.newest() == scripts.get_current_head()
    assert set(versions.known()) == {each.revision for each in scripts.walk_revisions()}
