"""Matches and events without a server."""
