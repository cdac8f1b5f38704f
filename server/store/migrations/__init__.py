"""How a store of an earlier version becomes one of this; run by alembic at every start."""
