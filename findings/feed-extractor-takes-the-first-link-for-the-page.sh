#!/usr/bin/env bash
# A reader is sent to the feed's own file, or to an episode's sound: npm's @extractus/feed-extractor 8.0.3.
#
# Found with: @extractus/feed-extractor 8.0.3 (npm), Node 20.
# A good guess: the `link` of a feed and of an entry is their page: in Atom the link whose rel is "alternate", or that has
# none (RFC 4287, 4.2.7.2), wherever it stands among self, enclosure, replies and hub. `published` is when it appeared.
# What happens: the first link counts, whatever its rel, so a feed that names itself first, as most do, has its own
# address as its page, and an entry that begins with its enclosure leads to the file. `published` is the time of the last
# change, also beside a <published> of its own, so that whatever is edited is news again. A title of type "xhtml" is "".
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit @extractus/feed-extractor@8.0.3 >/dev/null
cat >see.mjs <<'JS'
import assert from "node:assert/strict";
import { extractFromXml } from "@extractus/feed-extractor";

const feed = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <id>urn:feed</id><title>Talks</title><updated>2026-11-30T00:00:00Z</updated>
  <link rel="self" href="https://example.org/talks.atom"/>
  <link rel="alternate" href="https://example.org/talks"/>
  <entry>
    <id>urn:one</id>
    <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">The <i>first</i> one</div></title>
    <published>2025-01-01T00:00:00Z</published><updated>2026-11-30T00:00:00Z</updated>
    <link rel="enclosure" type="audio/ogg" length="3" href="https://example.org/one.ogg"/>
    <link rel="alternate" href="https://example.org/talks/one"/>
  </entry>
</feed>`;
const { link, entries: [entry] } = extractFromXml(feed);
console.log("feed: guess https://example.org/talks, found", link);
console.log("entry: guess https://example.org/talks/one, found", entry.link);
console.log("published: guess 2025-01-01, found", entry.published);
console.log('title: guess "The first one", found', JSON.stringify(entry.title));
assert.equal(link, "https://example.org/talks.atom");
assert.equal(entry.link, "https://example.org/one.ogg");
assert.equal(entry.published, "2026-11-30T00:00:00.000Z");
assert.equal(entry.title, "");
JS
node see.mjs
