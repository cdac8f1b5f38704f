"""Which programs are alike, in their sources and in what they play; pure.

A list for a person to look at, never a verdict: two honest programs may be alike, and a copy may be
disguised.

**Sources** are compared by their fingerprints, without those of the starters (S. Schleimer,
D. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting", SIGMOD 2003). A
source becomes tokens without comments, in which every name is ``v``, every number ``0`` and every
text ``s``, so renaming and reformatting change nothing. Of the hashes of all runs of `RUN` tokens,
the least in each window of `WINDOW` is kept. So two sources that share a run of
``RUN + WINDOW - 1`` tokens share a fingerprint, whatever surrounds it.

**Play** is compared in positions with several equally good moves, where both programs play one of
them, and neither the one that an unchanged starter plays: there strength does not say which, nor
does what all began with. How often each of the moves is chosen is estimated from all
other programs, with one more choice of each. Independent programs then agree in such a position
with the chance ``Σ p²``. The number of agreements is a sum of independent events with these
chances, so the chance of at least as many is exact. It is to be read beside the number of pairs:
of 1,000 pairs, one reaches a chance of 1 in 1,000 by luck.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from typing import Final, NamedTuple

from .mistakes import JudgedAnswer

LIKE_SOURCES: Final = 0.5
"""The share of the smaller program's fingerprints from which a pair is listed."""
FEWEST_SHARED: Final = 8
"""Fingerprints that a listed pair shares at least, so that small programs are not all alike."""
LUCK: Final = 0.05
"""The chance that any pair is listed for its play by luck."""

RUN: Final = 14
WINDOW: Final = 7
TOKEN: Final = re.compile(
    r"""(?P<comment>//[^\n]*|\#[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    |(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<sign>[^\w\s])""",
    re.VERBOSE | re.DOTALL,
)
"""Each way is linear in the text: what is never closed reaches to the end of line or file."""
KEPT: Final = re.compile(
    "and|async|await|break|case|catch|class|const|continue|def|default|do|elif|else|enum|except"
    "|finally|for|fn|func|function|if|import|in|int|lambda|let|match|new|not|or|package|pass"
    "|public|return|static|struct|switch|throw|try|type|var|void|while|with|yield"
)
"""Words that are kept as they are; all other names are alike."""


def tokens(source: str) -> Iterator[str]:
    for found in TOKEN.finditer(source):
        match found.lastgroup:
            case "number":
                yield "0"
            case "text":
                yield "s"
            case "name":
                yield found[0] if KEPT.fullmatch(found[0]) else "v"
            case "sign":
                yield found[0]
            case _:
                pass


def runs_of(source: str) -> list[int]:
    """Return the hash of each run of tokens, in order."""
    words = list(tokens(source))
    return [_hash(words[at : at + RUN]) for at in range(len(words) - RUN + 1)]


def fingerprints(sources: Iterable[str], known: frozenset[int] = frozenset()) -> frozenset[int]:
    """Return the fingerprints of a program, without known ones such as those of the starters."""
    return frozenset(each for source in sources for each in _winnowed(runs_of(source))) - known


def _winnowed(hashes: list[int]) -> Iterator[int]:
    for at in range(max(1, len(hashes) - WINDOW + 1)):
        if window := hashes[at : at + WINDOW]:
            yield min(window)


def _hash(words: list[str]) -> int:
    digest = blake2b(" ".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest)


class ComparedProgram(NamedTuple):
    team: str
    prints: frozenset[int]
    answers: Sequence[JudgedAnswer]


class LikePair(NamedTuple):
    """Two programs that are alike.

    Attributes:
        sources: the share of the smaller program's fingerprints that both have, 0..1.
        agreed: positions with several best moves in which both play the same one.
        compared: positions with several best moves in which both play one of them.
        chance: of at least as many agreements between independent programs, 0..1.
    """

    one: str
    other: str
    sources: float
    shared: int
    agreed: int
    compared: int
    chance: float


def alike(programs: Sequence[ComparedProgram]) -> list[LikePair]:
    """Return the pairs that are alike in sources or play, the most alike first."""
    pairs = list(combinations(sorted(programs, key=lambda each: each.team), 2))
    choices = _choices(programs)
    found = (_compared(one, other, choices) for one, other in pairs)
    listed = (pair for pair in found if _is_listed(pair, len(pairs)))
    return sorted(listed, key=lambda pair: (-pair.sources, pair.chance, pair.one, pair.other))


def chance_of_at_least(count: int, chances: Iterable[float]) -> float:
    """Return the chance that ``count`` or more of independent events of these chances happen."""
    spread = [1.0]
    for chance in chances:
        spread = [
            stays * (1 - chance) + comes * chance
            for stays, comes in zip([*spread, 0.0], [0.0, *spread], strict=True)
        ]
    return min(1.0, sum(spread[count:]))


Choices = Mapping[int, Counter[int]]
"""How often each best move is chosen, by position."""


def _choices(programs: Iterable[ComparedProgram]) -> Choices:
    found: dict[int, Counter[int]] = {}
    for program in programs:
        for answer in _open_answers(program):
            found.setdefault(answer.position, Counter())[answer.pit or 0] += 1
    return found


def _open_answers(program: ComparedProgram) -> Iterator[JudgedAnswer]:
    """Yield the answers that are one of several best moves which no starter plays."""
    return (each for each in program.answers if each.pit in _open(each) and len(_open(each)) > 1)


def _open(answer: JudgedAnswer) -> list[int]:
    """Return the best moves without that of the starters."""
    return [pit for pit in answer.best if pit != answer.starter]


def _compared(one: ComparedProgram, other: ComparedProgram, choices: Choices) -> LikePair:
    theirs = {each.position: each.pit for each in _open_answers(other)}
    both = [each for each in _open_answers(one) if each.position in theirs]
    agreed = sum(each.pit == theirs[each.position] for each in both)
    chances = [
        _agreement(_open(each), choices[each.position], (each.pit, theirs[each.position]))
        for each in both
    ]
    shared = len(one.prints & other.prints)
    fewest = min(len(one.prints), len(other.prints))
    return LikePair(
        one.team,
        other.team,
        shared / fewest if fewest else 0.0,
        shared,
        agreed,
        len(both),
        chance_of_at_least(agreed, chances),
    )


def _agreement(best: Sequence[int], chosen: Counter[int], pair: Sequence[int | None]) -> float:
    """Return the chance that two independent programs play the same one of the best moves."""
    others = {pit: chosen[pit] - pair.count(pit) + 1 for pit in best}
    return sum((count / sum(others.values())) ** 2 for count in others.values())


def _is_listed(pair: LikePair, pairs: int) -> bool:
    has_like_sources = pair.sources >= LIKE_SOURCES and pair.shared >= FEWEST_SHARED
    return has_like_sources or pair.chance * pairs < LUCK
