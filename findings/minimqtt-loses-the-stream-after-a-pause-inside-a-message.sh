#!/usr/bin/env bash
# A message that pauses for more than a second on its way is lost, and all that follow: MiniMQTT 8.1.0.
#
# Found with: adafruit-circuitpython-minimqtt 8.1.0 (PyPI) on CPython, as on a Raspberry Pi with a board of lights;
# the broker: raw packets of MQTT 3.1.1, QoS 0.
# A good guess: `recv_timeout=10` is how long the rest of a message may take, `socket_timeout=1` how often the socket
# is looked at; a message of a kilobyte whose second half comes 1.5 s later (a slow radio link) arrives whole.
# What happens: TimeoutError after one second, in the middle of the message. What was read of it is thrown away, and
# the next call takes the rest of the payload for the head of a packet; so does each call after it, also when whole
# messages have come since. The connection stays up, and no message arrives any more.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check adafruit-circuitpython-minimqtt==8.1.0
cat >see.py <<'PYTHON'
import json
import socket
import threading
from importlib.metadata import version

from adafruit_minimqtt.adafruit_minimqtt import MQTT

TOPIC = b"ladder/standings"
PAYLOAD = json.dumps([{"name": "example", "rating": 1500}] * 40).encode()


def packet() -> bytes:
    """PUBLISH at QoS 0; a length of two bytes."""
    rest = len(TOPIC).to_bytes(2, "big") + TOPIC + PAYLOAD
    return bytes([0x30, len(rest) % 128 | 0x80, len(rest) // 128]) + rest


def outcome(pause: float) -> tuple[int, list[str]]:
    """Publish one message with a pause in its middle and two without; what arrived, and what was raised."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = threading.Event()

        def broker() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(b"\x20\x02\x00\x00")
                connection.sendall(packet()[:600])
                done.wait(pause)
                connection.sendall(packet()[600:] + packet() + packet())
                done.wait(30)

        threading.Thread(target=broker, daemon=True).start()
        arrived: list[str] = []
        raised: list[str] = []
        client = MQTT(
            broker="127.0.0.1",
            port=listener.getsockname()[1],
            socket_pool=socket,
            is_ssl=False,
            recv_timeout=10,
            socket_timeout=1,
        )
        client.on_message = lambda _client, _topic, text: arrived.append(text)
        client.connect()
        for _ in range(8):
            try:
                client.loop(timeout=1)
            except Exception as error:
                raised.append(f"{type(error).__name__}: {error}"[:60])
            if len(arrived) == 3:
                break
        done.set()
        return len(arrived), raised


print("adafruit-circuitpython-minimqtt", version("adafruit-circuitpython-minimqtt"))
quick, slow = outcome(0.2), outcome(1.5)
print("a pause of 0.2 s inside the first of three messages: arrived", quick[0], "raised", quick[1])
print("a pause of 1.5 s: arrived", slow[0])
for each in slow[1]:
    print("   ", each)
assert quick == (3, [])
assert slow[0] == 0 and slow[1][0].startswith("TimeoutError") and len(slow[1]) == 8
PYTHON
env/bin/python see.py
