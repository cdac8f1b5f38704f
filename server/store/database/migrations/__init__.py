"""Migrations of a store from earlier versions; run by alembic at every start."""
