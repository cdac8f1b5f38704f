"""What the web process reads when it starts is marked, so that a reload renews the process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

from mancala.server.config.annotations import RELOADABLE, WEB, marked
from mancala.server.config.settings import Config, Section
from mancala.server.store import Store
from tests.server.store.builders import played
from tests.server.store.databases import committed
from tests.sources import ROOT

TLS: Final = ROOT / "tests" / "data" / "tls"
CERTIFICATE: Final = (TLS / "first.pem", TLS / "first.key")
START: Final = '''
import json, os, socket, ssl, sys, threading, urllib.error, urllib.request
from types import SimpleNamespace
from mancala.server.config.settings import Config, Section, Tls
from mancala.server.health import child_process
from mancala.server.web import standalone
from mancala.server.web.feed.topics import WebHandover

read = set()

def watched(table, at):
    """Return a copy of a table that notes what is read of it."""
    kind = type(table)

    class Watched(kind, frozen=True):
        def __getattribute__(self, name):
            if name in kind.__struct_fields__:
                read.add(at + name)
            return super().__getattribute__(name)

    values = {name: getattr(table, name) for name in kind.__struct_fields__}
    parts = {
        name: watched(value, f"{at}{name}.") if isinstance(value, Section) else value
        for name, value in values.items()
    }
    return Watched(**parts)

def visit():
    """Ask for a page, and end the process."""
    try:
        own = ssl._create_unverified_context()
        urllib.request.urlopen(f"https://127.0.0.1:{port}/", context=own).close()
    except urllib.error.HTTPError:
        pass
    ours.close()

listening = socket.create_server(("127.0.0.1", 0))
port = listening.getsockname()[1]
ours, theirs = socket.socketpair()
store, cert, key = sys.argv[1:]
config = watched(Config(store=store, http_port=0, tls=Tls(cert=cert, key=key)), "")
os.dup2(theirs.fileno(), 0)
theirs.close()
socket.send_fds(ours, [b"its settings\\n"], [listening.fileno()])
read.clear()
level = config.log_level
handover = WebHandover(config=config, log_level=level)
child_process.codec = SimpleNamespace(from_json=lambda *_: handover)
threading.Thread(target=visit).start()
standalone.run_as_child()
print(json.dumps(sorted(read)), file=sys.stderr)  # the pulse is on stdout
'''
"""Starts a web process with settings that note what is read of them, and visits it."""


def names(table: Struct, mark: str, at: str = "") -> set[str]:
    found = {f"{at}{name}" for name in marked(type(table), mark)}
    for name in table.__struct_fields__:
        if isinstance(value := getattr(table, name), Section):
            found |= names(value, mark, f"{at}{name}.")
    return found


async def test_what_the_web_process_reads_is_marked(tmp_path: Path) -> None:
    """And nothing else is, or a reload would renew the process for nothing."""
    store = str(tmp_path / "store.sqlite3")
    async with Store(store, failed=lambda _: None) as kept:
        await committed(kept, *played(1))  # the words that none may have are read for its players
    command = [sys.executable, "-c", START, store, *map(str, CERTIFICATE)]
    started = subprocess.run(command, input="", capture_output=True, text=True, check=True)  # noqa: ASYNC221  # nothing else runs
    read = {*json.loads(started.stderr.splitlines()[-1])}
    assert read & names(Config(), RELOADABLE) == names(Config(), WEB)
