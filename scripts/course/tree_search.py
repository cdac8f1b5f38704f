"""Game trees that a program solves, for the exercise that asks for a search rather than for play.

A program whose ``bot.toml`` states ``trees``, a line of the shell, reads a tree a line, such as
``max(min(3 12 8) min(2 4 6) min(14 5 2))``, and answers each with a line of two numbers: the value
at the root, and the nodes visited, the root and the leaves included. Minimax visits all of them.
Alpha-beta from left to right leaves out what the tree alone decides, so the two numbers say which
search it is, in any language. The trees follow from the season's secret seed.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache
from math import nan
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from mancala.engine.classics.lecture.exercises import exercise
from mancala.engine.classics.lecture.tree_text import parse, write
from mancala.engine.classics.lecture.tree_walk import WalkEvent, walk

from ..hosting.manifest import Manifest
from ..sandbox.command import SandboxJob
from ..sandbox.limits import SandboxLimits
from ..sandbox.run import run

ASKED: Final = 20
LEVELS: Final = (2, 3, 4)
SECONDS: Final = 30
"""Processor time and time for all trees; a program's start on a busy machine is within it."""
LONGEST: Final = 40
"""Letters that are kept of an answer."""
MISSING: Final = "(no answer: "
VISITS: Final = (WalkEvent.ENTER, WalkEvent.LEAF)


class TreeSearch(StrEnum):
    """What an exercise asks for."""

    MINIMAX = "minimax"
    ALPHABETA = "alphabeta"


class TreeAnswer(msgspec.Struct, frozen=True):
    """An answer to a tree: the line that answers it, or why there is none, in parentheses."""

    tree: str
    said: str

    @property
    def is_missing(self) -> bool:
        return self.said.startswith(MISSING)


def trees_of(seed: int) -> list[str]:
    rng = Random(f"{seed}/trees")  # noqa: S311  # the seed is the secret
    numbers = rng.sample(range(1, 1 << 31), ASKED)
    return [write(exercise(each, levels=LEVELS[i % len(LEVELS)])) for i, each in enumerate(numbers)]


async def answered(
    manifest: Manifest, program: Path, limits: SandboxLimits, trees: Sequence[str]
) -> tuple[TreeAnswer, ...]:
    """Return a program's answers to trees, by the line that its ``bot.toml`` states."""
    job = SandboxJob(
        program,
        manifest.filled(manifest.trees),
        replace(limits, cpu_s=min(limits.cpu_s, SECONDS), wall_s=4 * SECONDS),
    )
    printed: list[bytes] = []
    with tempfile.TemporaryFile() as asked:
        asked.write("".join(f"{tree}\n" for tree in trees).encode())
        asked.seek(0)
        outcome = await run(job, stdin=asked, out=printed.append, err=lambda _: None)
    said = b"".join(printed).decode(errors="replace").splitlines()
    lines = [line[:LONGEST] for line in said[: len(trees)]]
    last = outcome.stderr.strip().rpartition("\n")[2]
    why = f"{MISSING}{outcome.sentence(job.limits)}{f', {last}' if last else ''})"
    lines += [why] * (len(trees) - len(lines))
    return tuple(TreeAnswer(*each) for each in zip(trees, lines, strict=True))


@cache
def solution(tree: str, search: TreeSearch) -> tuple[float, int]:
    steps = list(walk(parse(tree), prune=search is TreeSearch.ALPHABETA))
    value = steps[-1].value  # the root is left last
    return value if value is not None else nan, sum(step.event in VISITS for step in steps)


def lacking(search: TreeSearch, answers: Sequence[TreeAnswer]) -> str:
    """Return what is missing of a search, in words; empty if nothing is."""
    if not answers:
        return "bot.toml states no trees, the line that solves game trees"
    wrong = [each for each in answers if _numbers(each.said) != solution(each.tree, search)]
    if not wrong:
        return ""
    return (
        f"solves {len(answers) - len(wrong)} of {len(answers)} trees as {search} does, by value and"
        f" nodes visited; another answer to {wrong[0].tree}: {wrong[0].said or 'an empty line'}"
    )


def _numbers(line: str) -> tuple[float, int] | None:
    value, _, visited = line.strip().partition(" ")
    try:
        return float(value), int(visited)
    except ValueError:
        return None
