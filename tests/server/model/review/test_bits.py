"""Numbers come back from their bits as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mancala.server.model.review.bits import BitReader, BitWriter

orders = st.integers(0, 20)


@given(st.lists(st.tuples(st.integers(0, 2**40), orders)))
def test_numbers_are_read_as_written(numbers: list[tuple[int, int]]) -> None:
    """Whatever the order of each, positive or negative, and in a fixed width."""
    to = BitWriter()
    for number, order in numbers:
        to.number(number, order)
        to.signed(-number, order)
        to.bits(number & 7, 3)
    given_back = BitReader(to.packed())
    for number, order in numbers:
        assert given_back.number(order) == number
        assert given_back.signed(order) == -number
        assert given_back.bits(3) == number & 7


@pytest.mark.parametrize(
    ("number", "order", "bits"),
    [(0, 0, "1"), (1, 0, "010"), (3, 2, "111"), (4, 2, "01000"), (11, 2, "01111")],
)
def test_the_code_is_exponential_golomb(number: int, order: int, bits: str) -> None:
    """As its definition has it: the low bits follow as they are."""
    to = BitWriter()
    to.number(number, order)
    assert to.packed() == bytes([int(bits.ljust(8, "0"), 2)])


def test_no_bits_are_no_bytes() -> None:
    """Nothing is written for nothing."""
    assert BitWriter().packed() == b""
