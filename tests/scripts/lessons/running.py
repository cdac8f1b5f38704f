"""Lessons run as a person runs them."""

from functools import partial

from tests.scripts.commands.results import run as run_command

run = partial(run_command, "learn")
