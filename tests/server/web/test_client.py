"""The JavaScript client, run by node against scripted servers and a real one."""

import asyncio
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec.inspect
import pytest

from mancala.protocol import clock, rules
from mancala.protocol import messages as wire
from mancala.server.web import static
from tests import node
from tests.bot.client.scripted_server import ServerEnd, ask, over, scripted_server, start
from tests.patience import PATIENCE_S
from tests.server.peers import arena

HERE: Final = Path(__file__).parent
PAGE: Final = Path(static.__file__).parent
Trial = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = node.with_websockets(tmp_path_factory.mktemp("node"))
    shutil.copy(PAGE / "client.js", folder)
    shutil.copy(HERE / "client_trial.js", folder)
    return folder


@pytest.fixture
def trial(folder: Path) -> Trial:
    async def run(
        url: str, *calls: list[Any], mood: str = "first", on: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        wish = {"url": url, "options": {"name": "me"}, "calls": calls, "mood": mood, "on": on or {}}
        process = await asyncio.create_subprocess_exec(
            "node", "client_trial.js", json.dumps(wish), cwd=folder, stdout=asyncio.subprocess.PIPE
        )
        try:
            async with asyncio.timeout(PATIENCE_S):
                printed, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        return [json.loads(line) for line in printed.splitlines()]

    return run


def of(kind: str, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


async def test_plays_a_match_and_leaves(tmp_path: Path, trial: Trial) -> None:
    """A client that seeks is given a match on a real server, plays it, and says goodbye."""
    async with arena(tmp_path) as running:
        opponent = await running.greet("rival")
        await opponent.say(wire.Seek(rules="kalah:pits=3,seeds=2", games=2))
        await opponent.hear(wire.Seeking)
        seek: list[Any] = ["seek", {"rules": "kalah:pits=3,seeds=2", "games": 2}]
        finish = {"match_over": [["goodbye"]]}
        events, match = await asyncio.gather(
            trial(running.url, seek, on=finish), opponent.play_until(wire.MatchOver)
        )
    assert [over["reason"] for over in of("game_over", events)] == ["normal", "normal"]
    assert of("match_over", events)[0]["score"] == match.score
    assert events[-1] == {"type": "ended"}


async def test_lists_are_put_together_and_asked_for_again(trial: Trial) -> None:
    """Two lists at the same time, a lost connection between two pages, and an older server."""

    async def first(server: ServerEnd) -> None:
        await server.welcome()
        assert [await server.hear(wire.List) for _ in range(2)] == [
            wire.List(wire.Listable.BOTS),
            wire.List(wire.Listable.GAMES),
        ]
        page = wire.Listing(wire.Listable.BOTS, bots=(wire.ListedBot("ann"),), next="ann")
        await server.say(page)
        assert await server.hear(wire.List) == wire.List(wire.Listable.BOTS, "ann")
        server.connection.transport.abort()

    async def second(server: ServerEnd) -> None:
        await server.welcome()
        for _ in range(2):
            asked = await server.hear(wire.List)
            assert asked.after is None
            if asked.what is wire.Listable.BOTS:
                await server.say(wire.Listing(asked.what, bots=(wire.ListedBot("bob"),)))
            else:
                await server.say(wire.Error(wire.ErrorCode.UNKNOWN_TYPE, "list?", fatal=False))
        await server.say(wire.Left("main"))
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second) as url:
        calls: list[list[Any]] = [["list", "bots"], ["list", "games"]]
        ready = {"welcome": [], "left": [["goodbye"]]}
        events = await trial(url, *calls, on=ready)
    assert of("listed", events) == [{"type": "listed", "found": [{"name": "bob"}]}]
    assert [event["message"] for event in of("not listed", events)] == ["this server has no lists"]


async def test_provisional_moves_are_sent_while_it_thinks(trial: Trial) -> None:
    """The first offer is sent immediately and the last one soon after; a move ends the turn."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(start(), ask())
        first = await server.hear(wire.Move)
        last = await server.hear(wire.Move)
        assert (first.pit, last.pit) == (0, 5)
        assert first.provisional
        assert last.provisional
        await server.say(over(), wire.MatchOver("m1", {}))
        await server.hear(wire.Goodbye)

    async with scripted_server(script) as url:
        events = await trial(url, mood="offers", on={"game_start": [["finish"]]})
    assert events[-1] == {"type": "ended"}


async def test_a_lost_connection_is_resumed(trial: Trial) -> None:
    """The secret of the welcome takes the seat back, and the open turn is answered again."""

    async def first(server: ServerEnd) -> None:
        await server.welcome(session="s3cret")
        assert (await server.hear(wire.Join)).ladder == "main"
        await server.say(start(), ask())
        await server.hear(wire.Move)
        server.connection.transport.abort()

    async def second(server: ServerEnd) -> None:
        hello = await server.welcome(session="s3cret", resumed=True, matches=("m1",))
        assert hello.resume == "s3cret"
        await server.hear(wire.Join)
        await server.say(start(), ask())
        assert await server.hear(wire.Move) == wire.Move("g1", 0, 0)
        await server.say(over(), wire.MatchOver("m1", {}))
        assert (await server.hear(wire.Leave)).ladder == "main"
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second) as url:
        events = await trial(url, ["join", "main"], on={"match_over": [["finish"]]})
    waits = [event["wait_ms"] for event in of("status", events) if event["status"] == "waiting"]
    assert waits == [pytest.approx(250 * 0.55)]


async def test_a_number_of_matches_is_counted_over_connections(trial: Trial) -> None:
    """After a lost connection it asks for the matches that are left, and for none to leave."""

    async def first(server: ServerEnd) -> None:
        await server.welcome()
        assert await server.hear(wire.Join) == wire.Join("main", 2)
        await server.play_one_game()
        await server.connection.close(1012)

    async def second(server: ServerEnd) -> None:
        await server.welcome(resumed=True)
        assert await server.hear(wire.Join) == wire.Join("main", 1)
        await server.say(start("g2", "m2"), ask("g2"))
        await server.hear(wire.Move)
        await server.connection.close(1012)

    async def third(server: ServerEnd) -> None:
        await server.welcome(resumed=True, matches=("m2",))
        assert await server.hear(wire.Leave, answers_leave=False) == wire.Leave("main")
        await server.play_one_game("g2", "m2")
        await server.say(wire.Left("main"))
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second, third) as url:
        await trial(url, ["join", "main", {"matches": 2}], on={"left": [["goodbye"]]})


async def test_a_ladder_that_put_it_out_is_not_joined_again(trial: Trial) -> None:
    """After `left`, a new connection asks for no place on that ladder."""

    async def first(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Join)
        await server.say(wire.Left("main"))
        await server.connection.close(1012)

    async def second(server: ServerEnd) -> None:
        await server.welcome(resumed=True)
        await server.say(wire.Seeking(rules.KALAH, clock.TimeControl(), rated=True, games=1))
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second) as url:
        events = await trial(url, ["join", "main"], on={"seeking": [["goodbye"]]})
    assert of("left", events) == [{"type": "left", "ladder": "main"}]


async def test_no_error_is_an_answer_to_a_leave(trial: Trial) -> None:
    """It may come unasked; the match paired before the ladder was left was lost by it."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Join)
        await server.hear(wire.Challenge)
        await server.hear(wire.Leave, answers_leave=False)
        await server.hear(wire.Schedule)
        await server.say(wire.Error(wire.ErrorCode.LIMIT, "later", fatal=False, ref="main"))
        await server.say(wire.Scheduled("me", (BEGINS,)))
        await server.play_one_game()
        await server.hear(wire.Schedule)
        await server.say(wire.Error(wire.ErrorCode.UNKNOWN_TYPE, "schedule?", fatal=False))
        await server.hear(wire.Goodbye)

    calls: list[list[Any]] = [["challenge", "bob"], ["finish"]]
    async with scripted_server(script) as url:
        events = await trial(url, ["join", "main"], on={"welcome": calls})
    assert [over["reason"] for over in of("game_over", events)] == ["normal"]


@pytest.mark.parametrize("is_late", [False, True])
async def test_its_own_challenges_are_withdrawn_when_it_finishes(
    trial: Trial, *, is_late: bool
) -> None:
    """Also one that opens after that; it said goodbye, and left the match that had begun of it."""
    opened = wire.Challenged("c7", "me", "bob", rules.KALAH, clock.TimeControl(), False, 2)

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Challenge)
        if is_late:
            await server.hear(wire.Schedule)
        await server.say(opened)
        assert await server.hear(wire.Decline) == wire.Decline("c7", "leaving")
        await server.hear(wire.Schedule)
        if is_late:
            await server.say(wire.Scheduled("me"))  # as it was before the challenge
        await server.say(wire.Scheduled("me", (BEGINS,)))
        await server.play_one_game()
        await server.hear(wire.Goodbye)

    greeting: list[list[Any]] = [["challenge", "bob"]]
    on = {"welcome": greeting + [["finish"]] * is_late, "challenged": [["finish"]] * (not is_late)}
    async with scripted_server(script) as url:
        events = await trial(url, on=on)
    assert [over["reason"] for over in of("game_over", events)] == ["normal"]


