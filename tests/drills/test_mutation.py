"""Spoilt frames: near enough to true ones, and the same for the same rng."""

from random import Random
from typing import get_args

from mancala.protocol import codec
from mancala.protocol.messages import ClientMessage
from tests.drills.mutation import HANDSHAKE, sentences, spoil


def test_the_true_sentences_are_what_a_client_may_say() -> None:
    """Each kind of message occurs, and each is well formed."""
    messages = [codec.decode_client(frame) for frame in sentences("g1", "ann")]
    assert {type(message) for message in messages} == set(get_args(ClientMessage))


def test_the_same_chance_spoils_in_the_same_way() -> None:
    """What a drill found can be found again from its seed."""
    one, other = ([spoil(HANDSHAKE, Random(seed)) for seed in range(50)] for _ in range(2))
    assert one == other


def test_most_spoilt_frames_are_no_message_and_some_still_are() -> None:
    """Both the codec and what lies behind it are put to the test."""
    rng = Random(1)
    verdicts = [_is_message(spoil(rng.choice(sentences("g", "ann")), rng)) for _ in range(500)]
    assert 0.005 < sum(verdicts) / len(verdicts) < 0.5


def _is_message(frame: bytes) -> bool:
    try:
        codec.decode_client(frame)
    except codec.DecodeError:
        return False
    return True
