"""Tests of the bot package, against scripted servers."""
