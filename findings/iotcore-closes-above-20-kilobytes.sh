#!/usr/bin/env bash
# A publish of 20,481 bytes ends the connection, unanswered: iotcore 0.4.0, a broker for pip.
#
# Found with: iotcore 0.4.0 (PyPI; rumqttd inside), defaults; client: raw packets of MQTT 3.1.1.
# A good guess: a broker takes payloads of some megabytes, as mosquitto, RabbitMQ, NATS, ejabberd and aedes do,
# or announces its bound.
# What happens: a packet that is longer than 20,480 bytes closes the connection. 3.1.1 has no word for a bound,
# so a client that sends the same message again after reconnecting never gets past it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check iotcore==0.4.0
cat >see.py <<'PYTHON'
import socket, struct, time
import iotcore


def free() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def text(value: bytes) -> bytes:
    return struct.pack("!H", len(value)) + value


def packet(first: int, body: bytes) -> bytes:
    """A packet with its length in groups of seven bits."""
    size, length = b"", len(body)
    while True:
        length, group = length >> 7, length & 127
        size += bytes([group | (128 if length else 0)])
        if not length:
            return bytes([first]) + size + body


def answer(port: int, whole: int) -> str:
    """What comes back for one QoS 1 publish whose packet is so many bytes long."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.sendall(packet(0x10, text(b"MQTT") + b"\x04\x02\x00\x3c" + text(f"c{whole}".encode())))
        assert link.recv(4) == b"\x20\x02\x00\x00"
        head = text(b"some/topic") + struct.pack("!H", 1)
        link.sendall(packet(0x32, head + b"x" * (whole - len(head) - 4)))
        try:
            return {b"\x40\x02\x00\x01": "PUBACK", b"": "closed"}.get(link.recv(4), "?")
        except ConnectionResetError:
            return "closed"


if __name__ == "__main__":
    port = free()
    with iotcore.Broker(port=port, listen="127.0.0.1"):
        time.sleep(1)
        seen = {size: answer(port, size) for size in (20_000, 20_400, 20_600, 2_000_000)}
    for size, what in seen.items():
        print(f"a publish of {size:,} bytes: {what}")
    assert list(seen.values()) == ["PUBACK", "PUBACK", "closed", "closed"]
PYTHON
echo "iotcore $(env/bin/python -c 'import iotcore; print(iotcore.__version__)')"
echo "guess: PUBACK for each"
env/bin/python see.py 2>/dev/null
