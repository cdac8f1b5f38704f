"""Certificates: the proven first plies of a campaign, for anyone to check.

For each bound of the value a certificate has the proof's first plies: for the side that holds the
bound one move, which keeps it; for the other side every move. The tree ends at leaves, the
subproofs. A claim is a position with a bound. That each claim follows from those on the positions
after its moves is checked with the rules alone (`faults`), without any search; leaves are checked
by proving them again.

The form is canonical: a bound of a position has one line, as strong as the strongest claim that
needs it, none says what holds of any position, and stores stand in the header only.
``docs/certificates`` has two programs of their own that check all this, in Python and in C, with
nothing of the engine.

A file is JSON lines: the header, then one claim a line; compressed when its name ends in ``.xz`` or
``.gz``.
"""

import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from mancala.files import write_whole
from mancala.protocol import codec
from mancala.protocol.rules import Board, Rules

from ..knowledge import Bounds
from . import positions
from .positions import Claim, PositionMove
from .tree import ProofTree

FORMAT: Final = 1
UNPACK: Final = {".gz": gzip.decompress, ".xz": lzma.decompress}


class CertificateHeader(msgspec.Struct, frozen=True, tag="certificate"):
    """What a certificate claims of a position: its least and its most worth, from its stores on.

    Board and rules are text; ``nodes`` were searched for it.
    """

    board: str
    rules: str
    low: int
    high: int
    nodes: int
    format: int = FORMAT


class CertificateLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim that a bound (``low`` or ``high``) of a position is ``value``, for its mover.

    The board has its mover first, and no stores where they do not matter. ``best`` is the move that
    keeps the bound, where the mover holds it and it is no leaf; for a ``leaf`` a subproof stands,
    and not the claims after its moves.
    """

    board: str
    bound: str
    value: int
    best: int | None = None
    leaf: bool = False


class CertificateError(ValueError):
    """A file is no certificate."""


class Certificate:
    """A certificate in memory; CertificateError when its header names no position."""

    def __init__(self, header: CertificateHeader, lines: Iterable[CertificateLine]) -> None:
        self.header = header
        self.lines = tuple(lines)
        try:
            self.rules = Rules.parse(header.rules)
            self.board = Board.from_text(header.board, self.rules)
        except ValueError as error:
            raise CertificateError(f"the certificate is for no position: {error}") from None
        written = self.board.text, str(self.board.rules)
        if written != (header.board, header.rules) or header.nodes < 0:
            raise CertificateError("the certificate's header is not in the one form")
        if self.rules.opens:
            raise CertificateError("a certificate does not hold under rules of the first turns")

    @property
    def leaves(self) -> tuple[CertificateLine, ...]:
        """The claims that stand on a subproof."""
        return tuple(line for line in self.lines if line.leaf)

    def claim(self, line: CertificateLine) -> Claim:
        """Return what a line states; ValueError when it names no position."""
        if line.bound not in {"low", "high"}:
            raise ValueError(f"a bound is low or high, not {line.bound!r}")
        board = Board.from_text(line.board, self.rules)
        return Claim(positions.plain(board), line.value, line.bound == "low")

    def exact(self) -> Iterator[tuple[Board, int, int]]:
        """Yield positions, values stated from both sides, and best moves; none without a move."""
        most: dict[str, int] = {}
        for line in self.lines:
            if line.bound == "high":
                most[line.board] = min(line.value, most.get(line.board, line.value))
        for line in self.lines:
            if line.best is not None and most.get(line.board) == line.value:
                yield self.claim(line).board, line.value, line.best

    @property
    def text(self) -> bytes:
        """The bytes of the file, in their one form."""
        return b"".join(codec.to_line(each) + b"\n" for each in (self.header, *self.lines))

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all."""
        write_whole(path, self.text)


