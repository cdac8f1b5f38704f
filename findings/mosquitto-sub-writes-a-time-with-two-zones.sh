#!/usr/bin/env bash
# One time stamp, three instants: `mosquitto_sub -F %j` writes the local time with a Z and an offset behind it.
#
# Found with: mosquitto_sub 2.0.11 (Debian 12); readers: Python 3.11, python-dateutil 2.9.0, GNU date 9.1.
# A good guess: `tst` is ISO 8601, as in the manual page ("2020-05-06T22:12:00.000000+0100"), so that a log of results
# made by `mosquitto_sub -F %j >>log` is read by anything, and all readers agree on when it was.
# What happens: it ends in "Z+0100" (or "Z+0000"). Python's fromisoformat, JavaScript's Date and SQLite refuse it, GNU
# date and pandas believe the offset, PHP and Ruby the Z (an hour later), and dateutil takes "Z+0100" for a zone that
# is behind, as in POSIX' TZ: two hours later.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q mosquitto=2.0.11-1.2+deb12u2 mosquitto-clients=2.0.11-1.2+deb12u2 libmosquitto1=2.0.11-1.2+deb12u2 \
  libcjson1=1.7.15-1+deb12u4 libdlt2=2.18.8-6 libwrap0=7.6.q-32 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu "$PWD"/root/lib/*-linux-gnu)"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check python-dateutil==2.9.0.post0
cat >see.py <<'PYTHON'
import json, os, pathlib, re, socket, subprocess, time
from datetime import datetime, timezone

from dateutil import parser

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
pathlib.Path("conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
broker = subprocess.Popen(["root/usr/sbin/mosquitto", "-c", "conf"], stderr=subprocess.DEVNULL)
where = ("-p", str(port), "-t", "ladder/standings")
try:
    while subprocess.run(["root/usr/bin/mosquitto_pub", *where, "-r", "-m", "{}"], stderr=subprocess.DEVNULL).returncode:
        time.sleep(0.1)
    listen = ["root/usr/bin/mosquitto_sub", *where, "-C", "1", "-F", "%j"]
    berlin = {**os.environ, "TZ": "<+0100>-1"}  # an hour ahead, as Berlin in winter
    text = json.loads(subprocess.run(listen, env=berlin, capture_output=True, check=True).stdout)["tst"]
finally:
    broker.terminate()
    broker.wait()
now = datetime.now(timezone.utc)


def hours(then: datetime) -> int:
    """How many hours after the present it says."""
    return round((then - now).total_seconds() / 3600)


print("tst:", text)
assert re.fullmatch(r"[-\d]{10}T[:\d]{8}\.\d{6}Z\+0100", text)
by_date = subprocess.run(["date", "-u", "-d", text, "+%FT%T+00:00"], capture_output=True, text=True, check=True).stdout
print("GNU date:", hours(datetime.fromisoformat(by_date.strip())), "hours from now")
assert hours(datetime.fromisoformat(by_date.strip())) == 0
print("dateutil:", hours(parser.parse(text)), "hours from now,", parser.parse(text).isoformat())
assert hours(parser.parse(text)) == 2
try:
    datetime.fromisoformat(text)
except ValueError as error:
    print("fromisoformat:", error)
else:
    raise AssertionError("it is read")
PYTHON
root/usr/bin/mosquitto_sub --help | head -2 | tail -1
echo "guess: ISO 8601, the same instant for each reader"
env/bin/python see.py
