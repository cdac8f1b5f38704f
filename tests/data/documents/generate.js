// Checks the documents by their official parsers, and generates their types in TypeScript and Go.
import { Parser } from "@asyncapi/parser";
import SwaggerParser from "@apidevtools/swagger-parser";
import modelina from "@asyncapi/modelina";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const text = readFileSync("asyncapi.json", "utf8");
const { document, diagnostics } = await new Parser().parse(text);
const faults = diagnostics.filter(({ severity }) => severity < 2);
if (!document || faults.length) throw new Error(JSON.stringify(faults));
await SwaggerParser.validate("openapi.json");

const { TypeScriptGenerator, GoGenerator, GO_COMMON_PRESET } = modelina;
const typescript = new TypeScriptGenerator({ modelType: "interface", enumType: "union", rawPropertyNames: true });
const go = new GoGenerator({ presets: [{ preset: GO_COMMON_PRESET, options: { addJsonTag: true } }] });
for (const [folder, suffix, generator, options] of [
  ["typescript", "ts", typescript, { exportType: "named" }],
  ["go", "go", go, { packageName: "wire" }],
]) {
  mkdirSync(folder, { recursive: true });
  for (const { modelName, result } of await generator.generateCompleteModels(JSON.parse(text), options)) {
    writeFileSync(`${folder}/${modelName}.${suffix}`, result);
  }
}