def load(path: Path) -> Certificate:
    try:
        text = UNPACK.get(path.suffix, bytes)(path.read_bytes())
        first, *others = text.removesuffix(b"\n").split(b"\n")
        header = codec.from_json(first, CertificateHeader)
        lines = [codec.from_json(each, CertificateLine) for each in others]
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise CertificateError(f"{path} is no certificate: {error}") from None
    if header.format != FORMAT:
        raise CertificateError(f"{path} is a certificate of version {header.format}, not {FORMAT}")
    certificate = Certificate(header, lines)
    if certificate.text != text:
        raise CertificateError(f"{path} is no certificate: it is not in the one form")
    return certificate


def of(tree: ProofTree, board: Board, nodes: int) -> Certificate:
    """Return the certificate of all that is proven of a board, after searching ``nodes``."""
    root, ahead = positions.plain(board), positions.offset(board)
    proven = tree.known(root)
    header = CertificateHeader(
        board.text, str(board.rules), proven.low + ahead, proven.high + ahead, nodes
    )
    claims = [Claim(root, proven.low, at_least=True), Claim(root, proven.high, at_least=False)]
    return Certificate(header, _lines(tree, claims))


def _lines(tree: ProofTree, claims: list[Claim]) -> list[CertificateLine]:
    """Return the lines for some claims, each as strong as the strongest that needs it."""
    splits = {node.text: node.moves for node in tree.nodes.values() if node.moves is not None}
    strongest: dict[tuple[str, bool], Claim] = {}
    while True:
        needed: dict[tuple[str, bool], Claim] = {}
        lines = list(_walk(tree, splits, list(claims), strongest, needed))
        if needed == strongest:
            return lines
        strongest = needed


def _walk(
    tree: ProofTree,
    splits: Mapping[str, tuple[PositionMove, ...]],
    waiting: list[Claim],
    strongest: Mapping[tuple[str, bool], Claim],
    needed: dict[tuple[str, bool], Claim],
) -> Iterator[CertificateLine]:
    """Yield the lines for claims that wait, as strong as is known; note what each bound needs."""
    seen: set[Claim] = set()
    while waiting:
        claim = waiting.pop()
        if claim.follows_from(positions.widest(claim.board)):
            continue
        key = claim.board.text, claim.at_least
        needed[key] = claim.stronger(needed.get(key, claim))
        claim = claim.stronger(strongest.get(key, claim))
        if claim in seen:
            continue
        seen.add(claim)
        keeping = [move for move in splits.get(claim.board.text, ()) if _keeps(tree, claim, move)]
        total = len(splits.get(claim.board.text, ()))
        bound = "low" if claim.at_least else "high"
        line = CertificateLine(claim.board.text, bound, claim.value, leaf=True)
        if keeping and claim.at_least:
            line = CertificateLine(claim.board.text, bound, claim.value, best=keeping[0].pit)
            waiting += _after(claim, keeping[:1])
        elif keeping and len(keeping) == total:
            line = CertificateLine(claim.board.text, bound, claim.value)
            waiting += _after(claim, keeping)
        yield line


def _keeps(tree: ProofTree, claim: Claim, move: PositionMove) -> bool:
    after = claim.after(move)
    return claim.is_met_by(move) if after is None else after.follows_from(tree.known(after.board))


def _after(claim: Claim, moves: Iterable[PositionMove]) -> list[Claim]:
    return [after for move in moves if (after := claim.after(move)) is not None]


