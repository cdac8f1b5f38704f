"""One connection: what the bot makes of what a server says."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Awaitable
from typing import Any

import pytest
from msgspec import structs
from websockets.asyncio.client import ClientConnection

from mancala.bot import RefusedError, ServerFaultError
from mancala.bot.client import connection as conversation
from mancala.bot.client.link import ungrouped
from mancala.protocol import codec
from mancala.protocol import messages as wire
from tests.bot.client.scripted_server import (
    LIMITS,
    ServerEnd,
    ask,
    names,
    over,
    play,
    played,
    scripted_server,
    start,
)


@pytest.mark.parametrize(
    "frame",
    [
        codec.encode(start()),
        codec.encode(wire.Welcome(wire.VERSION, "server", "s", resumed=False, limits=LIMITS))[:-1],
        b'{"type":"welcome","protocol":1}',
        b"[]",
    ],
    ids=["a game before the welcome", "half a message", "wrong types", "no object"],
)
async def test_refuses_a_server_that_breaks_the_protocol(frame: bytes) -> None:
    """A server that talks out of place or in no known words is left with close code 1002."""

    async def script(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        await server.connection.send(frame, text=True)
        await server.until_closed()
        assert server.connection.close_code == 1002

    with pytest.raises(ServerFaultError):
        await played(script)


@pytest.mark.parametrize(
    "question",
    [
        structs.replace(ask(), legal=()),
        structs.replace(ask(), legal=(0, 1)),
        structs.replace(ask(), state=dataclasses.replace(ask().state, current_player=1)),
    ],
    ids=["no legal pit", "other rules", "the other player's turn"],
)
async def test_refuses_a_question_that_cannot_be_put(question: wire.Turn) -> None:
    """A question that the rules contradict is the server's fault and not the player's."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(start(), question)
        await server.until_closed()

    with pytest.raises(ServerFaultError):
        await played(script)


async def test_a_server_that_never_answers_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection on which no welcome comes is given up for another one."""
    monkeypatch.setattr(conversation, "WELCOME_TIMEOUT_S", 0.01)

    async def sleeps(server: ServerEnd) -> None:
        await server.until_closed()

    async def serves(server: ServerEnd) -> None:
        monkeypatch.undo()
        await server.seat(wire.Seek)
        await server.play_last_game()

    assert len(await played(sleeps, serves)) == 1


async def test_passes_over_messages_of_a_later_version() -> None:
    """A type the bot does not know is no reason to leave."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.connection.send('{"type":"applause"}')
        await server.play_last_game()

    assert len(await played(script)) == 1


async def test_joins_a_ladder_and_leaves_it_when_it_has_games_enough() -> None:
    """It seeks no match, is paired until the last game wanted begins, and then leaves."""

    async def script(server: ServerEnd) -> None:
        assert (await server.seat(wire.Join)).ladder == "main"
        await server.play_one_game()
        await server.say(start("g2", "m2"))
        assert (await server.hear(wire.Leave)).ladder == "main"
        await server.play_last_game("g2", "m2")

    assert len(await played(script, ladder="main", games=2)) == 2


@pytest.mark.parametrize(
    ("wanted", "options", "code", "ref"),
    [
        (wire.Seek, {"seek": wire.Seek(rules="nonsense")}, wire.ErrorCode.INVALID, None),
        (wire.Join, {"ladder": "main"}, wire.ErrorCode.UNKNOWN_LADDER, "main"),
        (wire.Join, {"ladder": "main"}, wire.ErrorCode.FORBIDDEN, "main"),
        (wire.Join, {"ladder": "main"}, wire.ErrorCode.QUARANTINED, "main"),
        (wire.Enter, {"event": "final"}, wire.ErrorCode.FORBIDDEN, "final"),
        (wire.Challenge, {"seek": wire.Challenge("rival")}, wire.ErrorCode.UNKNOWN_OPPONENT, None),
    ],
)
async def test_a_server_that_will_not_have_the_bot_ends_it_with_the_reason(
    wanted: type[wire.Message], options: dict[str, Any], code: wire.ErrorCode, ref: str | None
) -> None:
    """What the bot asks for and does not get is an error, not a silent endless wait."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wanted)
        await server.say(wire.Error(code, "three crashes", fatal=False, ref=ref))
        await server.until_closed()

    with pytest.raises(RefusedError, match="three crashes"):
        await played(script, **options)


async def test_joins_again_after_a_resume() -> None:
    """A join that the lost connection may have swallowed is said once more."""

    async def drops(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        await server.connection.close()

    async def resumes(server: ServerEnd) -> None:
        await server.welcome(resumed=True)
        await server.hear(wire.Join)
        await server.say(start())
        await server.hear(wire.Leave)
        await server.play_last_game()

    assert len(await played(drops, resumes, ladder="main")) == 1


async def test_the_round_trip_is_measured_often_only_while_a_game_needs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An idle bot costs its server next to nothing."""
    monkeypatch.setattr(conversation, "PING_EVERY_S", 0.0)
    pings, send_ping = Counter[str](), ClientConnection.ping

    def ping(socket: ClientConnection) -> Awaitable[Awaitable[float]]:
        pings["sent"] += 1
        return send_ping(socket)

    monkeypatch.setattr(ClientConnection, "ping", ping)

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        for _ in range(3):
            await (await server.connection.ping())
        assert pings["sent"] == 1
        await server.say(start())
        while pings["sent"] < 4:
            await (await server.connection.ping())
        await server.say(ask())
        await server.hear_final()
        await server.say(over(), wire.MatchOver("m1", {}))
        await server.until_closed()

    await played(script)


