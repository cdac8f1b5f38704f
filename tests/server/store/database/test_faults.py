"""Errors of the work are distinguished from errors of the store."""

import sqlite3

import psycopg
import pytest
from sqlalchemy.exc import IntegrityError, OperationalError, StatementError

from mancala.server.store.database.faults import (
    BrokenStoreError,
    is_lost_connection,
    is_of_the_work,
)

OF_THE_WORK = (
    sqlite3.IntegrityError("UNIQUE constraint failed"),
    sqlite3.DataError("string or blob too big"),
    psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"),
    psycopg.errors.UniqueViolation("duplicate key"),
    psycopg.errors.ProgramLimitExceeded("index row size exceeds maximum"),
    psycopg.errors.DeadlockDetected("deadlock"),
    IntegrityError("INSERT", {}, sqlite3.IntegrityError("twice")),
    StatementError("bad", "INSERT", {}, ValueError("no number")),
    OverflowError("Python int too large to convert to SQLite INTEGER"),
    UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    KeyError("rules"),
)
OF_THE_STORE = (
    sqlite3.OperationalError("database or disk is full"),
    sqlite3.DatabaseError("database disk image is malformed"),
    psycopg.errors.DiskFull("no space left on device"),
    psycopg.errors.UndefinedTable("relation moves does not exist"),
    psycopg.errors.AdminShutdown("terminating connection"),
    psycopg.OperationalError("the connection is closed"),
    OSError(28, "No space left on device"),
    BrokenStoreError("deleted"),
)


@pytest.mark.parametrize("error", OF_THE_WORK, ids=repr)
def test_what_the_work_brought_is_its_own_fault(error: Exception) -> None:
    """One piece fails, and the store goes on."""
    assert is_of_the_work(error)


@pytest.mark.parametrize("error", OF_THE_STORE, ids=repr)
def test_what_no_work_could_have_caused_is_the_stores_fault(error: Exception) -> None:
    """Nothing can be made durable any more."""
    assert not is_of_the_work(error)


def test_only_postgresql_loses_connections() -> None:
    """A closed connection or a server that shuts down; not a full disk, and not SQLite."""
    assert is_lost_connection(psycopg.OperationalError("the connection is closed"))
    assert is_lost_connection(psycopg.errors.AdminShutdown("terminating connection"))
    assert is_lost_connection(psycopg.errors.ConnectionFailure("reset by peer"))
    assert not is_lost_connection(psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT"))
    assert not is_lost_connection(psycopg.errors.DiskFull("no space"))
    assert not is_lost_connection(psycopg.errors.IoError("could not read"))
    assert not is_lost_connection(psycopg.DataError("NUL"))
    assert not is_lost_connection(sqlite3.OperationalError("disk I/O error"))
    other = type("OperationalError", (Exception,), {"__module__": "duckdb"})
    assert not is_lost_connection(other("the connection is closed"))


def test_what_sqlalchemy_says_of_a_connection_counts() -> None:
    """Its own verdict, or that of the driver's error inside of its own."""
    closed = psycopg.OperationalError("the connection is closed")
    assert is_lost_connection(OperationalError("SELECT", {}, closed))
    full = sqlite3.OperationalError("disk I/O error")
    assert not is_lost_connection(OperationalError("SELECT", {}, full))
    assert is_lost_connection(OperationalError("SELECT", {}, full, connection_invalidated=True))
