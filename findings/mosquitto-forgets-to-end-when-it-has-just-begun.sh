#!/usr/bin/env bash
# mosquitto, asked to end by SIGTERM as soon as it has said "running", goes on; a second SIGTERM ends it.
#
# Found with: mosquitto 2.0.11 (Debian 12). The source of main() has the same order in 2.0.22 and 2.1.2; after 2.1.2 a
# change for Windows sets the flag first.
# A good guess: a broker that logs that it is running, or tells systemd that it is ready, ends when it is asked to.
# What happens: the handlers of signals stand before that line, and the flag to go on is set after it. A signal that
# comes between them takes back what is not set yet, and is forgotten. Who starts one for a test or a short run,
# waits for the line, and ends it soon has one left over, or waits for it without an end; how often depends on the machine.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q mosquitto=2.0.11-1.2+deb12u2 libdlt2=2.18.8-6 libwrap0=7.6.q-32 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu "$PWD"/root/lib/*-linux-gnu)"
cat >see.py <<'PYTHON'
import pathlib, socket, subprocess

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
pathlib.Path("conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\nlog_dest stderr\n")


def ends_when_asked() -> bool:
    """Whether one SIGTERM, sent once the line has been read, is enough; if not, it serves a client before the second."""
    broker = subprocess.Popen(["root/usr/sbin/mosquitto", "-c", "conf"], stderr=subprocess.PIPE, text=True)
    assert any(line.rstrip().endswith("running") for line in broker.stderr), "it did not start"
    broker.terminate()
    try:
        broker.wait(3)
        return True
    except subprocess.TimeoutExpired:
        with socket.create_connection(("127.0.0.1", port), 10) as client:
            client.sendall(bytes.fromhex("100c00044d5154540402003c0000"))
            assert client.recv(4) == bytes.fromhex("20020000"), "no CONNACK"
        broker.terminate()
        broker.wait(10)
        return False
    finally:
        broker.kill()
        broker.stderr.close()


for runs in range(1, 1001):
    if not ends_when_asked():
        break
else:
    raise SystemExit("it has changed: each of 1000 runs ended when it was asked to")
print(f"run {runs}: serves a client three seconds after SIGTERM, ended by the second one")
PYTHON
root/usr/sbin/mosquitto -h | head -1
echo "guess: who has said 'running' ends when it is asked to"
python3 see.py
