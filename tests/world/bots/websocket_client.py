"""A bot by PyPI's websocket-client: ``URL NAME LADDER``."""

import json
import sys
import time
from typing import Any

import websocket  # type: ignore[import-not-found]  # installed for it alone

URL, NAME, LADDER = sys.argv[1:4]
hello: dict[str, Any] = {"type": "hello", "protocol": "mancala.v1", "name": NAME}
join = {"type": "join", "ladder": LADDER, "matches": 1}
hello["agent"] = {"name": NAME, "version": "1"}


def play() -> None:
    socket = websocket.create_connection(URL)
    socket.send(json.dumps(hello))
    while frame := socket.recv():
        message = json.loads(frame)
        match message["type"]:
            case "welcome":
                hello["resume"] = message["session"]
                socket.send(json.dumps(join))
            case "game_start":  # after a cut, no further match
                join.update(type="leave")
            case "turn":
                answer = {key: message[key] for key in ("game", "ply")}
                socket.send(json.dumps({"type": "move", **answer, "pit": message["legal"][-1]}))
            case "match_over":
                socket.send(json.dumps({"type": "goodbye"}))
                sys.exit()


while True:
    try:
        play()
    except (OSError, websocket.WebSocketException):
        time.sleep(0.3)
