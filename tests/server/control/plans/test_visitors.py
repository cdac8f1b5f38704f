"""Who is connected, and who is kept out."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol import messages as wire
from mancala.server.config.ladders import LadderSettings
from mancala.server.control.actions import MakeBan
from mancala.server.control.operator import Order
from mancala.server.control.plans.visitors import ban
from mancala.server.model.day_counts import Counted, CountKind
from mancala.server.store.rows.tokens import bind, issue, new_salt
from tests.server.peers import arena

LADDER = (LadderSettings(name="main"),)


async def test_who_names_each_bot_with_what_it_does_and_costs(tmp_path: Path) -> None:
    """Since when, from where, its matches and ladders."""
    async with arena(tmp_path, ladder=LADDER) as running:
        ann = await running.greet("ann")
        await ann.say(wire.Join("main"))
        await ann.hear(wire.Joined)
        await running.greet("bob")
        found = await running.order("who")
        [only] = (await running.order("who", name="ann"))["bots"]
        seat, _ = running.server.target.sessions.directory.seats
        spent_ms = seat.spent * 0.05
    assert [bot["name"] for bot in found["bots"]] == ["ann", "bob"]
    assert found["connections"] == 2
    assert found["changed"] == []
    assert (only["kind"], only["address"], only["ladders"]) == ("guest", "127.0.0.1", ["main"])
    assert only["since"].endswith("+00:00")
    assert only["cost_ms"] == pytest.approx(spent_ms, abs=0.1)
    assert only["cost_ms"] > 0


@pytest.mark.parametrize("key", [{"name": "EVE"}, {"address": "127.0.0.0/8"}])
async def test_a_ban_ends_the_session_and_keeps_out(tmp_path: Path, key: dict[str, Any]) -> None:
    """The bot reads why and until when; its game is lost, and it can't come back."""
    async with arena(tmp_path) as running:
        eve, bob = await running.pair("eve", "bob")
        await bob.hear(wire.GameStart)
        result = await running.order("ban", **key, reason="she cheats", for_s=3600.0)
        refused = await eve.hear(wire.Error)
        assert refused.code is wire.ErrorCode.FORBIDDEN
        assert refused.message.startswith("banned until 2")
        assert refused.message.endswith(": she cheats")
        if "name" in key:
            over = await bob.hear(wire.GameOver)
            assert over.reason is wire.Reason.DISCONNECTED
        again = await running.connect()
        await again.hello("eve")
        assert (await again.hear(wire.Error)).message == refused.message
        await again.hear(wire.Goodbye)
    assert [change["what"] for change in result["changed"]][:2] == ["ban", "session"]
    assert "remark" not in result


async def test_a_ban_of_a_name_that_nobody_has_says_so(tmp_path: Path) -> None:
    """It holds all the same, for one who comes."""
    async with arena(tmp_path) as running:
        result = await running.order("ban", name="evv", reason="she cheats")
        bans = await running.order("bans")
    assert result["remark"].startswith("no bot named evv has played or has a token here")
    assert [each["key"] for each in bans["bans"]] == ["evv"]


async def test_a_ban_ends_the_session_of_who_came_while_it_was_stored(tmp_path: Path) -> None:
    """Its hello was taken before the ban held."""
    async with arena(tmp_path) as running:
        now = running.server.target.context.utc()
        wanted = MakeBan(name="eve", reason="she cheats")
        plan = await ban(running.server.target, wanted, Order("ban", "root", now))
        eve = await running.greet("eve")
        plan.done()
        assert (await eve.hear(wire.Error)).message == "banned: she cheats"
        await eve.hear(wire.Goodbye)


async def test_a_ban_says_that_it_frees_a_childs_name(tmp_path: Path) -> None:
    """Any ban does; neither its end nor `undo` gives the name back to the device."""
    freed = {"what": "device", "subject": "mw69s.zoe", "before": "kept", "after": "free"}
    async with arena(tmp_path) as running:
        context, claims = running.server.target.context, running.server.target.sessions.claims
        kept = Counted(CountKind.LEAGUE, "mw69s.zoe", "a-device", context.utc())
        claims.restore_count(kept, context.now())
        assert freed in (await running.order("ban", name="mw69s.Zoe", dry_run=True))["changed"]
        assert freed in (await running.order("ban", name="mw69s.Zoe"))["changed"]
        await running.order("undo", number=1)
        assert freed not in (await running.order("ban", name="mw69s.Zoe"))["changed"]


async def test_a_ban_outlives_the_server(tmp_path: Path) -> None:
    """And is lifted after the restart."""
    async with arena(tmp_path) as running:
        await running.order("ban", name="eve", reason="she cheats")
    async with arena(tmp_path) as running:
        [found] = (await running.order("bans"))["bans"]
        made = {"kind": "name", "key": "eve", "until": None, "by": "root"}
        assert found.items() >= made.items()
        eve = await running.connect()
        await eve.hello("eve")
        assert (await eve.hear(wire.Error)).message == "banned: she cheats"
        await running.order("unban", name="Eve")
        await running.greet("eve")
        assert (await running.order("bans"))["bans"] == []


async def test_a_banned_token_is_kept_out_and_never_stored(tmp_path: Path) -> None:
    """Its bearer's session ends; the trail does not have the token."""
    async with arena(tmp_path) as running:
        token = await running.server.store.run(issue, "eve", "2026-01-01T00:00:00.000+00:00")
        eve = await running.connect()
        await eve.hello("eve", token=token)
        await eve.hear(wire.Welcome)
        result = await running.order("ban", token=token, reason="stolen")
        assert (await eve.hear(wire.Error)).message == "banned: stolen"
        assert {"what": "session", "subject": "eve", "before": "kept", "after": "ended"} in (
            result["changed"]
        )
        trail = await running.order("log")
    assert token not in str(trail)


async def test_a_ban_of_a_former_token_ends_the_session_that_came_with_it(tmp_path: Path) -> None:
    """A thief is out though the owner has a new token; so is one with a token of its own choice."""
    async with arena(tmp_path) as running:
        run, at = running.server.store.run, "2026-01-01T00:00:00.000+00:00"
        stolen = await run(issue, "eve", at)
        await run(partial(bind, salt=new_salt()), "cid", "chosen-by-cid", at)
        for name, token in {"eve": stolen, "cid": "chosen-by-cid"}.items():
            bot = await running.connect()
            await bot.hello(name, token=token)
            await bot.hear(wire.Welcome)
            if name == "eve":
                await run(issue, name, at)
            await running.order("ban", token=token, reason="stolen")
            assert (await bot.hear(wire.Error)).message == "banned: stolen"


async def test_a_ban_of_a_chosen_token_ends_a_session_that_outlived_a_restart(
    tmp_path: Path,
) -> None:
    """Which token it came with is not stored, nor one that a bot chose as an issued one is."""
    chosen = "chosen-by-cid"
    async with arena(tmp_path) as running:
        salted = partial(bind, salt=new_salt())
        await running.server.store.run(salted, "cid", chosen, "2026-01-01T00:00:00.000+00:00")
        cid = await running.connect()
        await cid.hello("cid", token=chosen)
        await cid.hear(wire.Welcome)
    async with arena(tmp_path) as running:
        again = await running.connect()
        await again.hello("cid", resume=cid.secret)
        assert (await again.hear(wire.Welcome)).resumed
        await running.order("ban", token=chosen.upper(), reason="another")
        await running.order("ban", token=chosen, reason="stolen")
        assert (await again.hear(wire.Error)).message == "banned: stolen"
