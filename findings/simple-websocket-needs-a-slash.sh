#!/usr/bin/env bash
# `ws://HOST:PORT` is refused before anything is sent, in words about characters: simple-websocket 1.1.0.
#
# Found with: simple-websocket 1.1.0 (PyPI; the client that python-socketio's engine and Flask-Sock bring), h11 0.16.0.
# A good guess: an address without a path asks for "/" (RFC 6455, 3), and any client takes `ws://127.0.0.1:8765`, the
# address that servers print.
# What happens: the path goes into the request line as it is: with none the parser below raises "Illegal target
# characters", and `ws://HOST:PORT?room=1` sends `GET ?room=1 HTTP/1.1`, which no server has to take. `Host` lacks the
# port, too, so a server that compares it with an `Origin` or makes links of it has another address.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check simple-websocket==1.1.0 wsproto==1.3.2 h11==0.16.0
cat >see.py <<'PYTHON'
import socket
import threading
from importlib.metadata import version

import simple_websocket


def asked(path):
    """The error of a client, and the first line and the `Host` of what it sent to an address that ends in `path`."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(10)
        sent = []

        def hear():
            with listener.accept()[0] as connection:
                connection.settimeout(3)
                try:
                    sent.append(connection.recv(65536).decode())
                except TimeoutError:  # nothing is sent
                    sent.append("")

        hearing = threading.Thread(target=hear)
        hearing.start()
        port = listener.getsockname()[1]
        try:
            simple_websocket.Client(f"ws://127.0.0.1:{port}{path}")
        except Exception as error:
            raised = error
        hearing.join()
    lines = sent[0].split("\r\n")
    host = next((line for line in lines if line.lower().startswith("host:")), "")
    return raised, lines[0], host


print("simple-websocket", version("simple-websocket"), "h11", version("h11"))
print("guess: GET / HTTP/1.1, with Host: 127.0.0.1:PORT")
for path, first in (("/", "GET / HTTP/1.1"), ("", ""), ("?room=1", "GET ?room=1 HTTP/1.1")):
    error, line, host = asked(path)
    print(f"ws://127.0.0.1:PORT{path}: sends {line!r}, {host!r}", "" if line else f"{type(error).__name__}: {error}")
    assert line == first
    assert host == ("Host: 127.0.0.1" if line else "")
    assert line or "Illegal target characters" in str(error)
PYTHON
env/bin/python see.py
