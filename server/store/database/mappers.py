"""Map database rows to model objects."""

from __future__ import annotations

from dataclasses import fields

from sqlalchemy import RowMapping

from mancala.protocol import codec
from mancala.protocol.clock import TimeControl
from mancala.protocol.rules import Board, Rules

from ...model.match import EventContext, LadderContext, Match, Terms


def text_of(terms: Rules | TimeControl) -> str:
    """Return rules or a clock as JSON, without what is as by default: each match has a copy."""
    differing = (each.name for each in fields(terms) if getattr(terms, each.name) != each.default)
    return codec.to_json({name: getattr(terms, name) for name in differing}).decode()


def match_of(row: RowMapping) -> Match:
    """Return a match, without its games."""
    terms = Terms(
        codec.from_json(row["rules"], Rules),
        codec.from_json(row["clock"], TimeControl),
        row["rated"],
        row["games"],
    )
    names = (row["first"], row["second"])
    ladder_context = _ladder_context_of(row, terms.rules)
    event_context = _event_context_of(row, terms.rules)
    own = openings_of(row["openings"], terms.rules)
    if own and ladder_context is None and event_context is None:
        terms = terms._replace(opening=own[0])
    return Match(
        *(row["id"], names, terms, row["began_at"]),
        ladder_context=ladder_context,
        event_context=event_context,
    )


def _event_context_of(row: RowMapping, rules: Rules) -> EventContext | None:
    if row["event"] is None:
        return None
    return EventContext(row["event"], row["event_game"], openings_of(row["openings"], rules))


def _ladder_context_of(row: RowMapping, rules: Rules) -> LadderContext | None:
    if row["ladder"] is None:
        return None
    entrants = (row["first_entrant"], row["second_entrant"])
    return LadderContext(row["ladder"], entrants, openings_of(row["openings"], rules))


def openings_of(text: str | None, rules: Rules) -> tuple[Board, ...]:
    """Return the openings of a match, one for each pair of games."""
    literals = () if text is None else codec.from_json(text, tuple[str, ...])
    return tuple(Board.from_state(Board.from_text(each).state, rules) for each in literals)


def openings_text(openings: tuple[Board, ...]) -> str | None:
    """Return openings as JSON for :func:`openings_of`; None when there are none."""
    return codec.to_json([board.text for board in openings]).decode() if openings else None
