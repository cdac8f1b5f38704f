// What a bot's moves cost it, by version: the dearest mistakes, and which kinds are common.

import { gameAddress } from "./addresses.js";
import { askIfThere } from "./api.js";
import { card, h, link, number, table } from "./dom.js";
import * as words from "./words.js";

const KINDS = {
  capture: "missed a capture",
  again: "missed a move again",
  end: "missed the end of the game",
  allowed: "let the opponent capture",
  quiet: "its cost shows later",
};

// Fills a card with a bot's mistakes, once they are known.
export async function showMistakes(place, name, signal) {
  const found = await askIfThere(`/bots/${encodeURIComponent(name)}/mistakes`, signal).catch(() => null);
  const versions = (found?.versions ?? []).filter(({ dearest }) => dearest.length);
  if (!versions.length) {
    place.append(h("p", { class: "note" }, "None is known: only games that were reviewed are looked at, and proven losses count."));
    return;
  }
  place.append(...versions.flatMap(version));
}

// The card that they are shown in.
export const mistakesCard = (place) => card("Mistakes", h("p", { class: "note" }, "In its latest games, by proof."), place);

const version = ({ name, games, dearest, common }) => [
  h("h3", {}, `${name}, ${words.gamesOf(games)}`),
  table(`Commonest mistakes of ${name}`, ["Commonest", "#Times", "#Seeds lost"], common.map(({ kind, count, loss }) =>
    h("tr", { "data-key": kind }, h("td", { class: "wraps" }, KINDS[kind] ?? kind), number(count), number(loss)))),
  h("p", { class: "note small" }, "The dearest:"),
  h("ol", { class: "dearest" }, ...dearest.map((each) => h("li", {}, link(gameAddress(each.game, each.ply + 1), told(each))))),
];

const told = ({ ply, opponent, pit, best, loss, kind }) =>
  `${words.seedsOf(loss)} against ${opponent}, ply ${ply + 1}: pit ${words.pitNumber(pit)} for pit ${words.pitNumber(best)}, ${KINDS[kind] ?? kind}`;
