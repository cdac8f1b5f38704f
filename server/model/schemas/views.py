"""What every answer of the API is, and how it says that something is wrong."""

from typing import Self

from msgspec import Struct


class View(Struct, frozen=True, kw_only=True):
    """A piece of an answer."""

    @classmethod
    def of(cls, source: object, **more: object) -> Self:
        """Return the view of a thing: what it has under the names of the fields, and more."""
        shared = (name for name in cls.__struct_fields__ if name not in more)
        return cls(
            **{name: getattr(source, name) for name in shared if hasattr(source, name)}, **more
        )


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
