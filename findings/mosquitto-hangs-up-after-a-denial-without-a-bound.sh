#!/usr/bin/env bash
# With `max_queued_messages 0`, mosquitto acknowledges a publish that its ACL denies, and hangs up.
#
# Found with: mosquitto 2.0.11 (Debian 12), paho-mqtt 2.1.0, MQTT 3.1.1, QoS 1.
# A good guess: 0 means "no bound" for what waits for a consumer, and has nothing to do with who publishes; a denied
# publish is acknowledged and dropped, as it is with every other number (3.1.1 has no word for a refusal).
# What happens: with 0 the PUBACK comes, and then the broker closes the connection ("Bad socket read/write: Unknown
# error" in its log). A client that comes back and publishes what it has left is in a loop.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q mosquitto=2.0.11-1.2+deb12u2 libdlt2=2.18.8-6 libwrap0=7.6.q-32 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu "$PWD"/root/lib/*-linux-gnu)"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check paho-mqtt==2.1.0
cat >see.py <<'PYTHON'
import pathlib, socket, subprocess, time

import paho.mqtt.client as mqtt

pathlib.Path("rights").write_text("topic readwrite allowed/#\n")
pathlib.Path("rights").chmod(0o644)
pathlib.Path(".").resolve().chmod(0o755)


def seen(bound: int) -> list[str]:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        port = it.getsockname()[1]
    pathlib.Path("conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n"
        f"acl_file {pathlib.Path('rights').resolve()}\nmax_queued_messages {bound}\n"
    )
    broker = subprocess.Popen(["root/usr/sbin/mosquitto", "-c", "conf"], stderr=subprocess.DEVNULL)
    log: list[str] = []
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_publish = lambda *_: log.append("acknowledged")
    client.on_disconnect = lambda *_: log.append("disconnected")
    for _ in range(100):
        try:
            client.connect("127.0.0.1", port)
            break
        except OSError:
            time.sleep(0.05)
    client.loop_start()
    client.publish("denied/topic", b"x", qos=1)
    time.sleep(1.5)
    found = list(log)
    client.loop_stop()
    broker.terminate()
    broker.wait()
    return found


version = subprocess.run(["root/usr/sbin/mosquitto", "-h"], capture_output=True, text=True).stdout
print(version.splitlines()[0])
bounded, unbounded = seen(1000), seen(0)
print("max_queued_messages 1000:", *bounded)
print("max_queued_messages 0:   ", *unbounded)
assert bounded == ["acknowledged"] and unbounded[:2] == ["acknowledged", "disconnected"], "it has changed"
PYTHON
env/bin/python see.py