def entered() -> wire.Entered:
    return wire.Entered("final", start().rules, start().clock, 1)


async def test_enters_an_event_and_leaves_once_it_is_over() -> None:
    """It seeks no match; a resumed connection enters again, which confirms the entry."""

    async def drops(server: ServerEnd) -> None:
        assert await server.seat(wire.Enter) == wire.Enter("final", "wari")
        await server.say(entered())
        await server.play_one_game()
        await server.connection.close()

    async def resumes(server: ServerEnd) -> None:
        await server.welcome(resumed=True)
        assert await server.hear(wire.Enter) == wire.Enter("final", "wari")
        await server.say(entered())
        await server.play_one_game("g2", "m2")
        await server.say(wire.Withdrawn("final", "the event is finished"))
        await server.hear(wire.Goodbye)

    word = "wari"
    found = await played(drops, resumes, event="final", event_password=word, games=None)
    assert len(found) == 2


async def test_stays_in_its_ladder_when_its_event_is_over() -> None:
    """It plays as many games as it wants, those of the event included."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Enter)
        await server.hear(wire.Join)
        await server.say(entered())
        await server.play_one_game()
        await server.say(wire.Withdrawn("final", "the event is finished"))
        await server.say(start("g2", "m2"))
        await server.hear(wire.Leave)
        await server.play_last_game("g2", "m2")

    assert len(await played(script, event="final", ladder="main", games=2)) == 2


async def test_waits_for_an_event_that_is_not_open_yet() -> None:
    """The server enters the bot once the event is open."""

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Enter)
        early = wire.Error(wire.ErrorCode.NOT_OPEN, "final: not open yet", fatal=False, ref="final")
        await server.say(early, entered())
        await server.play_one_game()
        await server.say(wire.Withdrawn("final", "the event is finished"))
        await server.hear(wire.Goodbye)

    assert len(await played(script, event="final", games=None)) == 1


def own_challenge() -> wire.Challenged:
    return wire.Challenged("c7", "me", "rival", start().rules, start().clock, rated=True, games=1)


async def test_challenges_the_opponent_that_it_wants() -> None:
    """The match is asked of one bot, and played once that one accepts."""

    async def accepted(server: ServerEnd) -> None:
        assert await server.seat(wire.Challenge) == wire.Challenge("rival", games=1)
        await server.say(own_challenge())
        await server.play_last_game()

    assert len(await played(accepted, seek=wire.Challenge("rival"))) == 1


async def test_a_challenge_that_is_declined_ends_the_bot_with_the_reason() -> None:
    """It is named by its number, and not by what was asked for."""
    declined = wire.Error(wire.ErrorCode.DECLINED, "not now", fatal=False, ref="c7")

    async def declines(server: ServerEnd) -> None:
        await server.seat(wire.Challenge)
        await server.say(own_challenge(), declined)
        await server.until_closed()

    with pytest.raises(RefusedError, match="not now"):
        await played(declines, seek=wire.Challenge("rival"))


async def test_a_bot_that_leaves_withdraws_its_challenge() -> None:
    """The opponent is not left with a challenge of a bot that has gone."""
    stop = asyncio.Event()

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Challenge)
        await server.say(own_challenge())
        await (await server.connection.ping())
        stop.set()
        assert (await server.hear(wire.Decline)).challenge == "c7"
        await server.hear(wire.Goodbye)

    assert await played(script, seek=wire.Challenge("rival"), stop=stop) == []


async def test_accepts_and_declines_challenges() -> None:
    """A bot takes a challenge when it may, and declines when told to."""
    challenge = wire.Challenged(
        "c1", "rival", "me", start().rules, start().clock, rated=True, games=1
    )

    async def accepted(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(challenge)
        assert (await server.hear(wire.Accept)).challenge == "c1"
        await server.play_last_game()

    async def declined(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(challenge)
        assert (await server.hear(wire.Decline)).challenge == "c1"
        await server.play_last_game()

    async with scripted_server(accepted, declined) as url:
        await play(url, seek=None)
        await play(url, seek=None, accept=False)


@pytest.mark.parametrize(("games", "results"), [(1, []), (2, ["g2"])])
async def test_a_game_not_told_of_after_a_resume_is_over(games: int, results: list[str]) -> None:
    """A bot that comes back too late counts the game, and does not wait to hear how it ended."""

    async def drops(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(start())
        server.connection.transport.abort()

    async def went_on_without(server: ServerEnd) -> None:
        await server.welcome(resumed=True)
        for _ in results:
            assert (await server.hear(wire.Seek)).games == 1
            await server.play_one_game("g2", "m2")
        await server.hear(wire.Goodbye)

    assert names(await played(drops, went_on_without, games=games)) == results


async def test_a_match_that_goes_on_is_not_sought_again_between_two_of_its_games() -> None:
    """A server killed between two games takes its time to begin the next; the bot waits for it."""

    async def dies(server: ServerEnd) -> None:
        assert (await server.seat(wire.Seek)).games == 2
        await server.say(start("g1"), ask("g1"))
        await server.hear_final()
        await server.say(over("g1"))
        server.connection.transport.abort()

    async def goes_on(server: ServerEnd) -> None:
        await server.welcome(resumed=True, matches=("m1",))
        await (await server.connection.ping())
        await server.play_last_game("g2")

    assert names(await played(dies, goes_on, games=2)) == ["g1", "g2"]


async def test_a_game_whose_end_was_not_told_is_over_when_the_next_of_its_match_begins() -> None:
    """It counts as one of the games wanted."""

    async def dies(server: ServerEnd) -> None:
        await server.seat(wire.Seek)
        await server.say(start("g1"))
        server.connection.transport.abort()

    async def goes_on(server: ServerEnd) -> None:
        await server.welcome(resumed=True, matches=("m1",))
        await server.play_last_game("g2")

    assert names(await played(dies, goes_on, games=2)) == ["g2"]


async def test_a_bot_that_may_not_stay_in_its_ladder_plays_its_match_to_the_end() -> None:
    """It would lose the games under way otherwise; then it says why it left."""
    refusal = wire.Error(wire.ErrorCode.QUARANTINED, "three crashes", fatal=False)

    async def script(server: ServerEnd) -> None:
        await server.seat(wire.Join)
        await server.say(start("g1"), ask("g1"), refusal)
        await server.hear_final()
        await server.say(over("g1"))
        await server.play_last_game("g2")
        await server.until_closed()

    with pytest.raises(RefusedError, match="three crashes"):
        await played(script, ladder="main", games=9)


@pytest.mark.parametrize("turns", range(5))
async def test_a_cancelled_client_ends_also_while_its_connection_breaks(turns: int) -> None:
    """A task group forgets that it was cancelled when a task of it fails in the same turn."""
    lost = asyncio.Event()

    async def lose() -> None:
        await lost.wait()
        raise ConnectionResetError

    async def converse() -> None:
        with ungrouped():
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(lose())
                await asyncio.Event().wait()

    client = asyncio.create_task(converse())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    lost.set()
    for _ in range(turns):
        await asyncio.sleep(0)
    has_lost = client.done()
    client.cancel()
    await asyncio.wait({client})
    assert client.cancelled() is not has_lost


def test_other_seeks_are_said_in_words() -> None:
    """An author whose bot waits reads what keeps it from playing."""
    assert conversation.in_words(wire.OtherSeeks(1, clock=1)) == (
        "1 other bot seeks a match, but with other clock (1); waiting"
    )
    assert conversation.in_words(wire.OtherSeeks(3, games=2, rated=1)) == (
        "3 other bots seek a match, but with other rated (1), games (2); waiting"
    )


def joined(games: int, matches: int | None) -> wire.Joined:
    return wire.Joined("main", start().rules, start().clock, games, matches)


async def test_tells_the_ladder_after_how_many_matches_it_leaves() -> None:
    """Two games are two matches of a game, and the server takes the bot out after them."""

    async def script(server: ServerEnd) -> None:
        assert await server.seat(wire.Join) == wire.Join("main", 2)
        await server.say(joined(1, 2))
        await server.play_one_game("g1", "m1")
        await server.play_one_game("g2", "m2")
        await server.say(wire.Left("main"))
        await server.hear(wire.Goodbye)

    assert len(await played(script, ladder="main", games=2)) == 2


@pytest.mark.parametrize("has_begun", [False, True])
async def test_a_number_of_matches_that_may_be_wrong_is_not_relied_on(*, has_begun: bool) -> None:
    """A match that was paired before the second join is not in its number, whenever it begins.

    On a busy machine, where it began late, a demo of 12 games had 13.
    """

    async def script(server: ServerEnd) -> None:
        assert await server.seat(wire.Join) == wire.Join("main", 4)
        await server.say(joined(2, 4))
        assert await server.hear(wire.Join) == wire.Join("main", 2)
        answers = start("g1", "m1"), joined(2, 2)
        await server.say(*(answers if has_begun else reversed(answers)))
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
