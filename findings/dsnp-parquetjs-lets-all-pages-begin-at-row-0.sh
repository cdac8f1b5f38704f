#!/usr/bin/env bash
# Of 30,000 rows that are all in the file a filter finds those of the last page only: npm's @dsnp/parquetjs 1.8.9.
#
# Found with: @dsnp/parquetjs 1.8.9 (npm), datafusion 55.0.0 (PyPI), Node 20.
# A good guess: the page index, written unless `pageIndex: false` says otherwise, leads to where a value stands: the
# `first_row_index` of a page is the number of rows of its row group that come before it.
# What happens: it is computed from a count that pages do not have, so it is not a number, and 0 is written for each page.
# As soon as a row group has more than one page (of 8,192 rows, or `pageSize`; groups of 4,096, as without `rowGroupSize`,
# have one), readers that use the index, as DataFusion does by default, take all pages but the last one for empty. And a
# page of nulls alone is recognised by the nulls of all pages so far, in place of its own: after other nulls it is no null
# page, has bounds of 0 bytes, and the file is refused.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @dsnp/parquetjs@1.8.9 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check datafusion==55.0.0 2>/dev/null
cat >see.cjs <<'JS'
const { ParquetSchema, ParquetWriter } = require("@dsnp/parquetjs");

async function write(name, rows, options) {
  const schema = new ParquetSchema({ game: { type: "INT64" }, elo: { type: "INT64", optional: true } });
  const writer = await ParquetWriter.openFile(schema, `${name}.parquet`, options);
  for (const row of rows) await writer.appendRow(row);
  await writer.close();
}
(async () => {
  const rows = Array.from({ length: 30000 }, (_, game) => ({ game, elo: 1500 }));
  await write("pages", rows, { rowGroupSize: 100000 });
  await write("unindexed", rows, { rowGroupSize: 100000, pageIndex: false });
  await write("groups", rows, {});
  const unrated = [1, 2, 3, 4, 5, 6, 7, 8].map((game) => (game < 4 ? { game, elo: 1500 } : { game }));
  await write("nulls", unrated, { pageSize: 4 });
})();
JS
cat >see.py <<'PY'
from datafusion import SessionContext

context = SessionContext()
for name, found in (("unindexed", [1, 1, 1, 1]), ("groups", [1, 1, 1, 1]), ("pages", [0, 0, 0, 1])):
    context.register_parquet(name, f"{name}.parquet")
    rows = context.sql(f"SELECT game FROM {name}").count()
    got = [context.sql(f"SELECT game FROM {name} WHERE game = {n}").count() for n in (5, 9000, 20000, 29999)]
    print(f"{name}: {rows} rows; with game 5, 9000, 20000, 29999: {got}")
    assert rows == 30000 and got == found
try:
    context.register_parquet("nulls", "nulls.parquet")
    raise SystemExit("it is read")
except Exception as error:
    print("nulls:", error)
    assert "expected 8 bytes got 0" in str(error)
PY
echo "@dsnp/parquetjs 1.8.9; guess: 1, 1, 1, 1 with an index, too, and a page of nulls is read"
node see.cjs
env/bin/python see.py
