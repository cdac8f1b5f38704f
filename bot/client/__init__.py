"""The asyncio client: one connection, its turns, and what outlives it."""
