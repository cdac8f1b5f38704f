"""The version of a store's tables: which ones this program knows, and how it changes the others.

A new store is made of ``schema.py`` and has the newest version. The tables of one that is there are
changed step by step by the scripts in ``migrations``, which Alembic runs. Alembic takes longer to
import than a store to make, so it is imported only where there is something to change.
"""

from pathlib import Path  # noqa: TID251  # the way to the migrations
from typing import Any, Final

import sqlalchemy as sa

from .schema import counters, metadata

SCRIPTS: Final = Path(__file__).parent / "migrations"
VERSION: Final = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32)),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Alembic's own table, as it makes it."""
BEFORE: Final = "0019"
"""That of the program before this one, to which ``mancala store downgrade`` returns."""
COUNTERS: Final = ("seq", "info_bytes")


def known() -> tuple[str, ...]:
    """Return the versions that this program opens or upgrades, the newest last."""
    return tuple(sorted(path.name[1:5] for path in SCRIPTS.glob("versions/v[0-9]*.py")))


def newest() -> str:
    return known()[-1]


def version_of(connection: sa.Connection) -> str | None:
    """Return the version of the tables that are there; None where there are none."""
    found: str | None = None
    if sa.inspect(connection).has_table(VERSION.name):
        found = connection.execute(sa.select(VERSION)).scalar()
    connection.rollback()
    return found


def fault_of(version: str) -> str | None:
    """Return what keeps this program from a version, to be said of the store; None for nothing."""
    if version in known():
        return None
    if version < known()[0]:
        return (
            f"is of a time before the first release ({version}); `mancala store upgrade` of the "
            "program of commit e9872345 brings it to a version that this one opens"
        )
    kind = "later version" if version > newest() else "step before the first release"
    return (
        f"belongs to a {kind} ({version}, not {newest()}); "
        "that version's `mancala store downgrade` takes it back"
    )


def migrate(connection: sa.Connection, found: str | None) -> None:
    """Make the tables of a new store, or run the migrations that one of a version lacks."""
    if found is None:
        metadata.create_all(connection)
        connection.execute(sa.insert(counters), [{"name": name, "value": 0} for name in COUNTERS])
        VERSION.create(connection)
        connection.execute(sa.insert(VERSION), {"version_num": newest()})
        connection.commit()
    elif found != newest():
        _run("upgrade", connection, newest())


def downgrade(connection: sa.Connection, version: str = BEFORE) -> None:
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        driver.execute("PRAGMA foreign_keys=OFF")  # tables are replaced
    _run("downgrade", connection, version)


def _run(verb: str, connection: sa.Connection, version: str) -> None:
    from alembic import command  # noqa: PLC0415  # see above
    from alembic.config import Config  # noqa: PLC0415  # see above

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(SCRIPTS))
    getattr(command, verb)(config, version)
    connection.commit()
