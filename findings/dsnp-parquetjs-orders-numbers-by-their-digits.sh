#!/usr/bin/env bash
# A filter for a number that stands in the file finds nothing: npm's @dsnp/parquetjs 1.8.9 orders 10.5 before 9.5.
#
# Found with: @dsnp/parquetjs 1.8.9 (npm), duckdb 2.0.1 (PyPI), Node 20.
# A good guess: DOUBLE takes numbers that are strings, as CSV files have them (its `toPrimitive` turns them into numbers),
# and a column's statistics are about the values in the file: min_value is the least of them.
# What happens: the values are right. Their bounds are taken before they are converted, and strings are compared letter by
# letter: of "9.5", "10.5" and "100" the least is 10.5, the greatest 9.5. Objects of a JSON column are not compared at all:
# the first one is both bounds. Readers skip what lies outside the bounds, so a filter misses rows that are there.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @dsnp/parquetjs@1.8.9 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 2>/dev/null
cat >see.cjs <<'JS'
const { ParquetSchema, ParquetWriter } = require("@dsnp/parquetjs");

async function write(name, type, values) {
  const writer = await ParquetWriter.openFile(new ParquetSchema({ v: { type } }), `${name}.parquet`);
  for (const v of values) await writer.appendRow({ v });
  await writer.close();
}
(async () => {
  await write("numbers", "DOUBLE", [9.5, 10.5, 100]);
  await write("strings", "DOUBLE", ["9.5", "10.5", "100"]);
  await write("objects", "JSON", [{ won: 2 }, { won: 1 }, { won: 3 }]);
})();
JS
cat >see.py <<'PY'
import duckdb

for name, sought, bounds, found in (
    ("numbers", 9.5, ("9.5", "100.0"), 1),
    ("strings", 9.5, ("10.5", "9.5"), 0),
    ("objects", '{"won":1}', ('{"won":2}', '{"won":2}'), 0),
):
    rows = [v for v, in duckdb.sql(f"SELECT v FROM '{name}.parquet'").fetchall()]
    seen = duckdb.sql(f"SELECT stats_min_value, stats_max_value FROM parquet_metadata('{name}.parquet')").fetchall()
    got = len(duckdb.sql(f"SELECT v FROM '{name}.parquet' WHERE v = {sought!r}").fetchall())
    print(f"{name}: {rows}, bounds {seen[0]}; {got} with v = {sought!r}")
    assert len(rows) == 3 and sought in rows and seen == [bounds] and got == found
PY
echo "@dsnp/parquetjs 1.8.9; guess: the least and the greatest are the bounds, and each filter finds one row"
node see.cjs
env/bin/python see.py
