#!/usr/bin/env bash
# A close with code 1001 and a reason of seven letters raises an error in the client: Emacs' websocket 1.13 (and 1.16 has
# the same lines).
#
# Found with: elpa-websocket 1.13-3 and emacs 28.2 (Debian 12); websockets 17.4 (PyPI) as the server.
# A good guess: a close frame may have a code and a reason (RFC 6455, 5.5.1), so a client that a server leaves with
# "1001 stopped" ends as it does after "1001 stop" or "1001 stopping", with `on-close` and without an error.
# What happens: of a close only the first byte is read, and what follows is taken for frames. Its length, 9 for the code
# and seven letters, is the first byte of a ping: it is answered on the connection that was just deleted. `on-close` is
# called, and then the filter raises `websocket-closed`. By the source this is so for each length that is 9 modulo 16 and
# the codes 1000 to 1023, whose first byte is then the length of the ping; with 4000 there are not bytes enough for one.
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
  (websocket-open (car command-line-args-left) :on-close (lambda (_) (setq closed t)))
  (while (not closed) (accept-process-output nil 0.1))
  "no error")
;; With this an error of the filter reaches `accept-process-output`, where it can be caught.
(setq debug-on-error t)
(princ (condition-case err (seen) (error (symbol-name (car err)))))
(princ (if closed ", on-close" ", no on-close"))
LISP
cat >see.py <<'PYTHON'
import asyncio
from importlib.metadata import version

from websockets.asyncio.server import serve

EMACS = "emacs", "-Q", "--batch", "-L", "root/usr/share/emacs/site-lisp/elpa-src/websocket-1.13", "-l", "client.el"


async def told(code, reason):
    """What the client says after a close with that code and reason."""
    async with serve(lambda socket: socket.close(code, reason), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        pipe = asyncio.subprocess.PIPE
        client = await asyncio.create_subprocess_exec(*EMACS, f"ws://127.0.0.1:{port}/", stdout=pipe)
        try:
            said, _ = await asyncio.wait_for(client.communicate(), 60)
        except TimeoutError:
            client.kill()
            raise
        assert client.returncode == 0
        return said.decode()


print("websockets", version("websockets"))
print("guess: no error and on-close, whatever the code and the reason")
for code, reason, raised in (
    (1001, "", False),
    (1001, "stop", False),
    (1001, "stopped", True),
    (1001, "stopping", False),
    (1001, "stopped for maintenance", True),
    (1000, "stopped", True),
    (1008, "stopped", True),
    (4000, "stopped", False),
):
    said = asyncio.run(told(code, reason))
    print(f"{code} {reason}: {said}")
    assert said == ("websocket-closed" if raised else "no error") + ", on-close", said
PYTHON
emacs --version | head -1
dpkg-deb -f elpa-websocket_*.deb Package Version
env/bin/python see.py
