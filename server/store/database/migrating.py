"""Migrations of the tables by Alembic, over a connection that is open."""

from __future__ import annotations

from pathlib import Path  # noqa: TID251  # the way to the migrations
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

SCRIPTS: Final = Path(__file__).parent / "migrations"


def upgrade(connection: Connection, revision: str) -> None:
    """Run the migrations up to a revision, and commit."""
    command.upgrade(config_for(connection), revision)
    connection.commit()


def downgrade(connection: Connection, revision: str) -> None:
    """Undo the migrations after a revision, and commit."""
    command.downgrade(config_for(connection), revision)
    connection.commit()


def config_for(connection: Connection) -> Config:
    """Return the configuration with which Alembic works on a connection."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    return config
