"""The reviews that a match server keeps of a bot's games, read from its API."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

from mancala.protocol import codec
from mancala.protocol.record import GameRecord
from mancala.protocol.review import GameReview
from mancala.scripts.analysis.review import Reviewed

PAGE: Final = 200
TIMEOUT_S: Final = 30.0
ATTEMPTS: Final = 5
"""How often to ask again when the server wants us to wait."""


class ServerError(Exception):
    """The server could not be asked, or did not answer as it should."""


class GameSelection(NamedTuple):
    """Which games are wanted, the latest first.

    Attributes:
        bot: games of this bot.
        lost: only those that it lost.
        most: how many games at most.
        hours: only those that began in the last hours; None for any time.
    """

    bot: str
    lost: bool
    most: int
    hours: float | None = None


class KeptReviews(NamedTuple):
    """What a server has.

    Attributes:
        games: the reviewed games, that with the bot's costliest move first.
        waiting: how many wanted games have no review yet.
    """

    games: list[Reviewed]
    waiting: int


def kept_by(server: str, wanted: GameSelection) -> KeptReviews:
    """Return the reviews that a server keeps.

    Args:
        server: the address of its page, ``http://…`` or ``https://…``.
        wanted: which games.

    Raises:
        ServerError: when it could not be asked.
    """
    api = f"{server.rstrip('/')}/api/v1"
    found, waiting = [], 0
    for game in _games(api, wanted):
        path = f"{api}/games/{quote(game)}"
        try:
            review = codec.from_json(_get(f"{path}/review"), GameReview)
        except _MissingError:
            waiting += 1
            continue
        except codec.DecodeError as error:
            raise ServerError(f"{path}/review: {error}") from error
        found.append(Reviewed(codec.from_json(_get(path), GameRecord), review))
    return KeptReviews(sorted(found, key=lambda each: -costliest(each, wanted.bot)), waiting)


def costliest(game: Reviewed, bot: str) -> float:
    """Return what a bot's costliest move of a game lost, in seeds."""
    seats = [seat for seat, player in enumerate(game.record.players) if player.name == bot]
    return max((ply.loss for ply in game.review.plies if ply.player in seats), default=0.0)


def _games(api: str, wanted: GameSelection) -> Iterator[str]:
    """Yield the ids of the wanted games."""
    parameters = {"bot": wanted.bot, "status": "over", "limit": str(PAGE)}
    since = None if wanted.hours is None else datetime.now(UTC) - timedelta(hours=wanted.hours)
    left = wanted.most
    while left > 0:
        page: dict[str, Any] = json.loads(_get(f"{api}/games?{urlencode(parameters)}"))
        for game in page["games"]:
            if since is not None and datetime.fromisoformat(game["started_at"]) < since:
                return
            if left > 0 and (not wanted.lost or _is_lost(game, wanted.bot)):
                left -= 1
                yield game["game"]
        if not page["next"]:
            return
        parameters["cursor"] = page["next"]


def _is_lost(game: dict[str, Any], bot: str) -> bool:
    winner = game["winner"]
    return winner is not None and game["players"][winner] != bot


class _MissingError(Exception):
    """There is no such thing, or not yet."""


def _get(url: str) -> bytes:
    """Return the body at a URL, patiently where the server asks for it."""
    for _ in range(ATTEMPTS):
        try:
            with urlopen(url, timeout=TIMEOUT_S) as response:  # noqa: S310  # checked by the command
                body: bytes = response.read()
                return body
        except HTTPError as error:
            if error.code == HTTPStatus.NOT_FOUND:
                raise _MissingError(url) from None
            wait_s = error.headers.get("Retry-After", "")
            if not wait_s.isdigit():
                raise ServerError(f"{url}: {error.code} {error.reason}") from error
            time.sleep(int(wait_s))
        except (URLError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise ServerError(f"{url}: {reason}") from error
    raise ServerError(f"{url}: the server is busy; try again later")
