"""How the client joins a ladder for a number of games, and leaves it."""

from __future__ import annotations

from mancala.protocol import messages as wire
from tests.bot.client.scripted_server import ServerEnd, played, start


def joined(games: int, matches: int | None) -> wire.Joined:
    """Return the server's answer to a join of the ladder main."""
    return wire.Joined("main", start().rules, start().clock, games, matches)


async def test_tells_the_ladder_after_how_many_matches_it_leaves() -> None:
    """Three games are two matches of two games, and the server takes the bot out after them."""

    async def script(server: ServerEnd) -> None:
        assert await server.seat(wire.Join) == wire.Join("main", 3)
        await server.say(joined(2, 3))
        assert await server.hear(wire.Join) == wire.Join("main", 2)
        await server.say(joined(2, 2))
        for game, match in (("g1", "m1"), ("g2", "m1"), ("g3", "m2"), ("g4", "m2")):
            await server.play_one_game(game, match, ends_match=game in {"g2", "g4"})
        await server.say(wire.Left("main"))
        await server.hear(wire.Goodbye)

    assert len(await played(script, ladder="main", games=3)) == 4


async def test_a_number_of_matches_that_may_be_wrong_is_not_relied_on() -> None:
    """A match that began before the second join is not in its number: the bot leaves in time."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        await server.say(joined(2, 4))
        await server.hear(wire.Join)
        await server.say(start("g1", "m1"), joined(2, 2))
        await server.play_one_game("g1", "m1", ends_match=False)
        await server.play_one_game("g2", "m1")
        await server.play_one_game("g3", "m2", ends_match=False)
        await server.say(start("g4", "m2"))
        assert await server.hear(wire.Leave) == wire.Leave("main")
        await server.say(wire.Left("main"))
        await server.play_last_game("g4", "m2")

    assert len(await played(script, ladder="main", games=4)) == 4


async def test_joins_once_more_when_the_server_takes_it_out_too_early() -> None:
    """The games that are still wanted are asked for again."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        await server.say(joined(1, 2))
        await server.play_one_game()
        await server.say(wire.Left("main"))
        assert await server.hear(wire.Join) == wire.Join("main", 1)
        await server.say(joined(1, 1))
        await server.play_last_game("g2", "m2")

    assert len(await played(script, ladder="main", games=2)) == 2


async def test_leaves_a_ladder_that_a_resumed_session_is_still_in() -> None:
    """A leave that the lost connection may have swallowed is said once more."""

    async def drops(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        await server.say(start())
        await server.hear(wire.Leave)
        await server.connection.close()

    async def resumes(server: ServerEnd) -> None:
        await server.welcome(resumed=True, matches=("m1",))
        await server.say(start())
        assert await server.hear(wire.Leave) == wire.Leave("main")
        await server.play_last_game()

    assert len(await played(drops, resumes, ladder="main")) == 1
