"""Every sentence survives the wire, both ways."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mancala.protocol import codec, messages
from mancala.protocol.messages import ClientMessage, Message, Part, ServerMessage
from tests.protocol.strategies import EXAMPLES_A_TYPE, values


def tag(kind: type[Message]) -> str:
    return str(kind.__struct_config__.tag)


@pytest.mark.parametrize("kind", [*get_args(ClientMessage), *get_args(ServerMessage)], ids=tag)
@settings(max_examples=EXAMPLES_A_TYPE)
@given(data=st.data())
def test_what_one_end_says_arrives_as_it_was_said(kind: type[Message], data: st.DataObject) -> None:
    """Any message, once encoded, is decoded to the same by the other end."""
    message = data.draw(values(kind))
    is_clients = kind in get_args(ClientMessage)
    decode = codec.decode_client if is_clients else codec.decode_server
    assert decode(codec.encode(message)) == message


def test_every_message_is_said_by_someone() -> None:
    """No message type is left out of both unions."""
    said = {*get_args(ClientMessage), *get_args(ServerMessage)}
    room = messages.__name__ + "."
    ours = {kind for kind in Message.__subclasses__() if kind.__module__.startswith(room)}
    assert said == ours


@pytest.mark.parametrize("kind", [*Message.__subclasses__(), *Part.__subclasses__(), Message, Part])
def test_a_message_cannot_be_changed_and_takes_no_room_for_defaults(
    kind: type[Message | Part],
) -> None:
    """One message is sent to many, and validated once."""
    config = kind.__struct_config__
    assert (config.frozen, config.omit_defaults) == (True, True)


@pytest.mark.parametrize("kind", Message.__subclasses__(), ids=tag)
def test_a_message_is_tagged_with_its_name_in_small_letters(kind: type[Message]) -> None:
    """The word on the wire is the class's name, with underscores."""
    assert tag(kind).replace("_", "") == kind.__name__.lower()


def test_the_numbers_of_the_wire_stay_as_they_are() -> None:
    """Bots are written by them: the close code of a replaced connection, a part of a submission."""
    assert messages.REPLACED_CLOSE == 4001
    assert messages.SUBMISSION_PART == 3500


def test_a_submission_in_one_part_names_no_other() -> None:
    """A client that leaves `more` out has said everything."""
    said = codec.decode_client('{"type":"submit","submission":"a","text":"{}"}')
    assert said == messages.Submit("a", "{}", more=False)
