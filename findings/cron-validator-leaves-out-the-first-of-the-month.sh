#!/usr/bin/env bash
# A quarter begins in March, June and September: cron-validator 1.0.8.
#
# Found with: cron-validator 1.0.8 (PyPI), croniter 6.0.0 for comparison.
# A good guess: "*/2" is "1-12/2" for months and "1-31/2" for days, which begin at 1: January, March and so on, the 1st and
# 3rd ("*" stands for "first-last", crontab(5)); so "0 0 1 */3 *" is the first of each quarter.
# What happens: a value matches if it can be divided by the step. That holds for minutes, hours and days of the week, which
# begin at 0; of months and days it takes others, and from a step of 2 on never the first. Of months "*/1" has all but
# December.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q cron-validator==1.0.8 croniter==6.0.0 2>/dev/null
cat >see.py <<'PY'
from datetime import datetime, timedelta

from cron_validator import CronValidator
from croniter import croniter

midnights = [datetime(2026, 1, 1) + timedelta(days) for days in range(365)]
for expression, form, seen, other in (
    ("0 0 1 */3 *", "%b", "Mar Jun Sep", "Jan Apr Jul Oct"),
    ("0 0 */10 1 *", "%d", "10 20 30", "01 11 21 31"),
    ("0 0 1 */1 *", "%m", "01 02 03 04 05 06 07 08 09 10 11", "01 02 03 04 05 06 07 08 09 10 11 12"),
):
    found = [
        " ".join(midnight.strftime(form) for midnight in midnights if match(expression, midnight))
        for match in (CronValidator.match_datetime, croniter.match)
    ]
    print(f"{expression}: cron-validator {found[0]}; croniter {found[1]}")
    assert found == [seen, other]
PY
echo "cron-validator 1.0.8; guess: the same as croniter"
env/bin/python see.py
