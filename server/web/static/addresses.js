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
