"""Orders that are held back until they are confirmed."""

from pathlib import Path
from typing import Any

import msgspec

from mancala.protocol.messages import GameOver, GameStart, Reason
from mancala.server.config.ladders import LadderSettings
from mancala.server.store.rows.orders import act_of
from tests.server.control.operators import alone, joined, laddered, played
from tests.server.peers import Arena, arena

MAIN = (LadderSettings(name="main"),)


async def held(running: Arena, action: str, **arguments: Any) -> str:  # noqa: ANN401  # whatever an action takes
    return str((await running.order("hold", action=action, arguments=arguments))["held"])


def banned(running: Arena) -> list[str]:
    return [ban.key for ban in running.server.target.sessions.orders.bans]


async def test_an_order_that_is_held_back_changes_nothing_until_it_is_confirmed(
    tmp_path: Path,
) -> None:
    """It says what it would change, is listed, and outlives a restart; the log has both hands."""
    async with arena(tmp_path) as running:
        given: dict[str, Any] = {"action": "ban", "arguments": {"name": "eve", "for_s": 60.0}}
        result = await running.order("hold", why="plays by hand", **given)
        assert [change["what"] for change in result["would_change"]] == ["ban"]
        assert banned(running) == []
    async with arena(tmp_path) as running:
        [waiting] = (await running.order("held"))["held"]
        given = {"action": "ban", "by": "root", "why": "plays by hand"}
        assert waiting.items() >= given.items()
        dry = await running.order("confirm", id=waiting["id"], dry_run=True)
        assert [change["what"] for change in dry["changed"]] == ["ban", "held"]
        assert banned(running) == []
        await running.order("confirm", id=waiting["id"])
        assert banned(running) == ["eve"]
        [line, first] = (await running.order("log"))["log"]
        kept = await running.server.target.store.run(act_of, number=line["number"])
        assert kept is not None
        assert "held" not in msgspec.json.decode(kept.act.what)
        assert (line["action"], line["held_by"], line["why"]) == ("ban", "root", "plays by hand")
        assert (first["action"], first["held_by"]) == ("hold", None)
        await running.refused("is held back; there are: none", "confirm", id=waiting["id"])
        await running.order("undo", number=line["number"])
        assert banned(running) == []


async def test_a_confirmed_order_acts_on_the_state_as_it_is_then(tmp_path: Path) -> None:
    """Also on games that ended after it was given; where it can't be done, it stays held."""
    async with laddered(tmp_path) as running:
        await played(running, "ann", "bob")
        annul = await held(running, "annul", ladder="main", since="2000-01-01T00:00:00Z")
        pause = await held(running, "pause", ladder="main")
        ids = await played(running, "cid", "dan")
        await running.order("confirm", id=annul, why="seen by two")
        assert (await running.order("log"))["log"][0]["why"] == "seen by two"
        assert (await running.order("check"))["equal"]
        games = running.server.target.sessions.ladders.get("main")
        assert games is not None
        assert not games.state.standings()
        assert len(ids) == 4
        await running.order("pause", ladder="main")
        await running.refused("the ladder main is paused already", "confirm", id=pause)
        assert len((await running.order("held"))["held"]) == 1


async def test_an_order_whose_doing_is_a_step_of_its_own_is_settled_with_it(tmp_path: Path) -> None:
    """An abort ends the match and settles the order in one transaction."""
    async with laddered(tmp_path) as running:
        peers = await joined(running, "ann", "bob")
        game = (await peers[0].hear(GameStart)).game
        key = await held(running, "abort", game=game, reason="a power cut")
        await running.order("confirm", id=key)
        assert (await peers[0].hear(GameOver)).reason is Reason.ABORTED
        assert (await running.order("held"))["held"] == []
    assert (await alone(tmp_path, "held"))["held"] == ()
    [line, _] = (await alone(tmp_path, "log"))["log"]
    assert (line["action"], line["held_by"]) == ("abort", "root")


async def test_what_is_dropped_is_not_carried_out_and_may_be_held_again(tmp_path: Path) -> None:
    """By undoing the drop; undoing the hold drops it."""
    async with arena(tmp_path, ladder=MAIN) as running:
        key = await held(running, "drain")
        dropped = (await running.order("drop", id=key))["changed"]
        said = {"what": "held", "subject": key, "before": "drain by root", "after": None}
        assert dropped == [said]
        await running.refused(f"no order {key} is held back", "confirm", id=key)
        await running.refused("was confirmed or dropped", "undo", number=1)
        again = (await running.order("undo", number=2))["changed"]
        assert again == [said | {"before": None, "after": "drain by root"}]
        assert [each["id"] for each in (await running.order("held"))["held"]] == [key]
        await running.order("undo", number=1)
        assert (await running.order("held"))["held"] == []
        assert not running.server.target.sessions.orders.is_drained
        lines = (await running.order("log"))["log"]
        assert {line["held_by"] for line in lines} == {None}