async def test_challenges_that_came_to_nothing_are_not_withdrawn(trial: Trial) -> None:
    """One that was declined, and those of a session that is over."""
    opened = [
        wire.Challenged(key, "me", "bob", rules.KALAH, clock.TimeControl(), False, 2)
        for key in ("c7", "c8")
    ]

    async def first(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Challenge)
        await server.say(opened[0])
        await server.connection.close(1012)

    async def second(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Challenge)
        await server.say(opened[1])
        await server.say(wire.Error(wire.ErrorCode.DECLINED, "no", fatal=False, ref="c8"))
        await server.hear(wire.Goodbye)

    greeting = {"welcome": [["challenge", "bob"]], "error": [["finish"]]}
    async with scripted_server(first, second) as url:
        events = await trial(url, on=greeting)
    assert events[-1] == {"type": "ended"}


BEGINS: Final = wire.NextMatch(wire.MatchOrigin.MATCH, "main", "rival", 1)


@pytest.mark.parametrize("is_resumed", [False, True])
async def test_a_match_that_was_paired_before_it_left_is_played(
    trial: Trial, *, is_resumed: bool
) -> None:
    """It said goodbye with its leave, and left the match before its first move."""

    async def lost(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Join)
        await server.hear(wire.Leave, answers_leave=False)
        await server.connection.close(1012)

    async def script(server: ServerEnd) -> None:
        await server.welcome(resumed=is_resumed)
        if not is_resumed:
            await server.hear(wire.Join)
        await server.hear(wire.Leave, answers_leave=False)
        await server.hear(wire.Schedule)
        await server.say(wire.Scheduled("me", (BEGINS,)))
        await server.play_one_game()
        await server.hear(wire.Goodbye)

    async with scripted_server(*([lost] if is_resumed else []), script) as url:
        events = await trial(url, ["join", "main"], on={"welcome": [["finish"]]})
    assert [over["reason"] for over in of("game_over", events)] == ["normal"]


