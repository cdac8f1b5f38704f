#!/usr/bin/env bash
# An event with a reminder has the reminder's title: npm's cal-parser 1.0.2.
#
# Found with: cal-parser 1.0.2 (npm), ical.js 2.2.1 for comparison, Node 20.
# A good guess: the event keeps its own SUMMARY and DESCRIPTION; those within BEGIN:VALARM … END:VALARM are the alarm's
# (RFC 5545, 3.6.6: an alarm by mail must have both, and calendars write "This is an event reminder").
# What happens: an alarm is not a part of its own. Each of its lines replaces the event's line of the same name, and its
# BEGIN, END and TRIGGER are properties of the event. Of an event with such a reminder only the reminder's text is left.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit cal-parser@1.0.2 ical.js@2.2.1 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import parser from "cal-parser";
import ICAL from "ical.js";

const alarm = ["BEGIN:VALARM", "ACTION:EMAIL", "TRIGGER:-PT30M", "ATTENDEE:mailto:ann@example.org",
  "SUMMARY:Alarm notification", "DESCRIPTION:This is an event reminder", "END:VALARM"];
const calendar = (extra) => ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//club//cup//EN", "BEGIN:VEVENT",
  "UID:1@example.org", "DTSTAMP:20260101T000000Z", "DTSTART:20260704T100000Z", "SUMMARY:Round 1", "DESCRIPTION:Hall B",
  ...extra, "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");

const seen = [[], alarm].map((extra) => {
  const event = parser.parseString(calendar(extra)).events[0];
  return [event.summary.value, event.description.value, event.trigger?.value];
});
const other = new ICAL.Event(new ICAL.Component(ICAL.parse(calendar(alarm))).getFirstSubcomponent("vevent"));
console.log("without an alarm", seen[0], "with one", seen[1], "ical.js", [other.summary, other.description]);
assert.deepEqual(seen, [["Round 1", "Hall B", undefined], ["Alarm notification", "This is an event reminder", "-PT30M"]]);
assert.deepEqual([other.summary, other.description], ["Round 1", "Hall B"]);
JS
echo "cal-parser 1.0.2; guess: Round 1 in Hall B, with an alarm and without one"
node see.mjs
