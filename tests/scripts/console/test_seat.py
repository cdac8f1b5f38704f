"""What commands know of their seat: the authority that certificates of servers must be of."""

import asyncio
import os
from pathlib import Path

import pytest

from mancala.bot.client.run import run
from mancala.server.config.settings import Tls
from tests.scripts.commands.results import mancala_on_a_thread
from tests.server.peers import arena
from tests.sources import ROOT

TLS = ROOT / "tests" / "data" / "tls"
AUTHORITY = str(TLS / "first.pem")
OTHER = str(TLS / "renewed.pem")
SERVERS = Tls(cert=AUTHORITY, key=str(TLS / "first.key"))


@pytest.fixture(autouse=True)
def untrusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin with no authority in the environment, and restore what a command sets there."""
    monkeypatch.setenv("SSL_CERT_FILE", "")
    monkeypatch.delenv("SSL_CERT_FILE")


async def test_a_server_with_an_authority_of_ones_own_is_trusted_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the option or in the environment; one that has not signed is refused in a line."""
    async with arena(tmp_path, tls=SERVERS) as running:
        strange = await mancala_on_a_thread("list", running.url)
        other = await mancala_on_a_thread("list", running.url, "--ca", OTHER)
        named = await mancala_on_a_thread("list", running.url, "--ca", AUTHORITY, "--json")
        monkeypatch.setenv("SSL_CERT_FILE", AUTHORITY)
        inherited = await mancala_on_a_thread("list", running.url, "--json")
    for refused in (strange, other):
        assert refused.exit_code == 1
        assert "certificate" in refused.stderr
        assert "Traceback" not in refused.stderr
    assert named.stdout == inherited.stdout == '{"ladders":[]}\n'


async def test_a_bot_plays_on_a_server_with_an_authority_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped one by the option, one of an author by the environment."""
    monkeypatch.setenv("SSL_CERT_FILE", AUTHORITY)
    shipped = ("--name", "ann", "--player", "random", "--games", "2", "--ca", AUTHORITY, "--json")
    async with arena(tmp_path, tls=SERVERS) as running:
        ann, bob = await asyncio.gather(
            mancala_on_a_thread("bot", running.url, *shipped),
            run(
                running.url,
                lambda turn: turn.legal[0],
                name="bob",
                games=2,
                session_file=None,
                stop=asyncio.Event(),
            ),
        )
    assert ann.exit_code == 0
    assert '"games":2' in ann.stdout
    assert len(bob) == 2


@pytest.mark.parametrize("command", ["bot", "kgp", "list", "mcp", "reviewer"])
async def test_an_authority_that_cannot_be_read_is_bad_input(command: str) -> None:
    """The line names its file."""
    refused = await mancala_on_a_thread(command, "wss://127.0.0.1:9", "--ca", __file__)
    assert refused.exit_code == 2
    assert "test_seat.py" in refused.stderr
    assert "SSL_CERT_FILE" not in os.environ
