"""What worlds vary of a server's input, and what they do not."""

from __future__ import annotations

from mancala.protocol.messages import Error, ErrorCode, Move, Unseek
from tests.simulate.input_space import UNVARIED, InputSpace


def test_a_field_is_varied_once_it_had_two_values() -> None:
    """In any of the worlds together; a message without fields, once it was sent."""
    one, two = InputSpace(), InputSpace()
    one.heard(Move("g", 0, 1))
    two.heard(Move("g", 1, 1))
    two.heard(Unseek())
    one.add(two)
    assert "Move.ply" not in one.unvaried
    assert "Move.pit" in one.unvaried
    assert "Unseek" not in one.unvaried


def test_a_refusal_is_met_or_not() -> None:
    """Its code counts, not its words."""
    space = InputSpace()
    assert "refusal limit" in space.unvaried
    space.told(Error(ErrorCode.LIMIT, "too many", fatal=False))
    assert "refusal limit" not in space.unvaried


def test_only_what_there_is_has_a_reason_not_to_be_varied() -> None:
    """A reason for a field that is gone would hide nothing, and mislead."""
    assert UNVARIED.keys() <= set(InputSpace().unvaried)
