"""Tests of the bot room, against far sides that say what each test tells them to."""
