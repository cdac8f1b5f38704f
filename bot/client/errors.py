"""The errors that end a bot early, each with its facts as attributes."""

import os  # noqa: TID251  # for the texts of error numbers
import re
import socket  # noqa: TID251  # for the type of an error
import ssl
import traceback
from typing import Final

from websockets.exceptions import InvalidMessage, InvalidStatus

from mancala.protocol.messages import REPLACED, ErrorCode

from .proxies import reason_at_proxy

OURS: Final = ("mancala.bot.client.", "mancala.protocol.", "asyncio.", "websockets.")
"""The modules whose frames a traceback leaves out at its beginning."""
ERRNO: Final = re.compile(r"\[Errno ([0-9]+)\]")
PAGES: Final = frozenset({200, 301, 302, 307, 308, 403, 404, 405, 426})
"""The statuses by which a port of web pages answers who asks for a websocket."""


class ClientError(Exception):
    """The bot cannot go on."""


class WrongCallError(ClientError):
    """`run` or `play` was called with something that can't be used; nothing was connected."""


class ConnectionFailedError(ClientError):
    """The server could not be reached, or closed without a word; the cause says why."""


class RefusedError(ClientError):
    """The server refused a message.

    Attributes:
        code: what was wrong with it, in the server's terms.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        self.code = code
        super().__init__(f"the server refused: {message} ({code})")


class ServerLeftError(ClientError):
    """The server said goodbye without a time to come back.

    Attributes:
        reason: the reason it gave.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the server said goodbye: {reason or 'no reason given'}")


class ReplacedError(ServerLeftError):
    """Another process resumed this bot's session; coming back would put that one out."""

    def __init__(self) -> None:
        super().__init__(REPLACED)
        self.args = (
            "another process with this bot's session took over its games; this one stays away",
        )


class ServerFaultError(ClientError):
    """The server broke the protocol: a frame was no message, or came out of place."""


class PlayerFailedError(ClientError):
    """The player raised something other than `PlayerError`; the cause is what it raised."""


def raised(error: BaseException) -> str:
    """Return an error and the line that raised it, in one phrase."""
    frames = traceback.extract_tb(error.__traceback__)
    file = os.path.basename(frames[-1].filename) if frames else ""  # noqa: PTH119  # a text
    where = f" ({file}, line {frames[-1].lineno})" if frames else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}{where}" if text else f"{error!r}{where}"


def drop_own_frames(error: ClientError) -> None:
    """Let an error's traceback, and that of what led to it, begin in the bot's own code.

    A dozen frames of tasks and sockets say nothing to the author of a bot.
    """
    link: BaseException | None = error
    while link is not None:
        frames = link.__traceback__
        while frames is not None and frames.tb_frame.f_globals.get("__name__", "").startswith(OURS):
            frames = frames.tb_next
        link.__traceback__ = frames
        link.__suppress_context__ = True
        link = link.__cause__


def reason_of(error: Exception, url: str = "") -> str:
    """Return why a connection failed, in the system's words and without its error number."""
    if url.startswith("wss:") and _is_no_tls(error):
        return "what answers there speaks no TLS; does the address begin with ws://?"
    if reason := reason_at_proxy(error, url) or _of_addresses(error):
        return reason
    match error:
        case TimeoutError():
            reason = "no answer in time"
        case ConnectionRefusedError():
            reason = "no server listens there; 'mancala serve' starts one"
        case socket.gaierror():
            reason = "no host is known by this name; check the address"
        case ssl.SSLCertVerificationError():
            how = "name a PEM file of its authority by --ca or SSL_CERT_FILE"
            reason = f"{error.verify_message}; {how}"
        case OSError() if error.errno is not None:
            known = error.errno > 0 and not hasattr(error, "reason")  # SSL counts its own errors
            reason = (os.strerror(error.errno) if known else str(error.strerror)).lower()
        case InvalidStatus():
            reason = _of_status(error.response.status_code)
        case InvalidMessage():
            reason = (
                "what answers at this address speaks no websocket; "
                "is it the bots' port, or is its scheme wss://?"
            )
        case _:
            reason = str(error) or "the connection was closed without a word"
    return reason


def _is_no_tls(error: Exception) -> bool:
    """Return whether a handshake of TLS failed before there was any certificate."""
    if isinstance(error, ssl.SSLError):
        return not isinstance(error, ssl.SSLCertVerificationError)
    return isinstance(error, ConnectionResetError) and error.errno is None


def _of_addresses(error: Exception) -> str:
    """Return why none of a host's addresses was reached; empty for other errors."""
    several = isinstance(error, OSError) and error.errno is None
    found = ERRNO.findall(str(error)) if several else ()
    return "; ".join(dict.fromkeys(reason_of(OSError(int(each), "")) for each in found))


def _of_status(status: int) -> str:
    if status in PAGES:
        return (
            f"HTTP {status}: this port serves web pages, not bots; "
            "the page 'Take part' there has the bots' address"
        )
    return f"the server answered HTTP {status} instead of opening a websocket"
