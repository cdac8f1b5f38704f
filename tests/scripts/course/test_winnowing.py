"""Fingerprints of sources."""

import time

import pytest

from mancala.scripts.course.likeness import RUN, WINDOW, fingerprints, runs_of, tokens

SOURCE = """
def choose(board, depth):
    # look at every pit
    best = None
    for pit in board.legal():
        value = -search(board.sow(pit), depth - 1, "deep")
        if best is None or value > best[0]:
            best = value, pit
    return best[1]
"""
RENAMED = """
def pick(b, d):
    top = None  # nothing yet
    for p in b.legal():
            v = -look(b.sow(p),   d - 2, 'far away')
            if top is None or v > top[0]:
                top = v, p
    return top[1]
"""
OTHER = """
int main(void) { char line[99]; while (fgets(line, 99, stdin)) { puts("0"); fflush(stdout); } }
"""


def test_names_numbers_texts_comments_and_layout_do_not_count() -> None:
    """A renamed and reformatted copy has the same fingerprints."""
    assert fingerprints([SOURCE]) == fingerprints([RENAMED]) != frozenset()
    assert not fingerprints([SOURCE]) & fingerprints([OTHER])


def test_a_shared_run_is_found_whatever_surrounds_it() -> None:
    """A run of `RUN` + `WINDOW` - 1 tokens leaves a fingerprint in common."""
    shared = " ".join(f"v[{'+' * n}]" for n in range(RUN + WINDOW))
    one, other = f"{SOURCE}{shared}", f"{OTHER}{shared};{OTHER}"
    assert fingerprints([one]) & fingerprints([other])


def test_what_is_known_counts_for_nothing() -> None:
    """A starter as it is handed out has no fingerprints of its own."""
    assert fingerprints([SOURCE], frozenset(runs_of(SOURCE))) == frozenset()


def test_a_source_that_is_too_short_has_no_fingerprint() -> None:
    """So two empty programs are not alike."""
    assert fingerprints(["", "x = 1"]) == frozenset()


@pytest.mark.parametrize("text", ["/*", "'''", '"\\"', "'", "0", "a_", '"""', "\\"])
def test_a_hostile_source_takes_no_longer_than_another(text: str) -> None:
    """What is opened and never closed is read once; processor time counts."""
    began = time.process_time()
    taken = list(tokens(text * (1 << 15)))
    assert len(taken) <= 1 << 16
    assert time.process_time() - began < 20
