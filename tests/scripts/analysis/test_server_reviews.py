"""A bot's reviews on a server, worst move first."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from mancala.protocol import codec
from mancala.protocol.messages import Outcome, Reason
from mancala.protocol.record import GameRecord, RecordedMove
from mancala.protocol.results import Contestant
from mancala.protocol.review import ReviewWork, compose
from mancala.scripts.analysis.server_reviews import GameSelection, ServerError, costliest, kept_by
from tests.server.reviews.games import PITS, PLIES, RULES, reviewable

PLAYERS = ("ann", "bob")


def summary(game: str, *, winner: int | None, at: str = "2000-01-01T00:00:00Z") -> dict[str, Any]:
    return {"game": game, "players": PLAYERS, "winner": winner, "started_at": at}


def record(game: str) -> bytes:
    opening = reviewable().played.boards[0].state
    moves = tuple(RecordedMove(0, pit) for pit in PITS)
    names = Contestant("ann"), Contestant("bob")
    return codec.to_json(
        GameRecord(game, RULES, names, opening, moves, Outcome(0, (3, 1), Reason.NORMAL))
    )


def review(game: str, pits: tuple[int, ...] = PITS) -> bytes:
    """Return a game's review; ann loses two seeds if she begins with pit 0."""
    played = reviewable(game).played._replace(pits=pits)
    return codec.to_json(compose(played, ReviewWork(PLIES[: len(pits)], 1, "test", 0.0)))


@contextmanager
def server(*answers: tuple[str, int, bytes]) -> Iterator[str]:
    """Serve some paths; a path's answers come one after the other, and the last one stays."""
    left: dict[str, list[tuple[int, bytes]]] = {}
    for path, status, body in answers:
        left.setdefault(path, []).append((status, body))

    class ReviewsHandler(BaseHTTPRequestHandler):
        """Answers from the list."""

        def do_GET(self) -> None:
            mine = left.get(urlsplit(self.path).path, [(404, b"{}")])
            status, body = mine.pop(0) if len(mine) > 1 else mine[0]
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name
            """Log nothing."""

    with HTTPServer(("127.0.0.1", 0), ReviewsHandler) as running:
        thread = Thread(target=running.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def page(*games: dict[str, Any]) -> tuple[str, int, bytes]:
    return "/api/v1/games", 200, json.dumps({"games": games, "next": None}).encode()


def test_the_game_with_the_costliest_move_comes_first_and_what_waits_is_counted() -> None:
    """A review that is not there yet is no error, and a busy server is asked again."""
    with server(
        page(*(summary(game, winner=1) for game in ("g1", "g2", "g3"))),
        ("/api/v1/games/g1", 200, record("g1")),
        ("/api/v1/games/g1/review", 200, review("g1")),
        ("/api/v1/games/g2", 200, record("g2")),
        ("/api/v1/games/g2/review", 429, b""),
        ("/api/v1/games/g2/review", 200, review("g2", (0,))),
    ) as url:
        games, waiting = kept_by(url + "/", GameSelection("ann", lost=True, most=10))
    assert [game.record.game for game in games] == ["g2", "g1"]
    assert [costliest(game, "ann") for game in games] == [2.0, 0.0]
    assert waiting == 1


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (GameSelection("ann", lost=True, most=10), 1),
        (GameSelection("bob", lost=True, most=10), 1),
        (GameSelection("ann", lost=False, most=10), 3),
        (GameSelection("ann", lost=False, most=2), 2),
        (GameSelection("ann", lost=False, most=10, hours=1.0), 0),
    ],
)
def test_only_the_games_asked_for_are_read(wanted: GameSelection, expected: int) -> None:
    """Lost ones, the latest N, or those of the last hours."""
    games = summary("g1", winner=0), summary("g2", winner=1), summary("g3", winner=None)
    with server(page(*games)) as url:
        assert kept_by(url, wanted).waiting == expected


def test_a_server_that_cannot_be_asked_is_one_error() -> None:
    """Whether it is away or broken."""
    with server(("/api/v1/games", 500, b"")) as url, pytest.raises(ServerError, match="500"):
        kept_by(url, GameSelection("ann", lost=True, most=1))
    with pytest.raises(ServerError):
        kept_by(url, GameSelection("ann", lost=True, most=1))
