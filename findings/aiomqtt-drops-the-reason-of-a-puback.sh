#!/usr/bin/env bash
# A refused publish looks delivered: aiomqtt 2.5.1 drops the reason code of an MQTT 5 PUBACK.
#
# Found with: aiomqtt 2.5.1 (PyPI) on paho-mqtt 2.2.0, mosquitto 2.0.11 (Debian 12).
# A good guess: under MQTT 5 the broker answers a QoS 1 publish that its ACL forbids with "Not authorized"
# (0x87), so `await client.publish(...)` raises, or returns the reason code.
# What happens: it returns None, as after a delivery. The code reaches paho's `on_publish`, where aiomqtt's
# own callback ignores it. Under MQTT 3.1.1 there is no code at all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q mosquitto=2.0.11-1.2+deb12u2 libwebsockets17=4.1.6-3 libdlt2=2.18.8-6 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf "%s:" "$PWD"/root/usr/lib/*-linux-gnu)"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check aiomqtt==2.5.1 paho-mqtt==2.2.0
cat >see.py <<'PYTHON'
import asyncio, pathlib, socket, subprocess, time
import aiomqtt
import paho.mqtt.client as paho

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
pathlib.Path("acl").write_text("topic read #\n")
user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
pathlib.Path("conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nacl_file acl\nuser {user}\n")
broker = subprocess.Popen(["root/usr/sbin/mosquitto", "-c", "conf"], stderr=subprocess.DEVNULL)


def codes_of(version: int) -> list[str]:
    """What paho tells of the same publish."""
    told: list[str] = []
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, protocol=version)
    client.on_publish = lambda _client, _data, _mid, code, _properties: told.append(str(code))
    client.connect("127.0.0.1", port)
    client.loop_start()
    client.publish("forbidden", "x", qos=1).wait_for_publish(5)
    for _ in range(50):
        if told:
            break
        time.sleep(0.1)
    client.loop_stop()
    return told


async def returned(version: aiomqtt.ProtocolVersion) -> object:
    async with aiomqtt.Client("127.0.0.1", port, protocol=version) as client:
        return await client.publish("forbidden", "x", qos=1, timeout=5)


try:
    for _ in range(50):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    for version in (aiomqtt.ProtocolVersion.V311, aiomqtt.ProtocolVersion.V5):
        codes, value = codes_of(version.value), asyncio.run(returned(version))
        print(f"{version.name}: paho's on_publish has {codes}, aiomqtt's publish returns {value!r}")
        assert value is None
        assert codes == (["Not authorized"] if version.name == "V5" else ["Success"])
finally:
    broker.terminate()
    broker.wait()
PYTHON
root/usr/sbin/mosquitto -h | head -1
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep -i mqtt
echo "guess: the refusal raises, or its code is returned"
env/bin/python see.py
echo "seen: the refusal is told by nobody"
