#!/usr/bin/env bash
# The message "0" does not arrive, and what came with it waits: Perl's Protocol::WebSocket::Client 0.26.
#
# Found with: libprotocol-websocket-perl 0.26-3 (Debian 12), websockets 17.4 (PyPI) as the server.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: "on_read" is called with each message, in order, as soon as it is there: "0", a pit or a score, is a text as
# any other, and an empty one is one, too.
# What happens: the loop that hands over what came together ends at the first false value, and "0" and the empty message are
# false in Perl. They are dropped, and the messages after them wait until something else is received. As its text says,
# `read` is called on every frame, so pings and closes arrive, too, and nothing tells them apart.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libprotocol-websocket-perl=0.26-3 >download 2>&1 || { cat download; exit 1; }
dpkg -x libprotocol-websocket-perl_*.deb perl
python3 -m venv env
env/bin/pip install -q websockets==17.4 2>/dev/null
cat >client.pl <<'PL'
use strict;
use warnings;
use lib "perl/usr/share/perl5";
use IO::Socket::INET;
use Protocol::WebSocket::Client;

# It says after each piece what it read of it.
my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ARGV[0]) or die $!;
my $client = Protocol::WebSocket::Client->new(url => "ws://127.0.0.1:$ARGV[0]/");
my @read;
$client->on(write => sub { syswrite $socket, $_[1] });
$client->on(read => sub { push @read, $_[1] });
$client->connect;
while (sysread $socket, my $bytes, 65536) {
    @read = ();
    $client->read($bytes);
    $client->write("read: " . join ", ", @read);
}
PL
cat >see.py <<'PY'
import asyncio

from websockets.asyncio.server import ServerConnection, serve

PIECES = (
    ("one, 0, two", "one"),
    ("three", "two, three"),
    (", four", ""),
    ("(ping), five", "four, ping, five"),
)
said = []


async def talk(connection: ServerConnection) -> None:
    """Sends each piece by one write, and waits for what the client says of it."""
    assert await connection.recv() == "read: "
    frames = connection.protocol
    for piece, _ in PIECES:
        for text in piece.split(", "):
            if text == "(ping)":
                frames.send_ping(b"ping")
            else:
                frames.send_text(text.encode())
        connection.transport.write(b"".join(frames.data_to_send()))
        said.append(await connection.recv())


async def main() -> None:
    async with serve(talk, "127.0.0.1", 0, ping_interval=None, close_timeout=1) as server:
        port = server.sockets[0].getsockname()[1]
        client = await asyncio.create_subprocess_exec("perl", "client.pl", str(port))
        await client.wait()


asyncio.run(main())
for (piece, seen), read in zip(PIECES, said, strict=True):
    print(f"sent: {piece!r}; {read}")
    assert read == f"read: {seen}"
PY
echo "Protocol::WebSocket::Client 0.26; guess: of each piece everything that was sent but the ping"
env/bin/python see.py
