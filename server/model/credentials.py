"""What a token gives the right to, and what can be wrong with one."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol


class Rights(NamedTuple):
    """What the holder of a token may do besides playing."""

    is_reviewer: bool = False
    is_submitter: bool = False


NO_RIGHTS: Final = Rights()


class TokenProblem(NamedTuple):
    """Why the bearer of a token may not use a name."""

    detail: str
    is_free: bool = False


class Credential(NamedTuple):
    """The public facts about a token."""

    name: str
    created_at: str
    revoked_at: str | None
    is_reviewer: bool = False
    is_submitter: bool = False


class Credentials(Protocol):
    """Checks tokens, and knows what they give the right to; answers come on the event loop."""

    def check(
        self, name: str, token: str | None, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Call ``answer`` with None when the bot may log in, or with what is wrong."""

    def verify_session(self, secret_hash: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether a session is still valid: its token wasn't revoked."""

    def bind(
        self, name: str, token: str, at: str, answer: Callable[[TokenProblem | None], None]
    ) -> None:
        """Bind a free name to a token; call ``answer`` with None or with what is wrong."""

    def has_played(self, name: str, answer: Callable[[bool], None]) -> None:
        """Call ``answer`` with whether a name has games that count, or the store could not say."""

    def may_submit(self, name: str, answer: Callable[[bool | None], None]) -> None:
        """Call ``answer`` with whether a token's holder may submit events; None if not known."""
