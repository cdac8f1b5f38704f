"""``mancala admin``, as an operator types it."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from mancala.protocol.messages import Notice
from mancala.scripts.commands.hosting.admin import say_check, say_reload
from mancala.scripts.console import ordering
from mancala.server.app.operating import operated
from mancala.server.config.settings import Config
from mancala.server.control.wire import Request
from mancala.server.health.log import NullLog
from mancala.server.model.journal import RowRefused
from tests.scripts.commands.results import mancala, result_of
from tests.server.peers import arena


@pytest.fixture
async def config(tmp_path: Path) -> str:
    async with arena(tmp_path) as running:
        place = running.server.config.store
    path = tmp_path / "arena.toml"
    path.write_text(f'name = "test"\nstore = "{place}"\n[[ladder]]\nname = "main"\n')
    return str(path)


def done(*arguments: str) -> dict[str, Any]:
    return result_of("admin", *arguments)


def test_a_ban_is_made_listed_and_lifted(config: str) -> None:
    """Without a server, on its store; a dry run changes nothing."""
    at = ("--config", config)
    ban = ("ban", "eve", "--reason", "she cheats", "--for", "7d", *at)
    assert done(*ban, "--dry-run")["dry_run"] is True
    assert done("bans", *at)["bans"] == []
    assert [change["what"] for change in done(*ban)["changed"]] == ["ban"]
    assert "name eve" in mancala("admin", "bans", *at).stdout
    assert done("unban", "eve", *at)["changed"][0]["after"] is None
    assert "\tban\tban name eve" in mancala("admin", "log", *at).stdout


def test_another_user_reads_whose_store_it_is(config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no server runs; nothing is tried on it."""
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    refused = mancala("admin", "pause", "main", "--config", config)
    assert refused.exit_code == 1
    assert "whose server keeps it, may change it; run this as" in refused.stderr
    assert "Traceback" not in refused.stderr


async def test_a_running_server_is_asked_over_its_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bots hear of it; without the socket, which is waited for, the store is left alone."""
    loop, refused, ask = asyncio.get_running_loop(), asyncio.Event(), ordering._answered_now

    def asked(request: Request, config: Config) -> dict[str, Any]:
        try:
            return ask(request, config)
        finally:
            loop.call_soon_threadsafe(refused.set)

    monkeypatch.setattr(ordering, "_answered_now", asked)
    async with arena(tmp_path) as running:
        store = ("--store", str(running.server.config.store))
        ann = await running.greet("ann")
        with monkeypatch.context() as impatient:
            impatient.setattr(ordering, "STARTING_S", 0.0)
            alone = await asyncio.to_thread(mancala, "admin", "who", *store)
        refused.clear()
        waiting = asyncio.create_task(asyncio.to_thread(mancala, "admin", "who", *store))
        await refused.wait()
        async with operated(running.server.target, NullLog()):
            assert "ann\tguest" in (await waiting).stdout
            said = await asyncio.to_thread(mancala, "admin", "notice", "Hello.", *store)
            who = await asyncio.to_thread(mancala, "admin", "who", *store)
            await running.server.store.put_aside([RowRefused(1, "Not authorized")], "2026-01-01")
            aside = await asyncio.to_thread(mancala, "admin", "aside", *store)
        assert (await ann.hear(Notice)).text == "Hello."
    assert said.stdout == "changed: notice test: Hello.\n"
    assert "ann\tguest\t127.0.0.1" in who.stdout
    assert "1 bot on 1 connection" in who.stdout
    assert aside.stdout.endswith("since 2026-01-01, 1 refusal\tNot authorized\n")
    assert alone.exit_code == 1
    assert "its control socket is not there" in alone.stderr


def test_an_order_is_held_back_and_confirmed(config: str) -> None:
    """It is printed with its id, which `confirm` takes; the log has both."""
    at = ("--config", config)
    said = mancala("admin", "ban", "eve", "--reason", "by hand", "--hold", *at)
    assert "would change: ban name eve: banned: by hand" in said.stdout
    key = said.stdout.split("held back: ")[1].strip()
    assert mancala("admin", "bans", *at).stdout == "no bans\n"
    assert f"{key}\t" in mancala("admin", "held", *at).stdout
    confirmed = mancala("admin", "confirm", key, *at)
    assert f"changed: held {key}: ban by " in confirmed.stdout
    assert "'s order)\tban\t" in mancala("admin", "log", *at).stdout
    assert mancala("admin", "held", *at).stdout == "no order is held back\n"


def test_what_waits_for_a_restart_says_what_else_it_can_wait_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A ladder's clock and rules are taken up by a running server as well."""
    keys = ["ladder main.clock", "ladder main.rules", "port"]
    say_reload({"changed": [], "dry_run": False, "wait_for_restart": keys})
    assert capsys.readouterr().out.splitlines() == [
        "nothing to change",
        "waits for a restart, a new season or --same-season: ladder main.clock",
        "waits for a restart or a new season: ladder main.rules",
        "waits for a restart: port",
    ]


def test_one_row_differs_and_two_rows_differ(capsys: pytest.CaptureFixture[str]) -> None:
    """The verb bends, too."""
    for count in (1, 2):
        say_check({"equal": False, "differences": [], "count": count})
    assert capsys.readouterr().out.splitlines() == [
        "1 row differs from the games",
        "2 rows differ from the games",
    ]
