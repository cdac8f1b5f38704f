"""What outlives the server: a journal of all that happened, and the outbox of what to announce.

The only room that knows SQLAlchemy. Everything goes through one writer thread, in order.
"""

from __future__ import annotations

from server.store.database import StoreError
from server.store.store import OutboxRow, Store

__all__ = ["OutboxRow", "Store", "StoreError"]
