"""CPython's random generator, so that a compiled game draws what ``random.Random`` would draw.

It is the Mersenne Twister MT19937 (Matsumoto, Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998)
with the authors' ``init_by_array``, as in CPython's ``Modules/_randommodule.c``. ``Random.choice``
draws an index below ``n`` from the highest ``n.bit_length()`` bits of a word, again until it is
below. Words are twisted one at a time, in the order in which the original twists all 624; a game
needs few of them.

A generator is u64[625]: 624 words of 32 bits, and the index of the next one. Several lie one after
the other in one array.
"""

from functools import cache
from typing import Final

import numpy as np

from .compiler import Int, inlined
from .layout import U0, U1, Words

WORDS: Final = 624
MIDDLE: Final = 397
SIZE: Final = 625
NEXT: Final = 624
"""Index of the number of the next word."""
FIRST_SEED = np.uint64(19650218)
MASK = np.uint64(0xFFFFFFFF)
TOP_BIT = np.uint64(0x80000000)
LOW_BITS = np.uint64(0x7FFFFFFF)
TWIST = np.uint64(0x9908B0DF)
GROW, GROW_ONE, GROW_TWO = np.uint64(1812433253), np.uint64(1664525), np.uint64(1566083941)
SHIFT = np.uint64(30)
HALF = np.uint64(32)
TEMPER_ONE, TEMPER_TWO = np.uint64(0x9D2C5680), np.uint64(0xEFC60000)
U7, U11, U15, U18 = np.uint64(7), np.uint64(11), np.uint64(15), np.uint64(18)


@cache
def base() -> Words:
    """Return the words that every seeding begins from: ``init_genrand(19650218)``, u64[624]."""
    words = [int(FIRST_SEED)]
    for place in range(1, WORDS):
        last = words[-1]
        words.append((int(GROW) * (last ^ (last >> 30)) + place) & int(MASK))
    return np.array(words, dtype=np.uint64)


def generators(count: int) -> Words:
    """Allocate generators; seed each before use."""
    return np.zeros(count * SIZE, dtype=np.uint64)


@inlined
def mix_last(states: Words, at: int) -> np.uint64:
    """Return the word before an index, mixed as every step of a seeding mixes it."""
    last = states[at - 1]
    mixed: np.uint64 = last ^ (last >> SHIFT)
    return mixed


@inlined
def seed_twister(states: Words, number: int, start: Words, seed: np.uint64) -> None:
    """Seed a generator as ``Random(seed)`` does; ``start`` is what :func:`base` returns."""
    first = number * SIZE
    low, high = seed & MASK, seed >> HALF
    length = 2 if high != U0 else 1
    for place in range(WORDS):
        states[first + place] = start[place]
    at, word = 1, 0
    for _ in range(WORDS):
        mixed = mix_last(states, first + at) * GROW_ONE
        key = high + U1 if word == 1 else low
        states[first + at] = ((states[first + at] ^ mixed) + key) & MASK
        at += 1
        word = word + 1 if word + 1 < length else 0
        if at == WORDS:
            states[first] = states[first + WORDS - 1]
            at = 1
    for _ in range(WORDS - 1):
        mixed = mix_last(states, first + at) * GROW_TWO
        states[first + at] = ((states[first + at] ^ mixed) - np.uint64(at)) & MASK
        at += 1
        if at == WORDS:
            states[first] = states[first + WORDS - 1]
            at = 1
    states[first] = TOP_BIT
    states[first + NEXT] = U0


@inlined
def next_word(states: Words, number: int) -> np.uint64:
    """Return the next 32 random bits of a generator."""
    first = number * SIZE
    at = np.int64(states[first + NEXT])
    after = at + 1 if at + 1 < WORDS else 0
    middle = at + MIDDLE if at + MIDDLE < WORDS else at + MIDDLE - WORDS
    joined = (states[first + at] & TOP_BIT) | (states[first + after] & LOW_BITS)
    word = states[first + middle] ^ (joined >> U1) ^ (TWIST if joined & U1 != U0 else U0)
    states[first + at] = word
    states[first + NEXT] = np.uint64(after)
    word ^= word >> U11
    word ^= (word << U7) & TEMPER_ONE
    word ^= (word << U15) & TEMPER_TWO
    drawn: np.uint64 = word ^ (word >> U18)
    return drawn


@inlined
def below(states: Words, number: int, count: int) -> Int:
    """Return a random number below ``count``, as ``Random.choice`` draws its index."""
    bits = 0
    while count >> bits:
        bits += 1
    shift = HALF - np.uint64(bits)
    drawn = np.int64(next_word(states, number) >> shift)
    while drawn >= count:
        drawn = np.int64(next_word(states, number) >> shift)
    return drawn
