// Where things are: each has an address on a server; in a report, a file, only its games have one.

import { opened } from "./api.js";
import { h, link } from "./dom.js";

export const isFile = Boolean(opened.isFile);

const named = (name) => encodeURIComponent(name);

export const gameAddress = (game, ply = null) =>
  `${isFile ? "#" : "/games/"}${named(game)}${ply === null ? "" : `/${ply}`}`;

export const botLink = (name, shown = name) => (isFile ? h("span", {}, shown) : link(`/bots/${named(name)}`, shown));

export const ladderLink = (name) => link(`/ladders/${named(name)}`, name);
