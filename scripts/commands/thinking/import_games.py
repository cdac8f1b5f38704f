"""``mancala import``: lists of moves become game records, checked by replaying them.

A list is a line of numbers, such as ``[3, 1, 11, 9]``, in front of which a label and a colon may
stand; the label names the game. ``--numbering article`` reads the numbers of the article's
simulator: one ring, Player 1's pits 0 to 5, Player 2's 7 to 12. Otherwise a number is a pit of the
player whose turn it is, counted from 0 in that player's direction. With ``--sides`` a game is two
lists, one for each player, as the article prints its agent's moves and its author's.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ...console import output as console
from ...console.options import JsonOption, rules_of

if TYPE_CHECKING:
    from mancala.protocol.record import GameRecord
    from mancala.protocol.rules import Rules

_LINE: Final = re.compile(r"(?:(?P<label>[^:\[]*):)?\s*\[?(?P<moves>[0-9\s,]+?)\]?")
LONGEST_NUMBER: Final = 9
"""Digits of a move; longer ones are refused before they are read as numbers."""


class MoveNumbering(StrEnum):
    """How the moves of a list are numbered."""

    OWN = "own"
    ARTICLE = "article"


def command(
    lists: Annotated[
        list[str] | None,
        typer.Argument(help="Files with a list of moves a line; '-' or none reads stdin."),
    ] = None,
    *,
    numbering: Annotated[
        MoveNumbering,
        typer.Option(help="own: pits of the player to move; article: one ring, stores 6 and 13."),
    ] = MoveNumbering.OWN,
    sides: Annotated[
        bool, typer.Option("--sides", help="A game is two lists, one for each player's moves.")
    ] = False,
    rules: Annotated[
        str | None,
        typer.Option(help="Rules of the games.  [default: kalah, or article with its numbering]"),
    ] = None,
    players: Annotated[
        tuple[str, str], typer.Option(help="Names of the players, the first to move first.")
    ] = ("Player 1", "Player 2"),
    output: Annotated[
        Path | None,
        typer.Option(help="Write the records here, one JSON object a line.", dir_okay=False),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Turn lists of moves into game records, which `mancala review` and servers read.

    Every move is replayed by the rules; a list that does not replay is refused with its ply.
    """
    from mancala.protocol import codec
    from mancala.protocol.record import to_text

    default = "article" if numbering is MoveNumbering.ARTICLE else "kalah"
    chosen = rules_of(default if rules is None else rules)
    if output is not None:
        console.expect_writable(output)
    records = [
        record
        for source in lists or ["-"]
        for record in _records(source, numbering, chosen, players, sides=sides)
    ]
    if not records:
        console.fail("no list of moves found")
    if output is not None:
        lines = b"".join(codec.to_json(record) + b"\n" for record in records)
        with console.failing_on(OSError, at=output):
            output.write_bytes(lines)
    text = "\n".join(to_text(record) for record in records).rstrip("\n")
    console.show({"games": records}, text, json=json)


def _records(
    source: str, numbering: MoveNumbering, rules: Rules, players: tuple[str, str], *, sides: bool
) -> Iterator[GameRecord]:
    from mancala.protocol.record import from_article, from_pits, from_sides

    where = "stdin" if source == "-" else source
    lists = _lines(_text(source), where)
    for number, label, moves in lists:
        game = label or f"{where}:{number}"
        with console.bad_input(at=f"{where}, line {number}"):
            if sides:
                answers = next((its for _, _, its in lists), None)
                pits = _pits_of(moves, answers, numbering, rules, players)
                yield from_sides(pits, rules, game=game, names=players)
            else:
                read = from_article if numbering is MoveNumbering.ARTICLE else from_pits
                yield read(moves, rules, game=game, names=players)


def _pits_of(
    moves: list[int],
    answers: list[int] | None,
    numbering: MoveNumbering,
    rules: Rules,
    names: tuple[str, str],
) -> tuple[list[int], list[int]]:
    from mancala.protocol.board_text import from_article_index

    if answers is None:
        raise ValueError("the other player's list is missing")
    if numbering is MoveNumbering.OWN:
        return moves, answers
    pits: tuple[list[int], list[int]] = [], []
    for player, numbers in enumerate((moves, answers)):
        for number in numbers:
            owner, pit = from_article_index(number, rules.pits)
            if owner != player:
                raise ValueError(f"{number} is no pit of {names[player]}")
            pits[player].append(pit)
    return pits


def _lines(text: str, where: str) -> Iterator[tuple[int, str, list[int]]]:
    """Yield the number, label and moves of each line that is not empty."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        words = re.findall(r"[0-9]+", found["moves"]) if found else []
        if found is None or not words or max(map(len, words)) > LONGEST_NUMBER:
            console.fail(f"{where}, line {number}: not a list of moves such as [3, 1, 11, 9]")
        yield number, (found["label"] or "").strip(), [int(word) for word in words]


def _text(source: str) -> str:
    from mancala.protocol.text import written_text

    with console.bad_input(OSError, ValueError, at=Path(source)):
        return written_text(sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes())
