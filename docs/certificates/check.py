"""Check a certificate of a value of Kalah: python check.py FILE [--leaves].

It needs nothing but Python. A certificate claims bounds of a position's value: the store difference
at the end of the game under best play, for the player to move. Each claim bounds the value from
below ("low") or above ("high"), without regard to the stores. A claim that is no leaf has to follow
from claims on the positions after its moves: a lower bound by one move, "best"; an upper bound by
every move. What the leaves say is not proven here; --leaves prints each. The form is canonical: one
line for a bound of a position, which some claim needs just as strong; stores in the header only.
Exit code 0 means that all claims follow from the leaves, 1 that they do not.
"""

import gzip
import json
import lzma
import re
import sys
from typing import Any, TypeAlias

Claim: TypeAlias = tuple[tuple[int, ...], str, int]
Claims: TypeAlias = dict[tuple[tuple[int, ...], str], tuple[Claim, int, bool]]
HEADER = ["type", "board", "rules", "low", "high", "nodes", "format"]
RULES = re.compile(
    r"(kalah|kalah-empty-capture)(?::pits=([1-9][0-9]*)(?:,seeds=[1-9][0-9]*)?|:seeds=[1-9][0-9]*)?"
)
PRESETS = {"kalah": False, "kalah-empty-capture": True}  # whether a single seed is captured


def sow(
    board: tuple[int, ...], pit: int, *, takes_single: bool
) -> tuple[int, tuple[int, ...] | None, bool]:
    """Return what the mover gains, the position after the move or None, and if it moves again.

    takes_single: whether the last seed is captured also where the opposite pit is empty.
    """
    pits = len(board) // 2
    cells, hand, at, gain = list(board), board[pit], pit, 0
    cells[pit] = 0
    ring = 2 * pits + 1  # the own pits, the own store, the other's pits
    while hand:
        at = (at + 1) % ring
        hand -= 1
        if at == pits:
            gain += 1
        else:
            cells[at if at < pits else at - 1] += 1
    again = at == pits
    opposite = 2 * pits - 1 - at
    if at < pits and cells[at] == 1 and (cells[opposite] or takes_single):
        gain += 1 + cells[opposite]
        cells[at] = cells[opposite] = 0
    own, other = cells[:pits], cells[pits:]
    if not any(own) or not any(other):
        return gain + sum(own) - sum(other), None, False
    return gain, tuple(cells if again else other + own), again


def board_of(text: str) -> tuple[list[int], tuple[int, ...]]:
    """Return the stores and the pits, the mover's first, of a board in its one form."""
    numbers = [int(part) for part in text.strip("<>").split(",")]
    pits = tuple(numbers[3:])
    if f"<{','.join(map(str, numbers))}>" != text or len(pits) != 2 * numbers[0]:
        raise ValueError(f"no board: {text}")
    if min(numbers) < 0 or not any(pits[: numbers[0]]) or not any(pits[numbers[0] :]):
        raise ValueError(f"no position of a game: {text}")
    return numbers[1:3], pits


def claim_of(text: str) -> tuple[Claim, int, bool]:
    """Return a line's claim (pits, bound, value), its best move, and whether it is a leaf."""
    line = json.loads(text)
    members = list(line)
    more = ["leaf"] if line.get("leaf") is True else ["best"] if line.get("bound") == "low" else []
    if members != ["board", "bound", "value", *more]:
        raise ValueError(f"no claim: {text}")
    if json.dumps(line, separators=(",", ":")) != text or line["bound"] not in ("low", "high"):
        raise ValueError(f"not in the one form: {text}")
    if type(line["value"]) is not int or type(line.get("best", 0)) is not int:
        raise ValueError(f"not a whole number: {text}")
    stores, pits = board_of(line["board"])
    if stores != [0, 0] or abs(line["value"]) > sum(pits):
        raise ValueError(f"stores stand in the header only, or more than all seeds: {text}")
    return (pits, line["bound"], line["value"]), line.get("best", -1), "leaf" in line


