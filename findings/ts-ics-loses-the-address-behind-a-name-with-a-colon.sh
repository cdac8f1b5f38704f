#!/usr/bin/env bash
# A colon in a name, and the answer to an invitation is part of an address: npm's ts-ics 2.4.6.
#
# Found with: ts-ics 2.4.6 (npm), ical.js 2.2.1 for comparison, Node 20.
# A good guess: a name with a colon, a semicolon or a comma stands in quotes (RFC 5545, 3.2: such a value "MUST be specified
# as quoted-string text values"), as in the calendars that ts-ics reads: it takes the quotes away there.
# What happens: it writes none. Of "Team: Ann" the name ends at the colon and the rest is the address, for ts-ics itself
# as for others: " Ann;PARTSTAT=ACCEPTED:ann@example.org". So a calendar that is only read and written again has lost
# the address and who has accepted. Nothing is said.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit ts-ics@2.4.6 ical.js@2.2.1 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import ICAL from "ical.js";
import { convertIcsCalendar, generateIcsCalendar } from "ts-ics";

const text = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//club//cup//EN", "BEGIN:VEVENT", "UID:1@example.org",
  "DTSTAMP:20260101T000000Z", "DTSTART:20260704T100000Z", "DTEND:20260704T110000Z", "SUMMARY:Round 1",
  'ATTENDEE;CN="Team: Ann";PARTSTAT=ACCEPTED:mailto:ann@example.org', "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");
const read = (calendar) => {
  const { name, email, partstat } = convertIcsCalendar(undefined, calendar).events[0].attendees[0];
  return [name, email, partstat];
};
const again = generateIcsCalendar(convertIcsCalendar(undefined, text));
const line = again.split("\r\n").find((each) => each.startsWith("ATTENDEE"));
const vevent = new ICAL.Component(ICAL.parse(again)).getFirstSubcomponent("vevent");
const other = vevent.getFirstProperty("attendee").getFirstValue();
console.log("read", read(text), "\nwritten", line, "\nread again", read(again), "\nby ical.js", [other]);
assert.deepEqual(read(text), ["Team: Ann", "ann@example.org", "ACCEPTED"]);
assert.equal(line, "ATTENDEE;CN=Team: Ann;PARTSTAT=ACCEPTED:MAILTO:ann@example.org");
assert.deepEqual(read(again), ["Team", " Ann;PARTSTAT=ACCEPTED:ann@example.org", undefined]);
assert.equal(other, " Ann;PARTSTAT=ACCEPTED:MAILTO:ann@example.org");
JS
echo "ts-ics 2.4.6; guess: the attendee is the same after reading, writing and reading"
node see.mjs
