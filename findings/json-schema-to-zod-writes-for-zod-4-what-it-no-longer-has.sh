#!/usr/bin/env bash
# Made for Zod 4, it fails with Zod 4: npm's json-schema-to-zod 2.8.1.
#
# Found with: json-schema-to-zod 2.8.1, zod 4.1.3 (npm; the version that it is developed with), Node 20.
# A good guess: "--zodVersion Target Zod version: 3 or 4. Defaults to 4", so the module that it writes can be loaded beside
# Zod 4, and `safeParse` returns whether a value is valid, as it always does.
# What happens: a schema with an address ("format": "ipv4") becomes z.string().ip(…), which Zod 4 has no more, so the
# module ends when it is loaded, before anything is validated. A schema with if, then and else loads, and takes what is
# valid; but at the first value that is not, safeParse throws a TypeError: it reads `errors` of an error, which is `issues`
# now.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit json-schema-to-zod@2.8.1 zod@4.1.3 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { jsonSchemaToZod } from "json-schema-to-zod";

const schemas = {
  address: { type: "string", format: "ipv4" },
  condition: {
    if: { type: "object", properties: { kind: { const: "timed" } }, required: ["kind"] },
    then: { type: "object", properties: { seconds: { type: "integer" } }, required: ["seconds"] },
    else: { type: "object" },
  },
  text: { type: "string", format: "date" },
};
const values = { address: "192.0.2.1", condition: { kind: "timed" }, text: "no date" };
const found = {};
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(`${name}.mjs`, jsonSchemaToZod(schema, { module: "esm", zodVersion: 4 }));
  try {
    const made = (await import(`./${name}.mjs`)).default;
    try {
      found[name] = made.safeParse(values[name]).success;
    } catch (error) {
      found[name] = `safeParse throws ${error.constructor.name}: ${error.message}`;
    }
  } catch (error) {
    found[name] = `cannot be loaded: ${error.message}`;
  }
  console.log(`${name}: guess ${name === "address"}, found ${found[name]}`);
}
assert.match(found.address, /^cannot be loaded: .*ip is not a function$/);
assert.match(found.condition, /^safeParse throws TypeError: .*forEach/);
assert.equal(found.text, false);
JS
node see.mjs
