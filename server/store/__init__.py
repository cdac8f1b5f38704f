"""Persistent state of the server: the journal of all events, and the outbox for the broker.

The only package that imports SQLAlchemy. All writes go through one writer thread, in order.
"""

from .database.faults import BrokenStoreError, StoreError, UnansweredError
from .store import Store

__all__ = ["BrokenStoreError", "Store", "StoreError", "UnansweredError"]
