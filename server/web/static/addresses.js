// Where things are: each has an address on a server; in a report, a file, only its games have one,
// and the players of an event that was played elsewhere have none.

import { h, link, parted } from "./dom.js";
import { opened } from "./opened.js";

export const isFile = Boolean(opened.isFile);

const hasBots = !isFile && opened.page !== "elsewhere";

const named = (name) => encodeURIComponent(name);

export const gameAddress = (game, ply = null) =>
  `${isFile ? "#" : "/games/"}${named(game)}${ply === null ? "" : `/${ply}`}`;

export const botLink = (name, shown = name) =>
  (!hasBots ? h("span", {}, ...parted(shown)) : link(`/bots/${named(name)}`, ...parted(shown)));

export const ladderLink = (name) => link(`/ladders/${named(name)}`, ...parted(name));

// A league of a class is a code that stands before first names.
export const CODE = "[a-z0-9]{3,12}";

// Codes that the page makes, of which the server keeps names for devices (claims.py): no vowels, so no words; no letters that look alike.
export const LETTERS = "bcdfghjkmnpqrstvwxz23456789";
export const LENGTH = 5;
export const isMade = (code) => new RegExp(`^[${LETTERS}]{${LENGTH}}$`).test(code);

// Whether a name is one of a league.
export const isOfLeague = (name) => new RegExp(`^${CODE}\\.`).test(name);

// The code in an address; "" where it can be none.
export const codeIn = (text) => (new RegExp(`^${CODE}$`).test(text?.toLowerCase() ?? "") ? text.toLowerCase() : "");

export const isIn = (code, name) => Boolean(code) && name.startsWith(nameIn(code, ""));

export const nameIn = (code, first) => (code ? `${code}.${first}` : first);

// A name as a class reads it.
export const firstName = (code, name) => (isIn(code, name) ? name.slice(code.length + 1) : name);
