#!/usr/bin/env bash
# A will that shall come without a delay never comes: fastapi-mqtt 2.2.0.
#
# Found with: fastapi-mqtt 2.2.0 (PyPI), gmqtt 0.7.0 below it; a listener on 127.0.0.1 reads what it sends to a broker.
# A good guess: a will is a topic and a payload, as in MQTT 3.1.1; the delay is an addition of MQTT 5, and without one, or
# with 0, the broker publishes the will when the connection is lost. `will_delay_interval` has the default None.
# What happens: unless topic, payload and delay are all set and none is empty or 0, the CONNECT packet has no will, and
# nothing is said. It is so with MQTT 3.1.1 (`version=4`), too, where a delay means nothing, and with an empty payload,
# which clears what is retained.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check fastapi-mqtt==2.2.0 gmqtt==0.7.0
cat >see.py <<'PYTHON'
import asyncio
from importlib.metadata import version

from fastapi_mqtt import FastMQTT, MQTTConfig


async def has_will(level, **config):
    """Return whether the CONNECT packet that is sent under a configuration carries a will."""
    packet = asyncio.get_running_loop().create_future()

    async def broker(reader, writer):
        packet.set_result(await reader.read(4096))
        writer.write(b"\x20\x02\x00\x00" if level == 4 else b"\x20\x03\x00\x00\x00")  # accepted
        await reader.read()
        writer.close()

    server = await asyncio.start_server(broker, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    client = FastMQTT(MQTTConfig(host="127.0.0.1", port=port, version=level, **config))
    await client.mqtt_startup()
    await client.mqtt_shutdown()
    server.close()
    flags = (await packet)[9]  # type, length, "MQTT", level, then the flags
    return bool(flags & 0b100)


async def main():
    print("fastapi-mqtt", version("fastapi-mqtt"), "gmqtt", version("gmqtt"))
    for level in (4, 5):
        for delay, payload in ((None, "gone"), (0, "gone"), (2, "gone"), (2, "")):
            will = {"will_message_topic": "bots/one", "will_message_payload": payload, "will_delay_interval": delay}
            found = await has_will(level, **will)
            print("MQTT level", level, "delay", delay, "payload", repr(payload), "- a will in the packet:", found)
            assert found == (delay == 2 and payload == "gone")


asyncio.run(main())
PYTHON
timeout 60 env/bin/python see.py
