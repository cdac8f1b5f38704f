#!/usr/bin/env bash
# A ping arrives as a message, and the message "0" does not arrive: Perl's Protocol::WebSocket::Client 0.26.
#
# Found with: libprotocol-websocket-perl 0.26-3 (Debian 12), websockets 17.4 (PyPI) as the server.
# It needs a Debian 12 whose apt-get has this package: `apt-get download` refuses another version.
# A good guess: "on_read" is called with each message, text or binary, in order; pings, pongs and closes are frames of the
# protocol, which the client answers, or at least keeps from the program.
# What happens: what a frame holds is handed over whatever the frame is: the random bytes of a ping, the code and the reason
# of a close. No ping is answered, so a server closes the connection with 1011 after 40 s. And the loop that hands over ends
# at the first false value: of what came together, an empty message and "0", false in Perl, are dropped and the
# messages after it wait until something else is received.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q libprotocol-websocket-perl=0.26-3 >/dev/null 2>&1
dpkg -x libprotocol-websocket-perl_*.deb perl
python3 -m venv env
env/bin/pip install -q websockets==17.4 2>/dev/null
cat >client.pl <<'PL'
use strict;
use warnings;
use lib "perl/usr/share/perl5";
use IO::Socket::INET;
use Protocol::WebSocket::Client;

my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $ARGV[0]) or die $!;
my $client = Protocol::WebSocket::Client->new(url => "ws://127.0.0.1:$ARGV[0]/");
$client->on(write => sub { syswrite $socket, $_[1] });
$client->on(read => sub { print "read: $_[1]\n" });
$client->connect;
while (sysread $socket, my $bytes, 65536) { $client->read($bytes) }
PL
cat >see.py <<'PY'
import asyncio

from websockets.asyncio.server import ServerConnection, serve

pongs = []


async def talk(connection: ServerConnection) -> None:
    await connection.send("one")
    pongs.append(await connection.ping("a ping"))
    await connection.send("two")
    connection.transport.pause_reading()
    await asyncio.sleep(1)
    frames = connection.protocol
    for text in (b"three", b"0", b"four"):
        frames.send_text(text)
    connection.transport.write(b"".join(frames.data_to_send()))
    await asyncio.sleep(1)
    connection.transport.resume_reading()
    await connection.close(4000, "bye")


async def main() -> list[str]:
    async with serve(talk, "127.0.0.1", 0, ping_interval=None, close_timeout=1) as server:
        port = server.sockets[0].getsockname()[1]
        client = await asyncio.create_subprocess_exec(
            "perl", "client.pl", str(port), stdout=asyncio.subprocess.PIPE)
        said, _ = await client.communicate()
    return [line.removeprefix("read: ") for line in said.decode(errors="replace").split("\n")[:-1]]


read = asyncio.run(main())
print("sent: one, (ping: a ping), two; three, 0, four in one piece; (close: 4000, bye)")
print("read:", read)
print("pings answered:", sum(pong.done() and not pong.exception() for pong in pongs))
assert read[:4] == ["one", "a ping", "two", "three"]
assert "0" not in read and "four" in read[4:] and read[-1].endswith("bye")
PY
env/bin/python see.py
