"""Contests: events as plans, events of a running server, and games without a server."""
