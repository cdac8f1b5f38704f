"""Submit an event that was played without a server, so that the server shows it."""

from __future__ import annotations

from typing import Final

from mancala.protocol import messages as wire
from mancala.protocol.submission import parts_of

from .conversation import Exchange, conversation

PATIENCE_S: Final = 60.0
TOO_OLD: Final = "the server is too old to take events"


async def submit_event(
    url: str, document: str, *, submission: str, name: str, token: str | None
) -> str:
    """Submit an event, in the place of what was submitted under its id before.

    Args:
        url: the server's address, ``ws://…`` or ``wss://…``.
        document: the event, as `mancala.protocol.submission.document_of` makes it.
        submission: its id.
        name: the name of the token.
        token: a credential of that name with the right to submit.

    Returns:
        Its name on the server's page: ``/elsewhere/KEY``.

    Raises:
        ConnectionFailedError: when the server could not be reached, or did not answer in 60 s.
        RefusedError: when the server refuses the token or the document.
        ServerLeftError: when the server says goodbye.
        ServerFaultError: when the server breaks the protocol, or is too old to take events.
    """
    hello = wire.Hello(wire.VERSION, name, token=token)
    async with conversation(url, hello, patience_s=PATIENCE_S, too_old=TOO_OLD) as talk:
        while True:
            match await talk.receive():
                case wire.Welcome():
                    await _send_parts(talk, submission, document)
                case wire.Submitted(key=key):
                    await talk.leave()
                    return key


async def _send_parts(talk: Exchange, submission: str, document: str) -> None:
    *others, last = parts_of(document)
    for part in others:
        await talk.send(wire.Submit(submission, part, more=True))
    await talk.send(wire.Submit(submission, last))
