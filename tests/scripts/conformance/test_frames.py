"""The rules that faulty frames break."""

import pytest

from mancala.protocol import codec
from mancala.scripts.conformance.link import failure_of

MOVE = '{"type":"move","game":"g","ply":0'


@pytest.mark.parametrize(
    ("frame", "rule"),
    [
        ("pit 3", "section 1: Each message is one text frame"),
        ("[1]", "section 1: Each message is one text frame"),
        ('{"game":"g"}', "section 1: Each message is one text frame"),
        (
            f'{MOVE},"pit":1,"info":{{"comment":"{"x" * 20_000}"}}}}',
            "section 1: Each message is one",
        ),
        (f'{MOVE},"pit":true}}', "section 1: JSON types are exact"),
        (f'{MOVE},"pit":-1}}', "section 4: | `pit` | integer | the pit to sow"),
        (f"{MOVE}}}", "section 4: | `pit` | integer | the pit to sow"),
        (f'{MOVE},"pit":1,"info":3}}', "section 4: | `info?` | info | what the bot reports"),
        ('{"type":"join","ladder":"a\\u0007"}', "section 4: | `ladder` | name | the ladder"),
        ('{"type":"mvoe"}', "section 9: | `unknown_type`"),
        (
            '{"type":"hello","protocol":"\\u0007","name":"a"}',
            "section 1: No text from either end may hold a control character",
        ),
        (f'{MOVE},"pit":1e999}}', "section 4: | `pit` | integer | the pit to sow"),
        (
            '{"type":null}',
            "section 9: | `invalid` | the message is no object, or a member is missing",
        ),
        (
            '{"type":"hello","protocol":"p","name":"a","agent":{"name":1}}',
            "section 9: | `invalid` | the message is no object, or a member is missing",
        ),
    ],
)
def test_a_faulty_frame_breaks_the_rule_of_its_fault(frame: str, rule: str) -> None:
    """The author reads about the field, the type, or the frame, whichever is wrong."""
    with pytest.raises(codec.DecodeError) as fault:
        codec.decode_client(frame)
    failure = failure_of(frame, fault.value)
    assert failure.rule.startswith(f"SPEC.md, {rule}")