def needs(claim: Claim, best: int, *, takes_single: bool) -> list[Claim]:
    """Return the claims that a claim follows from; raise ValueError where it cannot."""
    pits, bound, value = claim
    chosen = [best] if bound == "low" else [pit for pit in range(len(pits) // 2) if pits[pit]]
    wanted = []
    for pit in chosen:
        if pit not in range(len(pits) // 2) or not pits[pit]:
            raise ValueError(f"pit {pit} is no move of {pits}")
        gain, after, again = sow(pits, pit, takes_single=takes_single)
        if after is None:
            if gain < value if bound == "low" else gain > value:
                raise ValueError(f"{claim} does not follow for pit {pit}")
        elif again:
            wanted.append((after, bound, value - gain))
        else:
            wanted.append((after, "high" if bound == "low" else "low", gain - value))
    return wanted


def is_known(claim: Claim) -> bool:
    """Return whether a claim holds of any position: no player gains more than all seeds."""
    pits, bound, value = claim
    return value <= -sum(pits) if bound == "low" else value >= sum(pits)


def header_of(text: str) -> tuple[dict[str, Any], int, tuple[int, ...], bool]:
    """Return the header, the mover's lead, the pits, and whether single seeds are captured."""
    header = json.loads(text)
    stores, pits = board_of(header["board"])
    if list(header) != HEADER or json.dumps(header, separators=(",", ":")) != text:
        raise ValueError("not in the one form")
    numbers = [header[name] for name in HEADER[3:]]
    if any(type(number) is not int for number in numbers) or header["nodes"] < 0:
        raise ValueError("not a whole number in the header")
    if header["type"] != "certificate" or header["format"] != 1:
        raise ValueError("no certificate of this format")
    found = RULES.fullmatch(header["rules"])
    if not found or int(found[2] or 6) != len(pits) // 2:
        raise ValueError(f"rules that this program does not know: {header['rules']}")
    return header, stores[0] - stores[1], pits, PRESETS[found[1]]


def expect_needed(claims: Claims, head: list[Claim], *, takes_single: bool) -> None:
    """Raise ValueError unless all claims follow, and each is needed just as strong."""
    done, path, needed = set(), set(), set()
    waiting = [(claim, False) for claim in head if not is_known(claim)]
    while waiting:
        want, is_left = waiting.pop()
        claim, best, leaf = claims.get(want[:2], (None, -1, False))
        if claim is None or (claim[2] < want[2] if want[1] == "low" else claim[2] > want[2]):
            raise ValueError(f"no line says {want}")
        if is_left:
            path.discard(claim)
            done.add(claim)
            continue
        needed.add(want)
        if claim in path:
            raise ValueError(f"a circle at {claim}")
        if claim not in done:
            path.add(claim)
            waiting.append((claim, True))
            wanted = [] if leaf else needs(claim, best, takes_single=takes_single)
            waiting += [(want, False) for want in wanted if not is_known(want)]
    if unneeded := sum(claim not in needed for claim, _, _ in claims.values()):
        raise ValueError(f"{unneeded} lines say more than any bound needs, or are not used")


def check(text: str) -> tuple[dict[str, Any], list[Claim]]:
    """Return the header and the leaves; raise ValueError where something does not follow."""
    first, *rest, end = text.split("\n")
    if end:
        raise ValueError("the last line has no end")
    header, ahead, pits, takes_single = header_of(first)
    claims: Claims = {}
    for line in rest:
        claim, best, leaf = claim_of(line)
        if claim[:2] in claims:
            raise ValueError(f"a second line for a bound of a position: {line}")
        if sum(claim[0]) > sum(pits) or len(claim[0]) != len(pits) or is_known(claim):
            raise ValueError(f"not of this game, or says nothing: {line}")
        claims[claim[:2]] = (claim, best, leaf)
    for (position, bound), (claim, _, _) in claims.items():
        other = claims.get((position, "low"))
        if bound == "high" and other is not None and other[0][2] > claim[2]:
            raise ValueError("two claims contradict each other")
    head = [(pits, "low", header["low"] - ahead), (pits, "high", header["high"] - ahead)]
    if header["low"] > header["high"] or all(map(is_known, head)):
        raise ValueError("the header claims nothing, or what cannot be")
    expect_needed(claims, head, takes_single=takes_single)
    return header, [claim for claim, _, leaf in claims.values() if leaf]


FAULTS = (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


def main() -> None:
    """Check the file that the command line names."""
    path = sys.argv[1]
    try:
        unpacked = lzma.open if path.endswith(".xz") else gzip.open
        with (unpacked if path.endswith((".xz", ".gz")) else open)(path, "rb") as file:
            text = file.read().decode("ascii")
        header, leaves = check(text)
    except (*FAULTS, lzma.LZMAError) as error:
        sys.exit(f"refused: {error}")
    if "--leaves" in sys.argv:
        for pits, bound, value in leaves:
            words = "at least" if bound == "low" else "at most"
            own, other = pits[: len(pits) // 2], pits[len(pits) // 2 :]
            print(f"{own} against {other}: the mover gains {words} {value:+d}")
    worth = f"{header['low']:+d} to {header['high']:+d}"
    print(f"{header['board']} is worth {worth} if {len(leaves)} leaves hold")


if __name__ == "__main__":
    main()
