"""Persistent state of the server: the journal of all events, and the outbox for the broker.

The only package that imports SQLAlchemy. All writes go through one writer thread, in order.
"""

from __future__ import annotations

from server.store.database import StoreError
from server.store.faults import BrokenStoreError
from server.store.store import OutboxRow, Store

__all__ = ["BrokenStoreError", "OutboxRow", "Store", "StoreError"]
