"""A reviewer's end of the conversation, against a scripted server."""

import asyncio
from itertools import repeat

import pytest

from mancala.bot.client.errors import ConnectionFailedError, RefusedError
from mancala.bot.client.reviewing import Assess, parts_of, review_games
from mancala.protocol import messages as wire
from mancala.protocol.review import ReviewWork
from mancala.protocol.rules import Board, Rules
from tests.bot.client.scripted_server import Script, ServerEnd, scripted_server
from tests.patience import PATIENCE_S

RULES = Rules(pits=2, seeds=1)
PLIES = (
    wire.Assessment(0, (wire.MoveValue(0, 0.0), wire.MoveValue(1, 2.0)), (1, 0)),
    wire.Assessment(1, (wire.MoveValue(0, 2.0),), (0,)),
)


def wanted(game: str) -> wire.ReviewWanted:
    return wire.ReviewWanted(game, RULES, Board.start(RULES).state, (1, 0))


async def assess(_wanted: wire.ReviewWanted) -> ReviewWork:
    return ReviewWork(PLIES, 1, "abacus 1", 0.1)


async def reviewing(
    *scripts: Script, games: int = 1, assess: Assess = assess, patience_s: float = PATIENCE_S
) -> int:
    async with asyncio.timeout(PATIENCE_S), scripted_server(*scripts) as url:
        return await review_games(
            url,
            assess,
            name="carol",
            token="good",  # noqa: S106  # a fake
            version=3,
            games=games,
            stop=asyncio.Event(),
            delays=lambda: repeat(0.0),
            patience_s=patience_s,
        )


async def serve_one(end: ServerEnd, game: str = "g1") -> wire.Review:
    hello = await end.welcome()
    assert (hello.name, hello.token, hello.resume) == ("carol", "good", None)
    assert await end.hear(wire.OfferReviews) == wire.OfferReviews(3, 1)
    await end.say(wanted(game))
    return await end.hear(wire.Review)


async def test_it_offers_its_work_reviews_what_is_wanted_and_leaves() -> None:
    """One game after the other, until as many are done as were to be."""

    async def script(end: ServerEnd) -> None:
        review = await serve_one(end)
        assert review == wire.Review("g1", PLIES, engine="abacus 1", seconds=0.1)
        await end.say(wanted("g2"))
        assert (await end.hear(wire.Review)).game == "g2"
        await end.hear(wire.Goodbye)

    assert await reviewing(script, games=2) == 2


async def drop(end: ServerEnd) -> None:
    await end.welcome()
    await end.hear(wire.OfferReviews)
    end.connection.transport.abort()


async def serve_the_last(end: ServerEnd) -> None:
    await serve_one(end)
    await end.hear(wire.Goodbye)


async def test_a_lost_connection_is_made_again_with_a_new_session() -> None:
    """The game that was under way is another's; the next one counts."""
    assert await reviewing(drop, serve_the_last) == 1


async def test_a_name_that_the_server_still_takes_for_present_is_tried_again() -> None:
    """After a drop that only this end has noticed."""

    async def refuse(end: ServerEnd) -> None:
        await end.hear(wire.Hello)
        await end.say(wire.Error(wire.ErrorCode.BAD_NAME, "the name is taken", fatal=True))
        await end.say(wire.Goodbye("bad_name"))

    assert await reviewing(drop, refuse, serve_the_last) == 1


async def test_without_the_right_to_review_it_says_so_and_ends() -> None:
    """Trying again would not help."""

    async def script(end: ServerEnd) -> None:
        await end.welcome()
        await end.hear(wire.OfferReviews)
        await end.say(wire.Error(wire.ErrorCode.FORBIDDEN, "no right", fatal=False))
        await end.until_closed()

    with pytest.raises(RefusedError, match="no right"):
        await reviewing(script)


async def test_a_review_that_is_refused_ends_nothing() -> None:
    """The next game may be better."""

    async def script(end: ServerEnd) -> None:
        await serve_one(end)
        await end.say(wire.Error(wire.ErrorCode.INVALID, "ply 0: no", fatal=False, ref="g1"))
        await end.say(wanted("g2"))
        assert (await end.hear(wire.Review)).game == "g2"
        await end.hear(wire.Goodbye)

    assert await reviewing(script, games=2) == 2


async def test_a_server_that_never_answered_is_given_up() -> None:
    """The address is most likely wrong."""

    async def hang_up(end: ServerEnd) -> None:
        await end.hear(wire.Hello)
        end.connection.transport.abort()

    with pytest.raises(ConnectionFailedError):
        await reviewing(hang_up, patience_s=0.0)


async def test_a_stop_leaves_in_the_middle_of_a_game() -> None:
    """The server gives it to another reviewer."""
    stop, began = asyncio.Event(), asyncio.Event()

    async def think(_wanted: wire.ReviewWanted) -> ReviewWork:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def script(end: ServerEnd) -> None:
        await end.welcome()
        await end.hear(wire.OfferReviews)
        await end.say(wanted("g1"))
        await end.hear(wire.Goodbye)

    async with asyncio.timeout(PATIENCE_S), scripted_server(script) as url:
        task = asyncio.create_task(
            review_games(url, think, name="carol", token="good", version=1, stop=stop)  # noqa: S106  # a fake
        )
        await began.wait()
        stop.set()
        assert await task == 0


def test_a_long_review_is_cut_into_frames_and_an_empty_one_is_one() -> None:
    """All parts but the last say that more follows."""
    many = tuple(wire.Assessment(ply, PLIES[1].moves, (0,)) for ply in range(40))
    parts = list(parts_of("g", ReviewWork(many, 1, "", 0.0)))
    assert [len(part.plies) for part in parts] == [16, 16, 8]
    assert [part.more for part in parts] == [True, True, False]
    assert [part.more for part in parts_of("g", ReviewWork((), 1, "", 0.0))] == [False]
