#!/usr/bin/env bash
# `mosquitto_sub -F %J` changes whole numbers that every JSON reader takes exactly: 9007199254740991 arrives as …0990.
#
# Found with: mosquitto_sub 2.0.11 with libcjson 1.7.15 (Debian 12).
# A good guess: the payload stands in the output as it came; or, if it is parsed and written anew, whole numbers up
# to 2^53 - 1, which JavaScript, jq and RFC 8259 call safe, are the same afterwards, and are whole numbers still.
# What happens: numbers are written with 15 digits where that is near enough in floating point. From 16 digits on a
# seed or an id becomes 9.00719925474099e+15: another number, in a form that strict readers take for a float (Python
# does, and `int` fields refuse it). "27.0", as in the manual page, loses its ".0". `%p` has the payload as it was.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q mosquitto=2.0.11-1.2+deb12u2 mosquitto-clients=2.0.11-1.2+deb12u2 libmosquitto1=2.0.11-1.2+deb12u2 \
  libcjson1=1.7.15-1+deb12u4 libdlt2=2.18.8-6 libwrap0=7.6.q-32 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu "$PWD"/root/lib/*-linux-gnu)"
cat >see.py <<'PYTHON'
import json, pathlib, socket, subprocess, time

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
pathlib.Path("conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
broker = subprocess.Popen(["root/usr/sbin/mosquitto", "-c", "conf"], stderr=subprocess.DEVNULL)
where = ("-p", str(port), "-t", "games/1")


def written(number: str) -> tuple[str, str]:
    """A number as `%p` and as `%J` write it."""
    publish = ["root/usr/bin/mosquitto_pub", *where, "-r", "-m", f'{{"seed":{number}}}']
    while subprocess.run(publish, stderr=subprocess.DEVNULL).returncode:
        time.sleep(0.1)
    listen = ["root/usr/bin/mosquitto_sub", *where, "-C", "1", "-F"]
    plain, parsed = (
        subprocess.run([*listen, form], capture_output=True, text=True, check=True).stdout.strip() for form in ("%p", "%J")
    )
    return plain.split(":")[1][:-1], parsed.rpartition('"payload":{"seed":')[2][:-2]


try:
    for number, after in (
        ("1795000000123456", "1795000000123456"),
        ("9007199254740991", "9.00719925474099e+15"),
        ("1234567890123456789", "1.2345678901234568e+18"),
        ("27.0", "27"),
    ):
        plain, parsed = written(number)
        print(f"{number}: %p {plain}, %J {parsed}, in Python {json.loads(parsed)!r}")
        assert (plain, parsed) == (number, after)
    assert int(json.loads("9.00719925474099e+15")) == 2**53 - 2
finally:
    broker.terminate()
    broker.wait()
PYTHON
root/usr/bin/mosquitto_sub --help | head -2 | tail -1
echo "guess: 9007199254740991 (2^53 - 1) is the same number afterwards"
python3 see.py
