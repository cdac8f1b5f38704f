#!/usr/bin/env bash
# One topic with a dot ends an MQTT connection: NATS 2.9 as a broker.
#
# Found with: nats-server 2.9.10 (Debian 12), MQTT 3.1.1, JetStream on; client: raw packets, as in the standard.
# A good guess: a dot is an ordinary character of an MQTT topic ("ladders/main.v2/games"), or is refused alone.
# What happens: the server closes the connection without an acknowledgement, since its own subjects are cut at
# dots; only its own log says why. A client that reconnects and sends the same message first never gets past it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q nats-server=2.9.10-1+b3 >/dev/null
dpkg -x nats-server_*.deb root
cat >see.py <<'PYTHON'
import pathlib, socket, struct, subprocess, time


def free() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


port = free()
pathlib.Path("conf").write_text(
    f'server_name: one\nlisten: "127.0.0.1:{free()}"\njetstream {{ store_dir: "jet" }}\n'
    f'mqtt {{ listen: "127.0.0.1:{port}" }}\n'
)
server = subprocess.Popen(["root/usr/sbin/nats-server", "-c", "conf"], stderr=open("log", "w"))


def text(value: str) -> bytes:
    return struct.pack("!H", len(value)) + value.encode()


def answer_to(topic: str) -> str:
    """What comes back for one QoS 1 publish on a new connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as link:
        body = text("MQTT") + b"\x04\x02\x00\x3c" + text(f"client-{time.monotonic_ns()}")
        link.sendall(b"\x10" + bytes([len(body)]) + body)
        assert link.recv(4) == b"\x20\x02\x00\x00"
        body = text(topic) + struct.pack("!H", 1) + b"{}"
        link.sendall(b"\x32" + bytes([len(body)]) + body)
        try:
            return {b"\x40\x02\x00\x01": "PUBACK", b"": "closed"}.get(link.recv(4), "?")
        except ConnectionResetError:
            return "closed"


try:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    seen = {topic: answer_to(topic) for topic in ("ladders/main/games", "ladders/main.v2/games", "ladders/main v2/games")}
finally:
    server.terminate()
    server.wait()
for topic, answer in seen.items():
    print(f"{topic!r}: {answer}")
reasons = (line.split("] ", 2)[-1].strip() for line in open("log") if "." in line and "not supported" in line)
print("log:", next(reasons, "says no topic"))
assert list(seen.values()) == ["PUBACK", "closed", "closed"]
PYTHON
root/usr/sbin/nats-server --version
echo "guess: PUBACK for each"
python3 see.py
