"""The door to Cosmic Ray: which of its operators are applied, and to which places of a module."""

from __future__ import annotations

import ast
import pickle
from collections.abc import Iterator
from typing import Final

import parso
from cosmic_ray.ast import ast_nodes
from cosmic_ray.mutating import MutationVisitor
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

from tests.mutation.mutants import SourceChange, mutant_of, uncounted

COMPARISONS: Final = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
ARITHMETIC: Final = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "FloorDiv_Div"),
    *("Mod_Add", "Mod_Mul", "Pow_Mul", "BitXor_BitAnd", "BitAnd_BitOr", "LShift_RShift"),
)
"""One or two replacements for each operator: the others fail in the same tests."""
OPERATORS: Final = (
    "AddNot",
    "NumberReplacer",
    "RemoveDecorator",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceUnaryOperator_Delete_Not",
    "ReplaceUnaryOperator_Delete_USub",
    "ZeroIterationForLoop",
    "ReplaceComparisonOperator_Is_IsNot",
    "ReplaceComparisonOperator_IsNot_Is",
    *(f"ReplaceBinaryOperator_{pair}" for pair in ARITHMETIC),
    *(
        f"ReplaceComparisonOperator_{one}_{two}"
        for one in COMPARISONS
        for two in COMPARISONS
        if one != two
    ),
)


def mutants_of(text: str) -> list[SourceChange]:
    found = [mutant for mutant in _mutants_of(text) if _compiles(mutant.text)]
    return list(dict.fromkeys(sorted(found, key=lambda mutant: mutant.statement)))


def _mutants_of(text: str) -> Iterator[SourceChange]:
    module = ast.parse(text)
    tree = parso.parse(text)
    frozen = pickle.dumps(tree)
    left_out = list(uncounted(module))
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        for occurrence, node, line in _places(tree, operator):
            if node.parent is not None and node.parent.type == "parameters":
                continue  # a bare `*` is no product
            if any(first <= line <= last for first, last in left_out):
                continue
            copy = pickle.loads(frozen)  # noqa: S301  # parsing again takes ten times as long
            changed = MutationVisitor(occurrence, operator).walk(copy).get_code()
            yield mutant_of(module, text, line, changed)


def _compiles(text: str) -> bool:
    """Return whether a changed module is Python: some operators change any ``*`` and ``:``."""
    try:
        compile(text, "", "exec")
    except SyntaxError:
        return False
    return True


def _places(
    tree: parso.tree.NodeOrLeaf, operator: Operator
) -> Iterator[tuple[int, parso.tree.NodeOrLeaf, int]]:
    found = ((node, at) for node in ast_nodes(tree) for at in operator.mutation_positions(node))
    for occurrence, (node, (start, _end)) in enumerate(found):
        yield occurrence, node, start[0]