def faults(certificate: Certificate) -> Iterator[str]:
    """Yield what does not follow in a certificate, given its leaves; nothing when all does.

    No position of a game repeats, so claims that follow from one another have no circle.
    """
    stated: dict[tuple[str, bool], Bounds] = {}
    claims: list[tuple[CertificateLine, Claim]] = []
    for number, line in enumerate(certificate.lines, start=2):
        try:
            claim = certificate.claim(line)
        except ValueError as error:
            yield f"line {number}: {error}"
            continue
        claims.append((line, claim))
        yield from _odd_form(number, line, claim)
        key = claim.board.text, claim.at_least
        known = stated.get(key) or positions.widest(claim.board)
        low, high = (claim.value, known.high) if claim.at_least else (known.low, claim.value)
        stated[key] = known.both(Bounds(low, high))

    def is_stated(claim: Claim) -> bool:
        known = stated.get((claim.board.text, claim.at_least))
        return claim.follows_from(known or positions.widest(claim.board))

    yield from _contradictions(stated)
    if certificate.header.low > certificate.header.high:
        yield "the header claims more than at most"
    if all(claim.follows_from(positions.widest(claim.board)) for claim in _headline(certificate)):
        yield "the header claims nothing"
    yield from _superfluous(certificate, claims)
    for claim in _headline(certificate):
        if not is_stated(claim):
            yield f"no line bounds {claim.board.text} by {claim.value:+d}"
    for line, claim in claims:
        if not line.leaf and (fault := _fault(line, claim, is_stated)) is not None:
            yield fault


def _contradictions(stated: Mapping[tuple[str, bool], Bounds]) -> Iterator[str]:
    """Yield the positions that are claimed to be worth at least more than at most."""
    for (board, at_least), known in stated.items():
        most = stated.get((board, False))
        if at_least and most is not None and known.low > most.high:
            yield f"claims of {board} contradict each other"


def _odd_form(number: int, line: CertificateLine, claim: Claim) -> Iterator[str]:
    widest = positions.widest(claim.board)
    if line.board != claim.board.text:
        yield f"line {number}: {line.board} has stores, or is written in another form"
    if claim.follows_from(widest):
        yield f"line {number}: it says what holds of any position"
    if claim.value > widest.high or claim.value < widest.low:
        yield f"line {number}: it claims more than all seeds"
    if line.best is not None and (line.leaf or not claim.at_least):
        yield f"line {number}: a best move is no part of it"


def _superfluous(
    certificate: Certificate, claims: list[tuple[CertificateLine, Claim]]
) -> Iterator[str]:
    """Yield the lines of a bound that has one already, and those that say more than is needed."""
    known: dict[tuple[str, bool], tuple[CertificateLine, Claim]] = {}
    for line, claim in claims:
        key = claim.board.text, claim.at_least
        if key in known:
            yield f"{line.board}: {line.bound} is there twice"
        known[key] = line, claim
    needed: set[Claim] = set()
    used: set[Claim] = set()
    waiting = list(_headline(certificate))
    while waiting:
        wanted = waiting.pop()
        needed.add(wanted)
        found = known.get((wanted.board.text, wanted.at_least))
        if found is None or found[1] in used:
            continue
        line, claim = found
        used.add(claim)
        moves = () if line.leaf else positions.moves(claim.board)
        waiting += _after(
            claim, (move for move in moves if not claim.at_least or move.pit == line.best)
        )
    for line, claim in known.values():
        if claim not in needed:
            yield f"{line.board}: no bound needs {line.bound} {line.value:+d}"


def _headline(certificate: Certificate) -> tuple[Claim, Claim]:
    header, ahead = certificate.header, positions.offset(certificate.board)
    root = positions.plain(certificate.board)
    return (
        Claim(root, header.low - ahead, at_least=True),
        Claim(root, header.high - ahead, at_least=False),
    )


def _fault(line: CertificateLine, claim: Claim, is_stated: Callable[[Claim], bool]) -> str | None:
    """Return why a claim does not follow from those after its moves; None when it does."""
    moves = positions.moves(claim.board)
    if claim.at_least:
        moves = tuple(move for move in moves if move.pit == line.best)
        if not moves:
            return f"{line.board}: {line.best} is no move"
    for move in moves:
        after = claim.after(move)
        if not (claim.is_met_by(move) if after is None else is_stated(after)):
            return f"{line.board}: {line.bound} {line.value:+d} does not follow for pit {move.pit}"
    return None
