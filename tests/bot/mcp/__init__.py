"""Tests of `mancala.bot.mcp`."""
