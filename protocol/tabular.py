"""Results as tables: HTML for a notebook, and a frame of pandas or Polars if installed."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, Final

from .text import quantity

Rows = Sequence[Mapping[str, Any]]

FRAMES: Final = ("pandas", "polars")
MOST_SHOWN: Final = 40
"""Rows that a notebook shows of a result."""


class Tabular:
    """A result that a notebook shows as a table; its text is the caption."""

    __slots__ = ()

    @property
    def rows(self) -> Rows:
        """The rows of the table, each with the same keys."""
        raise NotImplementedError

    def to_frame(self) -> Any:  # noqa: ANN401  # of a package that may be missing
        """Return the rows as a frame of pandas, or of Polars where only that is installed.

        Raises:
            ModuleNotFoundError: when neither is installed.
        """
        return frame_of(self.rows)

    def _repr_html_(self) -> str:
        return html_of(self.rows, str(self))


def frame_of(rows: Rows) -> Any:  # noqa: ANN401  # of a package that may be missing
    """Return rows as a data frame of the first package of `FRAMES` that is installed."""
    for name in FRAMES:
        try:
            package = import_module(name)
        except ModuleNotFoundError:
            continue
        return package.DataFrame([dict(row) for row in rows])
    raise ModuleNotFoundError("a frame needs pandas or polars: pip install pandas")


def html_of(rows: Rows, caption: str) -> str:
    """Return the first `MOST_SHOWN` rows as an HTML table with a caption."""
    head = "".join(f"<th>{escape(key)}</th>" for key in (rows[0] if rows else ()))
    shown = [
        "".join(f"<td>{escape(_cell(value))}</td>" for value in row.values())
        for row in rows[:MOST_SHOWN]
    ]
    left = len(rows) - len(shown)
    told = f"{caption}\nand {quantity(left, 'row')}" if left > 0 else caption
    body = "".join(f"<tr>{cells}</tr>" for cells in shown)
    return (
        f'<table><caption style="white-space:pre-wrap;text-align:left">{escape(told)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
