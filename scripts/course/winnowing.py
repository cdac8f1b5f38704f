"""Fingerprints of programs' sources, by winnowing; pure.

S. Schleimer, D. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting",
SIGMOD 2003. A source becomes tokens without comments, in which every name is ``v``, every number
``0`` and every text ``s``, so renaming and reformatting change nothing. Of the hashes of all runs
of `RUN` tokens, the least in each window of `WINDOW` is kept. So two sources that share a run of
``RUN + WINDOW - 1`` tokens share a fingerprint, whatever surrounds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final

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
    """Yield the tokens of a source in any of the usual languages."""
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
    """Return the fingerprints of a program.

    Args:
        sources: its files.
        known: hashes that count for nothing, such as those of the starters.
    """
    return frozenset(each for source in sources for each in _winnowed(runs_of(source))) - known


def _winnowed(hashes: list[int]) -> Iterator[int]:
    for at in range(max(1, len(hashes) - WINDOW + 1)):
        if window := hashes[at : at + WINDOW]:
            yield min(window)


def _hash(words: list[str]) -> int:
    digest = blake2b(" ".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest)
