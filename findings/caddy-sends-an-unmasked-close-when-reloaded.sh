#!/usr/bin/env bash
# A reload sends a websocket's backend a close frame without a mask: Caddy 2.6 as a reverse proxy.
#
# Found with: caddy 2.6.2 (Debian 12), reverse_proxy, defaults; backend and client: raw bytes, as in RFC 6455.
# A good guess: a proxy that ends websockets drops them, or says goodbye in the client's name, as a client does:
# with a mask, since RFC 6455 (5.1) has a server fail the connection on a frame without one.
# What happens: `caddy reload` writes the same unmasked close frame (1001) to both sides. A strict backend answers
# 1002, and one that takes broken frames for the client's fault blames a client that did nothing.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q caddy=2.6.2-5 >/dev/null
dpkg -x caddy_*.deb root
cat >see.py <<'PYTHON'
import os, pathlib, socket, subprocess, time

CADDY = "root/usr/bin/caddy"
ENV = {**os.environ, "HOME": os.getcwd(), "XDG_DATA_HOME": os.getcwd(), "XDG_CONFIG_HOME": os.getcwd()}
QUIET = {"env": ENV, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
KEY = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ACCEPTED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)


def free() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def head(link: socket.socket) -> bytes:
    told = b""
    while b"\r\n\r\n" not in told:
        told += link.recv(4096)
    return told


port = free()
backend = socket.create_server(("127.0.0.1", 0))
backend.settimeout(20)
pathlib.Path("Caddyfile").write_text(
    "{\n admin unix/admin\n}\n"
    f"http://127.0.0.1:{port} {{\n reverse_proxy 127.0.0.1:{backend.getsockname()[1]}\n}}\n"
)
caddy = subprocess.Popen([CADDY, "run", "--config", "Caddyfile"], **QUIET)
try:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{KEY}\r\n".encode())
    link, _ = backend.accept()
    link.settimeout(20)
    head(link)
    link.sendall(ACCEPTED)
    assert b" 101 " in head(client)
    client.sendall(b"\x89\x80\0\0\0\0")  # a ping of the client's, with its mask
    assert link.recv(6) == b"\x89\x80\0\0\0\0"
    reload = [CADDY, "reload", "--force", "--config", "Caddyfile", "--address", "unix/admin"]
    subprocess.run(reload, check=True, **QUIET)
    frame = link.recv(100)
finally:
    caddy.terminate()
    caddy.wait()
print(f"the backend receives: {frame.hex(' ')} ({'masked' if frame[1] & 0x80 else 'no mask'})")
assert frame[:4] == b"\x88\x02\x03\xe9"
PYTHON
root/usr/bin/caddy version
echo "guess: 88 82 and a mask, or the end of the connection"
python3 see.py
