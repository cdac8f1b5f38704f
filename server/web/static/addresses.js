// Where things are: each has an address on a server; in a report, a file, only its games have one,
// and the players of an event that was played elsewhere have none.

import { h, link } from "./dom.js";
import { opened } from "./opened.js";

export const isFile = Boolean(opened.isFile);

const hasBots = !isFile && opened.page !== "elsewhere";

const named = (name) => encodeURIComponent(name);

export const gameAddress = (game, ply = null) =>
  `${isFile ? "#" : "/games/"}${named(game)}${ply === null ? "" : `/${ply}`}`;

export const botLink = (name, shown = name) =>
  (!hasBots ? h("span", {}, ...breakable(shown)) : link(`/bots/${named(name)}`, ...breakable(shown)));

// A version's name may be broken before its number.
const breakable = (name) => name.split(/(?=@)/).flatMap((part, place) => (place ? [h("wbr"), part] : [part]));

export const ladderLink = (name) => link(`/ladders/${named(name)}`, name);
