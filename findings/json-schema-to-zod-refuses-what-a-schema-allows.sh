#!/usr/bin/env bash
# Every valid value is refused by the validator that was made of a schema: npm's json-schema-to-zod 2.8.1.
#
# Found with: json-schema-to-zod 2.8.1, zod 4.1.3 (npm), ajv 8.20.0 as the judge, Node 20.
# A good guess: a keyword that cannot be said in Zod is left out, so that a validator accepts too much; what the schema
# allows is accepted ("convert JSON schema (draft 4+)").
# What happens: four usual ways of writing a schema accept too little. "Exactly one of two keys" (oneOf of required)
# takes both branches for anything and refuses each object; "no such key" (not required) refuses each; a name that no
# pattern of patternProperties matches is held to their schemas although it may have any value; of a tuple with a rest
# (prefixItems, items) all items are held to the rest. A const that is an object is compared by identity, and met by none.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit json-schema-to-zod@2.8.1 zod@4.1.3 ajv@8.20.0 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import Ajv from "ajv/dist/2020.js";
import { jsonSchemaToZod } from "json-schema-to-zod";
import { z } from "zod";

const ajv = new Ajv.default({ strict: false });
const cases = {
  "exactly one of two keys": [{ type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }],
  "not this key": [{ not: { required: ["a"] } }, { b: 1 }],
  "a name that no pattern matches": [{ type: "object", patternProperties: { "^x": { type: "integer" } } }, { y: "text" }],
  "a tuple with a rest": [
    { type: "array", prefixItems: [{ type: "integer" }, { type: "integer" }], items: { type: "string" } }, [1, 2, "a"],
  ],
  "a constant object": [{ const: { a: 1 } }, { a: 1 }],
  "an ordinary object": [{ type: "object", properties: { a: { type: "integer" } }, required: ["a"] }, { a: 1 }],
};
const source = (schema) => jsonSchemaToZod(schema).replace(/<\{[^]*?\}>(?=\()|: z\.core\.\$ZodIssue\[\]/g, ""); // its types
for (const [name, [schema, value]] of Object.entries(cases)) {
  const allowed = ajv.validate(schema, value);
  const accepted = new Function("z", `return ${source(schema)}`)(z).safeParse(value).success;
  console.log(`${name}: ${JSON.stringify(value)}: guess accepted, found ${accepted ? "accepted" : "refused"}`);
  assert.equal(allowed, true);
  assert.equal(accepted, name === "an ordinary object");
}
JS
node see.mjs
