"""Ask a running server for an action, over its control socket; blocking, for commands."""

import socket  # noqa: TID251  # the way to the server
from pathlib import Path  # noqa: TID251  # of the socket, which the settings name
from typing import Final

import msgspec

from ..model.system_users import name_of_user
from ..net.socket_path import short_path
from .wire import LONGEST_RESPONSE, Request, Response, line_of

TIMEOUT_S: Final = 600.0
"""Longest wait for a response: games of a whole season are annulled within a minute."""


class NotRunningError(Exception):
    """No server listens at the control socket."""


def ask(path: str, request: Request) -> Response:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_S)
        try:
            with short_path(path) as place:
                connection.connect(place)
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunningError(path) from None
        except PermissionError:
            raise PermissionError(_of_another(path)) from None
        connection.sendall(line_of(request))
        with connection.makefile("rb") as answers:
            line = answers.readline(LONGEST_RESPONSE)
    if not line.endswith(b"\n"):
        raise OSError(f"{path}: the server ended before it answered")
    return msgspec.json.decode(line, type=Response)


def _of_another(path: str) -> str:
    """Return the sentence for a user that may not open the socket."""
    try:
        owner = name_of_user(Path(path).stat().st_uid)
    except OSError:  # in a folder that is closed, too
        return f"{path}: only the server's own user may give it orders; run this as that user"
    return f"{path}: only {owner}, who runs the server, may give it orders; run this as {owner}"
