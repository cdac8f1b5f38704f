"""Runs of commands in this process, and what they print."""

import asyncio
import json
from typing import Any

from typer.testing import CliRunner, Result

from mancala.scripts.mancala import build


def mancala(*arguments: str) -> Result:
    return CliRunner().invoke(build(), arguments)


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    """Run a command; return its exit code, stdout and stderr."""
    result = CliRunner().invoke(build(), arguments, input=stdin)
    return result.exit_code, result.stdout, result.stderr


async def mancala_on_a_thread(*arguments: str) -> Result:
    """Run a command on a thread, as it runs an event loop of its own."""
    return await asyncio.to_thread(mancala, *arguments)


def result_of(*arguments: str) -> dict[str, Any]:
    result = mancala(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def by_one_worker(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return arguments with one worker unless they name a number: each takes a second to start."""
    return arguments if "--concurrency" in arguments else (*arguments, "--concurrency", "1")


def assert_usage_error(*arguments: str) -> None:
    assert refusal_of(*arguments, "--json").startswith("mancala: ")


def refusal_of(*arguments: str) -> str:
    """Run a command that is refused: exit code 2, an empty stdout; return what stderr says."""
    result = mancala(*arguments)
    assert result.exit_code == 2, result.stderr
    assert result.stdout == ""
    return result.stderr
