"""The reviews that a match server keeps of a bot's games, read from its API."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Final, Literal, NamedTuple, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

from msgspec import Struct

from mancala.engine.game_reviews import Reviewed
from mancala.protocol import codec
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview
from mancala.protocol.text import whole_number

T = TypeVar("T")

PAGE: Final = 200
TIMEOUT_S: Final = 30.0
ATTEMPTS: Final = 5
"""How often to ask again when the server wants us to wait."""
LONGEST_WAIT_S: Final = 60
MOST_BYTES: Final = 16 * 1024 * 1024
"""A longer response is none of an arena."""


class ServerError(Exception):
    """The server could not be asked, or did not answer as it should."""


class GameSelection(NamedTuple):
    """Which games of a bot are wanted, at most how many, the latest first."""

    bot: str
    lost: bool
    most: int
    hours: float | None = None


class KeptReviews(NamedTuple):
    """The reviewed games, that with the costliest move first, and how many have no review yet."""

    games: list[Reviewed]
    waiting: int


def kept_by(server: str, wanted: GameSelection) -> KeptReviews:
    """Return the reviews that a server keeps, by the http address of its page."""
    api = f"{server.rstrip('/')}/api/v1"
    found, waiting = [], 0
    for game in _games(api, wanted):
        path = f"{api}/games/{quote(game)}"
        try:
            review = _read(f"{path}/review", GameReview)
        except _MissingError:
            waiting += 1
            continue
        found.append(Reviewed(_read(path, GameRecord), review))
    return KeptReviews(sorted(found, key=lambda each: -costliest(each, wanted.bot)), waiting)


def costliest(game: Reviewed, bot: str) -> float:
    seats = [seat for seat, player in enumerate(game.record.players) if player.name == bot]
    return max((ply.loss for ply in game.review.plies if ply.player in seats), default=0.0)


def _games(api: str, wanted: GameSelection) -> Iterator[str]:
    parameters = {"bot": wanted.bot, "status": "over", "limit": str(PAGE)}
    since = None if wanted.hours is None else datetime.now(UTC) - timedelta(hours=wanted.hours)
    left = wanted.most
    while left > 0:
        page = _read(f"{api}/games?{urlencode(parameters)}", _ListedGames)
        for game in page.games:
            if since is not None and game.started_at < since:
                return
            if left > 0 and (not wanted.lost or _is_lost(game, wanted.bot)):
                left -= 1
                yield game.game
        if page.next is None or not page.games:
            return
        parameters["cursor"] = page.next


def _is_lost(game: _ListedGame, bot: str) -> bool:
    return game.winner is not None and game.players[game.winner] != bot


class _ListedGame(Struct, frozen=True):
    """What is needed of a game in a list."""

    game: str
    players: tuple[str, str]
    winner: Literal[0, 1] | None
    started_at: datetime


class _ListedGames(Struct, frozen=True):
    games: tuple[_ListedGame, ...]
    next: str | None


class _MissingError(Exception):
    """There is no such thing, or not yet."""


def _read(url: str, kind: type[T]) -> T:
    try:
        return codec.from_json(_get(url), kind)
    except codec.DecodeError as error:
        raise ServerError(f"{url}: {error}") from error


def _get(url: str) -> bytes:
    """Return the body at a URL, patiently where the server asks for it."""
    for _ in range(ATTEMPTS):
        try:
            with urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310  # checked by the command
                body: bytes = response.read(MOST_BYTES + 1)
        except HTTPError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                raise _MissingError(url) from None
            wait_s = _wait_s(error.headers.get("Retry-After", ""))
            if wait_s is None:
                raise ServerError(f"{url}: {error.code} {error.reason}") from error
            time.sleep(wait_s)
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise ServerError(f"{url}: {reason}") from error
        else:
            if len(body) > MOST_BYTES:
                raise ServerError(f"{url}: more than {MOST_BYTES} bytes")
            return body
    raise ServerError(f"{url}: the server is busy; try again later")


def _wait_s(asked: str) -> int | None:
    """Return how long to wait, in seconds; None if no number says so, or one that is too high."""
    try:
        wait_s = whole_number(asked)
    except ValueError:
        return None
    return wait_s if wait_s <= LONGEST_WAIT_S else None
