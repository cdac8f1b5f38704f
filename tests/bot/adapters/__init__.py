"""Tests of `mancala.bot.adapters`."""
