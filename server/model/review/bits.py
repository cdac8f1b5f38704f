"""Values as bits, the highest of a byte first, filled up with zeros to whole bytes."""


class BitWriter:
    """Collects bits."""

    def __init__(self) -> None:
        self._bits: list[str] = []

    def bits(self, number: int, width: int) -> None:
        """Add the lowest bits of a number, ``width`` of them; the number has no more."""
        if width:
            self._bits.append(f"{number:0{width}b}")

    def number(self, number: int, order: int = 0) -> None:
        """Add a number, 0 or more, in exponential Golomb code of an order.

        It takes one bit more than the order if it is below ``2 ** order``, else two more for each
        doubling of ``number + 2 ** order`` beyond twice that.
        """
        digits = f"{(number >> order) + 1:b}"
        self._bits.append("0" * (len(digits) - 1) + digits)
        self.bits(number & (1 << order) - 1, order)

    def signed(self, number: int, order: int = 0) -> None:
        """Add a number that may be negative: ``n`` as ``2 n``, and ``-n`` as ``2 n - 1``."""
        self.number(2 * number if number >= 0 else -2 * number - 1, order)

    def packed(self) -> bytes:
        bits = "".join(self._bits)
        size = (len(bits) + 7) // 8
        return int(bits.ljust(8 * size, "0") or "0", 2).to_bytes(size, "big")


class BitReader:
    """Hands out the bits of a :class:`BitWriter`, in its order."""

    def __init__(self, packed: bytes) -> None:
        """Begin with the first of them."""
        self._bits = f"{int.from_bytes(packed, 'big'):0{8 * len(packed)}b}"
        self._at = 0

    def bits(self, width: int) -> int:
        """Return a number of ``width`` bits."""
        begin, self._at = self._at, self._at + width
        return int(self._bits[begin : self._at], 2) if width else 0

    def number(self, order: int = 0) -> int:
        """Return a number, 0 or more, of an order."""
        zeros = self._bits.index("1", self._at) - self._at
        self._at += zeros
        return (self.bits(zeros + 1) - 1 << order) + self.bits(order)

    def signed(self, order: int = 0) -> int:
        """Return a number that may be negative, of an order."""
        number = self.number(order)
        return -(number + 1 >> 1) if number & 1 else number >> 1
