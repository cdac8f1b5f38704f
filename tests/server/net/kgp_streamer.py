"""A client of the Kalah Game Protocol that names moves as fast as its socket takes them.

It runs as a process of its own, so that it is not held up by the server: one thread reads, and one
a question streams until its ``stop``. It prints the results and errors that it gets.
"""

import re
import socket
import sys
import threading

HEAD = re.compile(r"(\d*)(?:@(\d+))? (\w+) ?(.*)")


class Streamer:
    """The client, from its greeting to the end of the connection."""

    def __init__(self, port: int, name: str) -> None:
        self._name = name
        self._open: set[int] = set()
        self._lock = threading.Lock()
        self._socket = socket.create_connection(("127.0.0.1", port))

    def run(self) -> None:
        with self._socket, self._socket.makefile("r", newline="\n") as lines:
            for line in lines:
                head = HEAD.match(line.strip())
                if head is None:
                    raise ValueError(line)
                self._obey(head[3], head[4], int(head[1] or 0), int(head[2] or 0))
        self._open.clear()

    def _say(self, text: str, ref: int | None = None) -> None:
        with self._lock:  # two writes a line, as the stock clients make
            self._socket.sendall(f"1{'' if ref is None else f'@{ref}'} {text}".encode())
            self._socket.sendall(b"\r\n")

    def _obey(self, command: str, rest: str, number: int, ref: int) -> None:
        match command:
            case "kgp":
                self._say(f'set "info:name" "{self._name}"')
                self._say('mode "freeplay"')
            case "state":
                size, _, _, *pits = map(int, rest.strip("<>").split(","))
                legal = [pit + 1 for pit in range(size) if pits[pit]]
                self._open.add(number)
                threading.Thread(target=self._stream, args=(number, legal), daemon=True).start()
            case "stop":
                self._open.discard(ref)
            case "ping":
                self._say("pong", number)
            case "set" if not rest.startswith("arena:result"):
                pass
            case "set" | "error":
                sys.stdout.write(f"{command} {rest}\n")
                sys.stdout.flush()

    def _stream(self, number: int, legal: list[int]) -> None:
        sent = 0
        try:
            while number in self._open:
                self._say(f"move {legal[sent % len(legal)]}", number)
                sent += 1
        except OSError:
            self._open.clear()


if __name__ == "__main__":
    Streamer(int(sys.argv[1]), sys.argv[2]).run()
