"""The door to Cosmic Ray: which of its operators are applied, and to which places of a module."""

import ast
import pickle
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

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


class _Place(NamedTuple):
    """Where an operator can change a module: the number among its places, and the line."""

    operator: str
    occurrence: int
    line: int


def mutants_of(text: str) -> list[SourceChange]:
    source = _Source(text)
    found = [source.changed(place) for place in source.places()]
    counted = (mutant for mutant in found if _compiles(mutant.text))
    return list(dict.fromkeys(sorted(counted, key=lambda mutant: mutant.statement)))


class LineMutants:
    """The changes of a module, by line."""

    def __init__(self, text: str) -> None:
        self._source = _Source(text)
        self._places = list(self._source.places())

    def at_random(self, line: int, rng: Random) -> Iterator[SourceChange]:
        """Yield the changes of a line that count, in random order."""
        places = [place for place in self._places if place.line == line]
        for place in rng.sample(places, len(places)):
            mutant = self._source.changed(place)
            if _compiles(mutant.text):
                yield mutant


class _Source:
    """A module that is parsed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._module = ast.parse(text)
        self._tree = parso.parse(text)
        self._frozen = pickle.dumps(self._tree)

    def places(self) -> Iterator[_Place]:
        left_out = list(uncounted(self._module))
        for name in OPERATORS:
            for occurrence, node, line in _places(self._tree, _operator(name)):
                if node.parent is not None and node.parent.type == "parameters":
                    continue  # a bare `*` is no product
                if not any(first <= line <= last for first, last in left_out):
                    yield _Place(name, occurrence, line)

    def changed(self, place: _Place) -> SourceChange:
        copy = pickle.loads(self._frozen)  # noqa: S301  # parsing again takes ten times as long
        visitor = MutationVisitor(place.occurrence, _operator(place.operator))
        return mutant_of(self._module, self._text, place.line, visitor.walk(copy).get_code())


def _operator(name: str) -> Operator:
    return get_operator(f"core/{name}")()


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
