"""FIDE's Dutch system (Handbook C.04.3), as the program gacrux pairs by it.

A match server asks it in a process of its own, which is ended when it takes too long, ends with the
server, and takes no turns from the event loop; who plays an event without a server asks it here.
"""

import subprocess  # noqa: TID251  # a simulated server asks in its own process
import sys
from functools import lru_cache
from typing import Final

from mancala.parent_death import ending_with_us
from mancala.protocol import codec

LONGEST_S: Final = 60.0
"""How long a round may take to be paired in a process of its own; 200 players take a second."""
Pairs = tuple[tuple[int, int], ...]
"""Pairing numbers of each board, who has the first seat first; 0 for no opponent."""


class PairingFailedError(RuntimeError):
    """A round could not be paired; the message says why."""


@lru_cache(maxsize=64)  # an event without a server is planned from its start after each game
def paired_here(report: str, number: int, unpaired: tuple[int, ...]) -> Pairs | None:
    """Return the pairs of a round in order of boards; None where no pairing keeps the rules.

    Args:
        report: the event so far, in FIDE's format for reports (TRF).
        number: the round, from 1.
        unpaired: the pairing numbers of those who are not paired in it.

    Raises:
        PairingFailedError: when the program can't read the report, or fails.
    """
    from gacrux.gacruxexeptions import GacruxNoLegalPairing  # noqa: PLC0415  # takes half a second
    from gacrux.pairingdutch import pairing_dutch  # noqa: PLC0415  # as above
    from gacrux.trf2json import trf2json  # noqa: PLC0415  # as above

    file = trf2json()
    try:
        file.parse_file(report, 0)
        event = file.get_tournament(1)
        for each in event["competitors"]:
            each["present"] = each["cid"] not in unpaired
        options = {"experimental": [], "verbose": 0, "top_color": " "}
        brackets = pairing_dutch(event, number, options).compute_pairing(checkonly=False)
    except GacruxNoLegalPairing:
        return None
    except Exception as error:
        said = file.chessjson["status"]["error"] or [f"{type(error).__name__}: {error}"]
        raise PairingFailedError(f"gacrux: {'; '.join(said)}") from error
    pairs = [pair for each in brackets for pair in each["pairs"]]
    return tuple((it["w"], it["b"]) for it in sorted(pairs, key=lambda it: it["board"]))


def paired_in_child(report: str, number: int, unpaired: tuple[int, ...]) -> Pairs | None:
    """Return what :func:`paired_here` does, from a child; no answer in time is the same error."""
    try:
        ended = subprocess.run(  # noqa: S603  # the arguments are this module's
            ending_with_us(sys.executable, "-P", "-m", __name__),
            input=codec.to_json((report, number, unpaired)),
            capture_output=True,
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PairingFailedError(f"gacrux did not pair within {LONGEST_S:g} s") from None
    except OSError as error:
        raise PairingFailedError(f"gacrux was not started: {error}") from error
    if ended.returncode:
        said = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        why = said.removeprefix("PairingFailedError: ")
        raise PairingFailedError(why or f"gacrux ended with exit code {ended.returncode}")
    try:
        return codec.from_json(ended.stdout, tuple[Pairs | None])[0]
    except ValueError as error:
        raise PairingFailedError(f"gacrux's answer is no pairing: {error}") from error


if __name__ == "__main__":
    asked = codec.from_json(sys.stdin.buffer.read(), tuple[str, int, tuple[int, ...]])
    sys.stdout.buffer.write(codec.to_json([paired_here(*asked)]))
