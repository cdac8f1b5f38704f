"""What every answer of the API is, and how it says that something is wrong."""

from __future__ import annotations

from msgspec import Struct


class View(Struct, frozen=True, kw_only=True):
    """A piece of an answer."""


class Problem(View, frozen=True):
    """What was wrong with a request.

    Attributes:
        code: one word for programs.
        message: one sentence for people.
    """

    code: str
    message: str


class ErrorView(View, frozen=True):
    """The answer to a request that can't be answered.

    Attributes:
        error: what was wrong.
    """

    error: Problem
