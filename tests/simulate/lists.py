"""What a list names, against what there is."""

from collections.abc import Container

from mancala.protocol.messages import Listable, Listing
from tests.simulate.promises import NOTICED_S, Promise, broken
from tests.simulate.seats import Seats


def check_list(
    listing: Listing, seats: Seats, *, over: Container[str], coming: Container[str], now: float
) -> None:
    """Check a list as it is sent: a whole one, since no world fills a page."""
    if listing.what is Listable.GAMES:
        _check_games([each.game for each in listing.games], over)
    elif listing.what is Listable.BOTS:
        _check_bots([each.name for each in listing.bots], seats, coming, now)


def _check_games(games: list[str], over: Container[str]) -> None:
    if games != sorted(set(games)) or any(game in over for game in games):
        broken(Promise.LISTED, f"games {games}")


def _check_bots(names: list[str], seats: Seats, coming: Container[str], now: float) -> None:
    if names != sorted(set(names)):
        broken(Promise.LISTED, f"bots {names}")
    for name in sorted(seats.names & {*names}):
        is_away = seats.present_since(name) is None and name not in coming
        if is_away and now - seats.away_since(name) > NOTICED_S:
            broken(Promise.LISTED, f"{name} is listed, and away")
    for name in sorted(seats.names - {*names}):
        since = seats.present_since(name)
        if since is not None and now - since > NOTICED_S:
            broken(Promise.LISTED, f"{name} is here, and not among {names}")
