"""A number stands beside a noun that agrees with it: ``1 match``, ``2 matches``."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from mancala.protocol.text import plural
from tests.sources import ROOT

ROOMS: Final = ("protocol", "bot", "engine", "server", "scripts")
NOUNS: Final = (
    "ban bot byte candidate challenge character claim connection core day digit entrant entry event"
    " file forfeit game generation line match meeting move node number opening pair person pit"
    " place player ply point position program question reviewer round row seed session situation"
    " sowing step subproof team test time token version world worker"
)
PLURALS: Final = ("leaves", *map(plural, NOUNS.split()))
COUNTED: Final = re.compile(rf" (?:(?!has |is |of |takes )[a-z]+ )?(?:{'|'.join(PLURALS)})\b")
FRACTION: Final = re.compile(r"[fgeE%]$")
CONSTANT: Final = re.compile(r"[A-Z_]+")
NEVER_ONE: Final = {
    ("protocol/board_text.py", "2 * size + 2"),
    ("scripts/commands/thinking/bench.py", "result['nps']"),
    ("scripts/commands/thinking/review.py", "kind"),
    ("scripts/commands/playing/rate.py", "2 * len(rating.counted)"),
    ("scripts/commands/playing/tournament.py", "number"),
    ("scripts/analysis/proofs.py", "error"),
    ("scripts/course/exercises.py", "where"),
    ("engine/dataset_files.py", "card.version"),
    ("engine/dataset_files.py", "plan.most"),
    ("engine/dataset_files.py", "plan.most_nodes"),
    ("engine/dataset_files.py", "plan.tables"),
    ("engine/evaluation/weights.py", "counts"),
    ("server/contest/events/terms.py", "name"),
}
"""Modules and values in them that are texts, or greater than 1."""


def _counted(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, value and what follows, of whole numbers before a noun in the plural."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not (isinstance(value, ast.FormattedValue) and isinstance(text, ast.Constant)):
                continue
            name, follows = ast.unparse(value.value), str(text.value)
            is_other = CONSTANT.fullmatch(name.rpartition(".")[2]) or FRACTION.search(_form(value))
            if COUNTED.match(follows) and not is_other:
                yield value.lineno, name, follows


def _form(value: ast.FormattedValue) -> str:
    return "" if value.format_spec is None else ast.unparse(value.format_spec)[2:-1]


def test_a_number_in_a_text_bends_its_noun() -> None:
    """It was once ``1 matches are under way``; ``protocol.text.quantity`` writes the two."""
    found = [
        f"{path.relative_to(ROOT)}:{line}: {{{name}}}{text}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        for line, name, text in _counted(path.read_text())
        if (path.relative_to(ROOT).as_posix(), name) not in NEVER_ONE
    ]
    assert found == []


def test_the_search_finds_numbers_and_no_other_values() -> None:
    """Fractions and constants do not bend; a value of 1 is what goes wrong."""
    assert [name for _, name, _ in _counted('f"{n} matches, {total:,} other bots"')] == [
        "n",
        "total",
    ]
    assert not [*_counted('f"{loss:.2f} seeds, {MOST} games, {each.text} is, {n} match"')]
