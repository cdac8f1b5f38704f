"""Processes that hold the sockets of bots and spectators for the server."""