async def test_a_restart_of_the_server_is_waited_for(trial: Trial) -> None:
    """It comes back after the time that the goodbye names, and asks again for what it wanted."""

    async def first(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Seek)
        await server.say(wire.Goodbye("restart", reconnect_after=0.5))
        await server.until_closed()

    async def second(server: ServerEnd) -> None:
        await server.welcome()
        assert (await server.hear(wire.Seek)).games == 4
        await server.play_one_game()
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second) as url:
        events = await trial(url, ["seek", {"games": 4}], on={"match_over": [["goodbye"]]})
    (waiting,) = [event for event in of("status", events) if event["status"] == "waiting"]
    assert waiting["wait_ms"] == pytest.approx(500 + 250 * 0.55)


@pytest.mark.parametrize("mood", ["impatient", "hasty"])
async def test_a_connection_without_a_welcome_is_given_up(trial: Trial, mood: str) -> None:
    """It waited for as long as TCP repeats what was dropped: minutes, or for ever.

    A hasty client has waited before the connection is open.
    """

    async def silent(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        await server.until_closed()

    async def second(server: ServerEnd) -> None:
        await server.welcome()
        await server.hear(wire.Goodbye)

    async with scripted_server(*([silent] if mood == "impatient" else []), second) as url:
        events = await trial(url, mood=mood, on={"welcome": [["goodbye"]]})
    statuses = [(each["status"], each.get("problem")) for each in of("status", events)]
    assert statuses == [("waiting", "no welcome within 20 s"), ("ready", None), ("left", None)]


async def test_a_replaced_client_stays_away(trial: Trial) -> None:
    """The close code 4001 ends it with an error of its own."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(wire.Goodbye(wire.REPLACED))
        await server.connection.close(wire.REPLACED_CLOSE)

    async with scripted_server(script) as url:
        events = await trial(url)
    assert events[-1]["name"] == "ReplacedError"


async def test_a_fatal_error_ends_it(trial: Trial) -> None:
    """The server's refusal is thrown, with its code and its sentence."""

    async def script(server: ServerEnd) -> None:
        await server.hear(wire.Hello)
        await server.say(wire.Error(wire.ErrorCode.BAD_TOKEN, "the token is wrong", fatal=True))
        await server.say(wire.Goodbye("bad_token"))
        await server.connection.close(1008)

    async with scripted_server(script) as url:
        events = await trial(url)
    assert events[-1]["name"] == "RefusedError"
    assert (events[-1]["code"], events[-1]["message"]) == ("bad_token", "the token is wrong")


async def test_a_forgotten_session_is_begun_anew(trial: Trial) -> None:
    """Where the server has lost the session, the client greets again without it."""

    async def first(server: ServerEnd) -> None:
        await server.welcome(session="old")
        server.connection.transport.abort()

    async def second(server: ServerEnd) -> None:
        assert (await server.hear(wire.Hello)).resume == "old"
        await server.say(wire.Error(wire.ErrorCode.BAD_RESUME, "no such session", fatal=True))
        await server.connection.close(1008)

    async def third(server: ServerEnd) -> None:
        assert (await server.welcome()).resume is None
        await server.say(wire.Seeking(rules.KALAH, clock.TimeControl(), rated=True, games=1))
        await server.hear(wire.Goodbye)

    async with scripted_server(first, second, third) as url:
        events = await trial(url, on={"seeking": [["goodbye"]]})
    assert events[-1] == {"type": "ended"}


async def test_a_faulty_bot_leaves_its_seat_to_be_resumed(trial: Trial) -> None:
    """What `choose` throws ends the client without a goodbye, which would give up the game."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        await server.say(start(), ask())
        await server.until_closed()

    async with scripted_server(script) as url:
        events = await trial(url, mood="fails")
    assert events[-1]["message"] == "no idea"


async def test_challenges_are_accepted_and_declined(trial: Trial) -> None:
    """The id of the challenge goes back with the answer."""

    async def script(server: ServerEnd) -> None:
        await server.welcome()
        assert (await server.hear(wire.Challenge)).opponent == "bob"
        terms = (rules.KALAH, clock.TimeControl(), False, 2)
        await server.say(wire.Challenged("c7", "bob", "me", *terms))
        assert await server.hear(wire.Accept) == wire.Accept("c7")
        assert await server.hear(wire.Decline) == wire.Decline("c7")
        assert await server.hear(wire.Resign) == wire.Resign("g9")
        assert await server.hear(wire.Watch) == wire.Watch(game="g9")
        assert await server.hear(wire.Unwatch) == wire.Unwatch()
        await server.hear(wire.Goodbye)

    replies: list[list[Any]] = [
        ["accept", "$challenge"],
        ["decline", "$challenge"],
        ["resign", "g9"],
    ]
    replies += [["watch", {"game": "g9"}], ["unwatch"], ["goodbye"]]
    greeting = {"welcome": [["challenge", "bob"]], "challenged": replies}
    async with scripted_server(script) as url:
        assert (await trial(url, on=greeting))[-1] == {"type": "ended"}


TYPES: Final = {
    "ProtocolError": wire.Error,
    "Agent": wire.Agent,
    "Dialogue": wire.Dialogue,
    "Rules": rules.Rules,
    "TimeControl": clock.TimeControl,
    "State": rules.State,
    "ClockState": clock.ClockState,
    "Info": wire.Info,
    "Opponent": wire.Opponent,
    "Limits": wire.Limits,
    "Evidence": wire.Evidence,
    **{each.__name__: each for each in wire.ServerMessage.__args__ if each is not wire.Error},
}


@pytest.mark.parametrize("name", TYPES)
def test_the_types_have_the_fields_of_the_messages(name: str) -> None:
    """Each interface of client.d.ts names the fields that its message has on the wire."""
    text = (PAGE / "client.d.ts").read_text()
    block = re.search(rf"export interface {name} {{\n(.*?)\n}}", text, re.DOTALL)
    assert block is not None
    fields = set(re.findall(r"^  (\w+)\??:", block[1], re.MULTILINE)) - {"type"}
    described: Any = msgspec.inspect.type_info(TYPES[name])
    assert fields == {field.encode_name for field in described.fields}


def test_the_types_have_every_message_of_the_server() -> None:
    """`Events` lists each message that a server may send."""
    text = (PAGE / "client.d.ts").read_text()
    block = re.search(r"export interface Events {\n(.*?)\n}", text, re.DOTALL)
    assert block is not None
    known = set(re.findall(r"^  (\w+):", block[1], re.MULTILINE)) - {"status"}
    assert known == {each.__struct_config__.tag for each in wire.ServerMessage.__args__}
