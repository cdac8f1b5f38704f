"""Which modules are mutated, which tests are theirs, and which mutations are tried."""

from __future__ import annotations

from typing import Final

TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "protocol/clock.py": ("tests/protocol/test_clock.py", "tests/protocol/test_referee.py"),
    "protocol/referee.py": ("tests/protocol/test_referee.py",),
    "protocol/rules.py": ("tests/protocol/test_rules.py",),
    "protocol/session.py": ("tests/protocol/test_session.py",),
    "protocol/codec.py": ("tests/protocol/test_codec.py",),
    "protocol/results.py": ("tests/protocol/test_results.py",),
}
"""By module, the tests that are its own."""

COMPARISONS: Final = ("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE")
ARITHMETIC: Final = (
    *("Add_Sub", "Sub_Add", "Mul_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "FloorDiv_Div"),
    *("Mod_Add", "Mod_Mul", "Pow_Mul", "BitXor_BitAnd", "BitAnd_BitOr", "LShift_RShift"),
)
"""One or two replacements for each operator: the others fail in the same tests."""

OPERATORS: Final = (
    "core/AddNot",
    "core/NumberReplacer",
    "core/RemoveDecorator",
    "core/ReplaceAndWithOr",
    "core/ReplaceOrWithAnd",
    "core/ReplaceBreakWithContinue",
    "core/ReplaceContinueWithBreak",
    "core/ReplaceTrueWithFalse",
    "core/ReplaceFalseWithTrue",
    "core/ReplaceUnaryOperator_Delete_Not",
    "core/ReplaceUnaryOperator_Delete_USub",
    "core/ZeroIterationForLoop",
    "core/ReplaceComparisonOperator_Is_IsNot",
    "core/ReplaceComparisonOperator_IsNot_Is",
    *(f"core/ReplaceBinaryOperator_{pair}" for pair in ARITHMETIC),
    *(
        f"core/ReplaceComparisonOperator_{one}_{two}"
        for one in COMPARISONS
        for two in COMPARISONS
        if one != two
    ),
)
