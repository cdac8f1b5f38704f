"""Who gets in by the port for bots and spectators."""

import asyncio
import shutil
import ssl
import stat
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace
from websockets import InvalidStatus, Origin

from mancala.bot.client.reconnect import dial, unix_url
from mancala.protocol import messages as wire
from mancala.server.config.ladders import LadderSettings
from mancala.server.config.settings import ConfigError, Kgp, Limits, Tls
from mancala.server.net.limits.gate import REFUSALS_UNDER_WAY
from mancala.server.net.listener import is_allowed
from mancala.server.net.tls import context_of
from tests.patience import connect
from tests.server.peers import Peer, arena, kgp_of
from tests.sources import ROOT

TLS = ROOT / "tests" / "data" / "tls"
POLICY_VIOLATION = 1008
ASYNCIOS_OWN_S = 60.0


def certificate(name: str) -> Tls:
    return Tls(cert=str(TLS / f"{name}.pem"), key=str(TLS / f"{name}.key"))


def copied(folder: Path) -> tuple[Tls, list[Path]]:
    """Return the first certificate in files that a test may change: it, and its key."""
    files = [Path(shutil.copy(TLS / name, folder)) for name in ("first.pem", "first.key")]
    return Tls(cert=str(files[0]), key=str(files[1])), files


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (str(TLS / "renewed.key"), "renewed.key is that of another certificate"),
        (str(TLS / "first.pem"), "first.pem has no key in PEM"),
        ("locked.key", "tls.key: the key has a password"),
    ],
)
def test_a_key_that_is_none_of_the_certificate_is_told_in_words(
    key: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing waits on the terminal for the password of one."""
    monkeypatch.chdir(tmp_path)
    cipher = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{32 * '0'}\n\nAAAA"
    label = "RSA PRIVATE KEY-----"
    Path("locked.key").write_text(f"-----BEGIN {label}\n{cipher}\n-----END {label}\n")
    with pytest.raises(ConfigError, match=said):
        context_of(Tls(cert=str(TLS / "first.pem"), key=key))


def test_a_certificate_that_cannot_be_asked_for_is_told_in_words() -> None:
    """The question which file it was raised the error anew."""
    with pytest.raises(ConfigError, match=r"tls\.cert: .*long: File name too long"):
        context_of(Tls(cert=90 * "long", key="key.pem"))


async def seen_certificate(url: str, trusted: str) -> None:
    """Connect, and accept only that certificate.

    Raises:
        ssl.SSLCertVerificationError: when another one is shown.
    """
    trust = ssl.create_default_context(cafile=str(TLS / f"{trusted}.pem"))
    async with connect(url, ssl=trust, compression=None):
        pass


async def test_one_connection_too_many_is_told_so_and_sent_away(tmp_path: Path) -> None:
    """The one that is there plays on; when it goes there is room again."""
    narrow = Limits(connections_per_address=1, exempt=())
    async with arena(tmp_path, limits=narrow) as running:
        first = await running.greet("ann")
        second = await running.connect()
        error = await second.hear(wire.Error)
        assert (error.code, error.fatal) == (wire.ErrorCode.LIMIT, True)
        await second.hear(wire.Goodbye)
        assert await second.hear_close() == POLICY_VIOLATION
        await first.say(wire.Unseek())
        await first.hang_up()
        while not await is_in(await running.connect(), "bob"):
            pass  # the server notices within a turn or two that the first is gone


async def test_behind_a_trusted_proxy_each_client_has_limits_of_its_own(tmp_path: Path) -> None:
    """One address is full, another gets in; what a client claims itself counts for nothing."""
    limits = Limits(connections_per_address=1, proxies=("127.0.0.1/32",))
    async with arena(tmp_path, limits=limits) as running, AsyncExitStack() as stack:

        async def come_from(forwarded: str) -> Peer:
            headers = {"X-Forwarded-For": forwarded}
            connecting = connect(running.url, additional_headers=headers, compression=None)
            return Peer(await stack.enter_async_context(connecting))

        for address in ("192.0.2.1", "192.0.2.2"):
            peer = await come_from(address)
            await peer.hello(f"bot-{address}")
            await peer.hear(wire.Welcome)
        for forwarded in ("192.0.2.1", "192.0.2.77, 192.0.2.1"):
            peer = await come_from(forwarded)
            assert (await peer.hear(wire.Error)).code is wire.ErrorCode.LIMIT


async def test_headers_of_a_stranger_change_nothing(tmp_path: Path) -> None:
    """An address that is full stays full, whatever it claims."""
    narrow = Limits(connections_per_address=1, exempt=())
    async with arena(tmp_path, limits=narrow) as running:
        await running.greet("ann")
        spoofed = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
        async with connect(running.url, additional_headers=spoofed, compression=None) as socket:
            assert (await Peer(socket).hear(wire.Error)).code is wire.ErrorCode.LIMIT


async def test_a_proxy_that_names_two_clients_is_refused(tmp_path: Path) -> None:
    """One of the headers is the client's own."""
    async with arena(tmp_path, limits=Limits(proxies=("127.0.0.1/32",))) as running:
        both = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.2"}
        with pytest.raises(InvalidStatus, match="400"):
            await connect(running.url, additional_headers=both)


async def is_in(peer: Peer, name: str) -> bool:
    await peer.hello(name)
    return not isinstance(await peer.hear(wire.Error | wire.Welcome), wire.Error)  # type: ignore[arg-type]  # either


async def test_a_peer_past_its_budget_waits_and_is_heard_to_the_end(tmp_path: Path) -> None:
    """What it says is read later; nothing of it is lost, and it is not sent away."""
    limits = Limits(messages_per_s=500, messages_burst=5)
    async with arena(tmp_path, limits=limits) as running:
        ann = await running.greet("ann")
        await ann.say(*[wire.Unseek()] * 200, wire.Seek())
        await ann.hear(wire.Seeking)


@pytest.mark.parametrize("pings", [0, 100])
async def test_a_peer_that_stays_past_its_budget_is_sent_away(tmp_path: Path, pings: int) -> None:
    """Past its burst and its rate; the reason is named, and pings are paid for like messages."""
    limits = Limits(messages_per_s=1, messages_burst=10, flood_s=1e-6)
    async with arena(tmp_path, limits=limits) as running:
        ann = await running.greet("ann")
        for _ in range(pings):
            await ann.ping()
        if not pings:
            await ann.say(*[wire.Unseek()] * 20)
        assert (await ann.hear(wire.Error)).code is wire.ErrorCode.LIMIT
        assert await ann.hear_close() == POLICY_VIOLATION


async def test_answers_to_questions_are_never_too_many(tmp_path: Path) -> None:
    """However quick a bot is, and however little it may say unasked."""
    async with arena(tmp_path, limits=Limits(messages_per_s=1, messages_burst=40)) as running:
        over = await running.match("ann", "bob", games=6)
        assert sum(over.score.values()) == 6


@pytest.mark.parametrize(
    ("origin", "host", "welcome"),
    [
        ("http://arena.example:8080", "arena.example:8765", True),
        ("https://arena.example", "arena.example", True),
        ("http://[::1]:8080", "[::1]:8765", True),
        ("https://club.example", "arena.example", True),
        ("https://evil.example", "arena.example", False),
        ("http://arena.example.evil.example", "arena.example", False),
        ("https://club.example:444", "arena.example", False),
        ("null", "arena.example", False),
        ("http://[", "arena.example", False),
    ],
)
def test_pages_from_elsewhere_may_not_connect(origin: str, host: str, *, welcome: bool) -> None:
    """Those from the same host may, whatever the port, and those that are listed."""
    assert is_allowed(origin, host, ["https://club.example"]) is welcome


async def test_a_foreign_page_is_refused_before_it_can_speak(tmp_path: Path) -> None:
    """With 403; a bot states no origin and comes in."""
    async with arena(tmp_path) as running:
        with pytest.raises(InvalidStatus, match="403"):
            await connect(running.url, origin="https://evil.example")  # type: ignore[arg-type]  # an Origin
        await running.greet("ann")


async def test_a_refused_origin_is_told_which_settings_let_it_in(tmp_path: Path) -> None:
    """websocket-client sends the address that it asks for; so does a page whose name leads here."""
    async with arena(tmp_path) as running:
        address = f"ws://arena.example.org:{urlsplit(running.url).port}"
        origin = Origin(address.replace("ws:", "http:"))
        with pytest.raises(InvalidStatus) as refused:
            await connect(address, host="127.0.0.1", origin=origin)
        body = refused.value.response.body.decode()
        assert body.startswith(f"{origin} may not connect here as {urlsplit(origin).netloc}: ")
        assert all(word in body for word in ("origins", "hosts", "suppress_origin=True"))
        running.server.reload(replace(running.server.config, hosts=("arena.example.org",)))
        async with connect(address, host="127.0.0.1", origin=origin):
            pass


async def test_a_certificate_encrypts_and_is_renewed_without_a_restart(tmp_path: Path) -> None:
    """Connections that stand stand on."""
    async with arena(tmp_path, tls=certificate("first")) as running:
        server = running.server
        assert server.url.startswith("wss://")
        await seen_certificate(server.url, "first")
        server.reload(replace(server.config, tls=certificate("renewed")))
        await seen_certificate(server.url, "renewed")
        with pytest.raises(ssl.SSLCertVerificationError):
            await seen_certificate(server.url, "first")


async def test_a_peer_that_is_silent_in_its_tls_handshake_is_cut_off(tmp_path: Path) -> None:
    """On every port, after the time of the other opening steps."""
    brief = Limits(handshake_s=0.1)
    kgp = Kgp(tcp_port=0, ws_port=0)
    tls = certificate("first")
    async with arena(tmp_path, tls=tls, limits=brief, kgp=kgp, http_port=0) as running:
        server = running.server
        for url in (server.url, *kgp_of(server).urls, server.http_url):
            parts = urlsplit(url or "")
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            async with asyncio.timeout(ASYNCIOS_OWN_S - 1.0):
                with suppress(ConnectionResetError):
                    assert await reader.read() == b""
            writer.close()


async def test_handshakes_that_are_never_finished_are_limited(tmp_path: Path) -> None:
    """An address has some more of them than connections; others are reset."""
    narrow = Limits(connections_per_address=1, exempt=(), address_burst=100_000)
    async with (
        AsyncExitStack() as stack,
        arena(tmp_path, tls=certificate("first"), limits=narrow) as running,
    ):
        parts = urlsplit(running.url)
        for _ in range(1 + REFUSALS_UNDER_WAY):
            _reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
            stack.callback(writer.close)
        with pytest.raises(ConnectionResetError):
            await reset(parts.port or 0)


async def reset(port: int) -> None:
    """Connect and wait for a word; the reset comes during the one or the other."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        await reader.readexactly(1)
    finally:
        writer.close()


async def test_a_certificate_that_is_broken_changes_nothing(tmp_path: Path) -> None:
    """The server goes on with the one it has."""
    async with arena(tmp_path, tls=certificate("first")) as running:
        server = running.server
        mismatch = Tls(cert=str(TLS / "renewed.pem"), key=str(TLS / "first.key"))
        with pytest.raises(ConfigError, match=r"renewed\.pem"):
            server.reload(replace(server.config, tls=mismatch, guests=False))
        assert server.config.guests
        await seen_certificate(server.url, "first")


async def test_an_own_program_needs_no_certificate_and_no_place(tmp_path: Path) -> None:
    """Over the private socket: no TLS, and strangers that fill the server don't keep it out."""
    full = Limits(connections=1)
    ladder = LadderSettings(name="main", house={"home": "random", "guest-house": "random"})
    async with arena(tmp_path, tls=certificate("first"), limits=full, ladder=(ladder,)) as running:
        with TemporaryDirectory() as folder:  # a short path, as a unix socket needs
            place = Path(folder, "house")
            await running.server.open_to_own(str(place))
            assert not is_open_to_others(place)
            for name in ("home", "guest-house"):
                peer = Peer(await dial(unix_url(str(place)), compression=None))
                running.peers.append(peer)
                await peer.hello(name)
                assert not (await peer.hear(wire.Welcome)).resumed


def is_open_to_others(place: Path) -> bool:
    """Return whether other users may do anything with a file."""
    return bool(place.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
