"""A list names what there is."""

import pytest

from mancala.protocol.messages import Listable, ListedBot, ListedGame, Listing
from mancala.protocol.rules import Rules
from tests.simulate.lists import check_list
from tests.simulate.promises import BrokenPromiseError, Promise
from tests.simulate.test_ladder_watch import ConnectedBots

NOW = 1000.0


def check(listing: Listing, coming: frozenset[str] = frozenset()) -> None:
    """Check a list of a server on which ann, cat and dan are, ben is not, and "b" is over."""
    town = ConnectedBots()
    town.names |= {"ben"}
    check_list(listing, town, over={"b"}, coming=coming, now=NOW)


def bots(*names: str) -> Listing:
    return Listing(Listable.BOTS, bots=tuple(ListedBot(name, None, 0, ()) for name in names))


def games(*ids: str) -> Listing:
    listed = (ListedGame(game, "m", ("ann", "cat"), Rules(), rated=True) for game in ids)
    return Listing(Listable.GAMES, games=tuple(listed))


def test_who_is_there_is_listed_and_nobody_else() -> None:
    """One that has just said hello may be."""
    check(bots("ann", "cat", "dan"))
    check(bots("ann", "ben", "cat", "dan"), coming=frozenset({"ben"}))
    for wrong in (bots("ann", "ben", "cat", "dan"), bots("ann", "dan"), bots("cat", "ann", "dan")):
        with pytest.raises(BrokenPromiseError, match=Promise.LISTED):
            check(wrong)


def test_games_that_are_over_are_not_listed() -> None:
    """Each of the others once."""
    check(games("a", "c"))
    for wrong in (games("a", "b"), games("a", "a")):
        with pytest.raises(BrokenPromiseError, match=Promise.LISTED):
            check(wrong)
