"""One change of a module: where it is, and how the list of survivors names it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MODULE: Final = "<module>"


class StatementLines(NamedTuple):
    """The lines of a statement; of a compound one only its head."""

    first: int
    last: int


class SourceChange(NamedTuple):
    """One change of a module.

    Attributes:
        function: the qualified name of the innermost function or class around it.
        before: the lines that it replaces, without their indentation.
    """

    function: str
    before: str
    after: str
    statement: StatementLines
    text: str

    @property
    def change(self) -> str:
        """The change as the list of survivors has it, independent of line numbers."""
        return f"{self.function}: {self.before} => {self.after}"


def uncounted(module: ast.Module) -> Iterator[StatementLines]:
    """Yield what no test should pin: the texts of errors and logs, and lines for type checkers."""
    for node in ast.walk(module):
        is_log = isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("log.", "_log."))
        is_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if is_log or is_types or isinstance(node, ast.Raise):
            yield _lines(node)


def mutant_of(module: ast.Module, text: str, line: int, changed: str) -> SourceChange:
    old, new = text.splitlines(), changed.splitlines()
    first = next(i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
    pairs = zip(reversed(old[first:]), reversed(new[first:]), strict=False)
    kept = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)) - first)
    before, after = _joined(old[first : len(old) - kept]), _joined(new[first : len(new) - kept])
    names, statement = _place(module, line)
    return SourceChange(names or MODULE, before, after, statement, changed)


def _joined(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def _place(module: ast.Module, line: int) -> tuple[str, StatementLines]:
    names: list[str] = []
    statement = StatementLines(line, line)
    inside = list[ast.AST](module.body)
    while (around := next((node for node in inside if _spans(node, line)), None)) is not None:
        inside = _parts(around)
        if isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(around.name)
        first, last = _lines(around)
        statement = StatementLines(
            first, min((_lines(part).first - 1 for part in inside), default=last)
        )
    return ".".join(names), statement


def _parts(node: ast.AST) -> list[ast.AST]:
    names = ("body", "handlers", "cases", "orelse", "finalbody")
    return [part for name in names for part in getattr(node, name, ())]


def _lines(node: ast.AST) -> StatementLines:
    if isinstance(node, ast.match_case):
        return StatementLines(node.pattern.lineno, _lines(node.body[-1]).last)
    decorators = getattr(node, "decorator_list", ())
    first = min(getattr(each, "lineno", 1) for each in (*decorators, node))
    return StatementLines(first, getattr(node, "end_lineno", first))


def _spans(node: ast.AST, line: int) -> bool:
    first, last = _lines(node)
    return first <= line <= last
