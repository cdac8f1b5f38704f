#!/usr/bin/env bash
# "Black does not resign" is read as "Black does resign not": npm's rss-parser 3.13.0.
#
# Found with: rss-parser 3.13.0 (npm), Node 20.
# A good guess: the content of an Atom entry arrives as it was written, whether it is of type "html" (escaped) or "xhtml"
# (elements in place, RFC 4287, 3.1.1.3); `contentSnippet` is its text.
# What happens: of "xhtml" all text of an element comes first, as one piece, and its child elements after it: each word
# that is emphasised or linked moves to the end of its paragraph. Both `content` and `contentSnippet` have the wrong
# sentence, without an error. A title of that type is an object instead of a text.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-fund --no-audit rss-parser@3.13.0 >/dev/null
cat >see.cjs <<'JS'
const assert = require("node:assert/strict");
const Parser = require("rss-parser");

const entry = (type, content, title = "Report") => `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:feed</id><title>Games</title><updated>2026-11-30T00:00:00Z</updated>
<entry><id>urn:one</id>${title.startsWith("<") ? title : `<title>${title}</title>`}<updated>2026-11-30T00:00:00Z</updated>
<content type="${type}">${content}</content></entry></feed>`;
const said = "<p>Black does <em>not</em> resign.</p>";
const inPlace = `<div xmlns="http://www.w3.org/1999/xhtml">${said}</div>`;
const read = async (xml) => (await new Parser().parseString(xml)).items[0];

(async () => {
  const escaped = await read(entry("html", said.replaceAll("<", "&lt;")));
  const xhtml = await read(entry("xhtml", inPlace));
  const titled = await read(entry("text", "", `<title type="xhtml">${inPlace}</title>`));
  const words = (text) => text.split(/\s+/).join(" ");
  console.log("html: guess 'Black does not resign.', found", words(escaped.contentSnippet));
  console.log("xhtml: guess 'Black does not resign.', found", words(xhtml.contentSnippet));
  console.log("its content:", words(xhtml.content));
  console.log("title: guess a text, found", typeof titled.title);
  assert.equal(words(escaped.contentSnippet), "Black does not resign.");
  assert.match(words(xhtml.contentSnippet), /^Black does resign\. ?not$/);
  assert.equal(typeof titled.title, "object");
})();
JS
node see.cjs
