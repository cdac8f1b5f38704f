#!/usr/bin/env bash
# A link with a comma leads to another page: npm's ical-generator 11.1.2.
#
# Found with: ical-generator 11.1.2, ical.js 2.2.1 (npm), icalendar 7.3.2 (PyPI), Node 20.
# A good guess: `url` stands in the calendar as it is. It is a URI, and for those "no additional content value encoding
# (i.e., BACKSLASH character encoding) is defined" (RFC 5545, 3.3.13); commas and semicolons are usual in addresses.
# What happens: it is written as text is, with a backslash before each comma and semicolon. A reader that follows the
# standard takes the backslash for a part of the address, and a browser makes a slash of it: "/cups/7,8" is asked for as
# "/cups/7/,8". Only a reader that takes backslashes away everywhere, such as PyPI's icalendar, has the link.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ical-generator@11.1.2 ical.js@2.2.1 >/dev/null
python3 -m venv env
env/bin/pip install -q icalendar==7.3.2 2>/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import ICAL from "ical.js";
import ical from "ical-generator";

const url = "https://club.example.org/cups/7,8;final";
const calendar = ical({ events: [{ start: new Date(0), end: new Date(3600000), summary: "Cup", url }] }).toString();
const python = `import icalendar, sys
print(icalendar.Calendar.from_ical(sys.stdin.buffer.read()).walk("VEVENT")[0]["URL"])`;
const read = {
  "ical.js": new ICAL.Component(ICAL.parse(calendar)).getFirstSubcomponent("vevent").getFirstPropertyValue("url"),
  icalendar: execFileSync("env/bin/python", ["-c", python], { input: calendar }).toString().trim(),
};
console.log("given    ", url, "\nwritten  ", calendar.split("\r\n").find((line) => line.startsWith("URL")));
for (const [name, link] of Object.entries(read)) console.log(`${name.padEnd(9)} ${link}, in a browser ${new URL(link)}`);
assert.equal(read["ical.js"], "https://club.example.org/cups/7\\,8\\;final");
assert.equal(read.icalendar, url);
assert.equal(String(new URL(read["ical.js"])), "https://club.example.org/cups/7/,8/;final");
JS
echo "ical-generator 11.1.2; guess: all have the link that was given"
node see.mjs
