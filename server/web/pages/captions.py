"""What pictures and pages without scripts say of a game: its result and what decided it."""

from typing import Final, NamedTuple

from msgspec import Struct

from mancala.protocol import codec
from mancala.protocol.messages import Reason
from mancala.protocol.record import GameRecord
from mancala.protocol.review import LosingMove, Result
from mancala.protocol.rules import SWAP

from ..languages import Catalogue

WON: Final = "{{winner}} wins {{score}}"
DRAWN: Final = "A draw, {{score}}"
LIVE: Final = "live, move {{ply}}"
ABORTED: Final = "Aborted; the game does not count."
ANNULLED: Final = "Annulled; the game does not count."
STORES: Final = "The stores were {{score}}."
PROBABLY: Final = "Probably the turning point"
FORFEITS: Final = {
    Reason.TIMEOUT: "{{winner}} wins: {{loser}} ran out of time.",
    Reason.ILLEGAL: "{{winner}} wins: {{loser}} made an illegal move.",
    Reason.RESIGNED: "{{winner}} wins: {{loser}} resigned.",
    Reason.DISCONNECTED: "{{winner}} wins: {{loser}} lost the connection.",
    Reason.PROTOCOL: "{{winner}} wins: {{loser}} broke the protocol.",
    Reason.WEDGED: "{{winner}} wins: {{loser}} stopped answering.",
}
GIVEN: Final = {
    kept: f"{{{{opponent}}}} let the {kept} go at move {{{{move}}}}: "
    "pit {{pit}} instead of pit {{best}}."
    for kept in (Result.WIN, Result.DRAW)
}
AGAINST: Final = "{{one}} against {{two}}"
MOVE: Final = "Move {{ply}}."
SWAPPED: Final = "swap"
HALF: Final = "more than half of all seeds"
COLON: Final = ": "
TEXTS: Final = frozenset(
    {
        *(WON, DRAWN, LIVE, ABORTED, ANNULLED, STORES, PROBABLY, MOVE, SWAPPED, HALF, AGAINST),
        COLON,
        *(*FORFEITS.values(), *GIVEN.values()),
    }
)
"""All of them, which are those of the page's scripts."""


class Caption(NamedTuple):
    """What stands around the board of a picture.

    Attributes:
        players: the name below the board and the one above it.
        story: the move that lost it, in a sentence; empty while none is known.
    """

    title: str
    players: tuple[str, str]
    verdict: str
    story: str
    server: str

    @property
    def about(self) -> str:
        return f"{self.verdict} {self.story}".strip()


class _Review(Struct):
    """The part of a review that a caption needs."""

    losing: LosingMove | None = None


def caption_of(
    record: GameRecord, losing: LosingMove | None, words: Catalogue, server: str, ply: int = 0
) -> Caption:
    """Return the caption of a game, with the move that lost it, at a position that may be named."""
    one, two = (player.name for player in record.players)
    verdict = _verdict(record, (one, two), words)
    if ply and record.result is not None:
        verdict = f"{words.text(MOVE, ply=ply)} {verdict}"
    return Caption(
        words.text(AGAINST, one=one, two=two),
        (one, two),
        verdict,
        "" if losing is None else _story(losing, (one, two), words),
        server,
    )


def losing_move(review: bytes | None) -> LosingMove | None:
    """Return the move that lost a game, from the answer that has its review; None if none did."""
    return None if review is None else codec.from_json(review, _Review).losing


def _verdict(record: GameRecord, names: tuple[str, str], words: Catalogue) -> str:
    found = record.result
    if found is None:
        return words.text(LIVE, ply=len(record.moves))
    if found.reason is Reason.ABORTED:
        return words.text(ABORTED)
    if record.annulled:
        return words.text(ANNULLED)
    half = f" ({words.text(HALF)})" if found.reason is Reason.MAJORITY else ""
    if found.winner is None:
        return f"{words.text(DRAWN, score=_score(found.stores, 0))}{half}."
    values = {
        "winner": names[found.winner],
        "loser": names[1 - found.winner],
        "score": _score(found.stores, found.winner),
    }
    if found.reason in FORFEITS:
        return f"{words.text(FORFEITS[found.reason], **values)} {words.text(STORES, **values)}"
    return f"{words.text(WON, **values)}{half}."


def _score(stores: tuple[int, int], first: int) -> str:
    return f"{stores[first]} : {stores[1 - first]}"


def _story(losing: LosingMove, names: tuple[str, str], words: Catalogue) -> str:
    pits = {"pit": losing.pit, "best": losing.best}
    told = words.text(
        GIVEN[losing.kept],
        opponent=names[losing.player],
        move=losing.ply + 1,
        **{name: words.text(SWAPPED) if pit == SWAP else pit + 1 for name, pit in pits.items()},
    )
    return told if losing.proven else f"{words.text(PROBABLY)}{words.text(COLON)}{told}"
