#!/usr/bin/env bash
# Nine o'clock in India begins at half past eight: local-crontab 0.3.0.
#
# Found with: local-crontab 0.3.0 (PyPI, among its 15,000 most downloaded), Python 3.11.
# A good guess: `to_utc_crons()` converts "a crontab, in a local timezone, into a set of UTC crontabs" that begin with it:
# India is 5:30 hours ahead of UTC, so "0 9 * * *" is "30 3 * * *".
# What happens: of the moment in UTC the hour, day and month are taken, and the minute stays the local one. Where the offset
# is not a number of whole hours (India, Nepal, Iran, Newfoundland, the middle of Australia) all begin 15 or 30 minutes
# too early: "0 9" becomes "0 3", 8:30 there. Nothing is said. Whole hours are right (Seoul).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check local-crontab==0.3.0 cron-converter==2.0.2 tzdata==2026.6
cat >see.py <<'PYTHON'
from datetime import datetime
from importlib.metadata import version
from zoneinfo import ZoneInfo

from local_crontab import Converter

print("local-crontab", version("local-crontab"), "guess: 9:00 each time")
ZONES = {"Asia/Kolkata": "08:30", "Asia/Kathmandu": "08:45", "Australia/Darwin": "08:30", "Asia/Seoul": "09:00"}
for zone, seen in ZONES.items():
    crons = Converter("0 9 * * *", zone, 2026).to_utc_crons()
    minute, hour = map(int, crons[0].split()[:2])
    begins = datetime(2026, 6, 1, hour, minute, tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(zone))
    print(zone, crons, f"begins at {begins:%H:%M} there")
    assert f"{begins:%H:%M}" == seen
PYTHON
env/bin/python see.py
