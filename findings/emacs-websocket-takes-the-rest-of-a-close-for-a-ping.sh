#!/usr/bin/env bash
# A close whose reason has seven letters raises an error in the client: Emacs' websocket 1.13.
#
# Found with: elpa-websocket 1.13-3 and emacs 28.2 (Debian 12); websockets 17.4 (PyPI) as the server.
# A good guess: a close frame may have a code and a reason (RFC 6455, 5.5.1), so a client that a server leaves with
# "1001 stopped" ends as it does after "1001 stop" or "1001 stopping", and calls `on-close`.
# What happens: of a close only the first byte is read, and what follows is taken for frames. Its length, 9 for the code
# and seven letters, is the first byte of a ping: it is answered on the connection that was just deleted, the filter ends
# with an error, and so does Emacs where it runs a script.
set -eu
command -v emacs >/dev/null || { echo "it needs Debian's emacs-nox"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check websockets==17.4
apt-get download -q elpa-websocket=1.13-3 >download 2>&1 || { cat download; exit 1; }
dpkg -x elpa-websocket_*.deb root
cat >client.el <<'LISP'
(require 'websocket)
(defvar closed nil)
(defun seen ()
  (setq closed nil)
  (websocket-open (car command-line-args-left) :on-close (lambda (_) (setq closed t)))
  (while (not closed) (accept-process-output nil 0.1))
  "on-close alone")
(princ (seen))
LISP
cat >see.py <<'PYTHON'
import asyncio
from importlib.metadata import version

from websockets.asyncio.server import serve

EMACS = "emacs", "-Q", "--batch", "-L", "root/usr/share/emacs/site-lisp/elpa-src/websocket-1.13", "-l", "client.el"


async def told(reason):
    """What the client says after a close with that reason."""
    async with serve(lambda socket: socket.close(1001, reason), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        pipe = asyncio.subprocess.PIPE
        client = await asyncio.create_subprocess_exec(*EMACS, f"ws://127.0.0.1:{port}/", stdout=pipe, stderr=pipe)
        said = b"".join(await asyncio.wait_for(client.communicate(), 60))
        return "an error, websocket-closed" if b"websocket-closed" in said else said.decode()


print("websockets", version("websockets"))
print("guess: on-close alone, whatever the reason")
for reason in ("", "stop", "closed", "stopped", "stopping"):
    said = asyncio.run(told(reason))
    print(f"1001 {reason}: {said}")
    assert said == ("an error, websocket-closed" if len(reason) == 7 else "on-close alone"), said
PYTHON
emacs --version | head -1
dpkg-deb -f elpa-websocket_*.deb Package Version
env/bin/python see.py
