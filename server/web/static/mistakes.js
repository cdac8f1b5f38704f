// What a bot's moves cost it, by version: the dearest mistakes, and which kinds are common.

import { gameAddress } from "./addresses.js";
import { askIfThere } from "./api.js";
import { card, h, link, number, table } from "./dom.js";
import { listed, t } from "./opened.js";
import * as words from "./words.js";

const KINDS = {
  capture: t("missed a capture"),
  again: t("missed a move again"),
  end: t("missed the end of the game"),
  allowed: t("let the opponent capture"),
  quiet: t("its cost shows later"),
};

// Fills a card with a bot's mistakes, once they are known.
export async function showMistakes(place, name, signal) {
  const found = await askIfThere(`/bots/${encodeURIComponent(name)}/mistakes`, signal).catch(() => null);
  const versions = (found?.versions ?? []).filter(({ dearest }) => dearest.length);
  if (!versions.length) {
    place.append(h("p", { class: "note" }, t("None is known: only games that were reviewed are looked at, and proven losses count.")));
    return;
  }
  place.append(...versions.flatMap(version));
}

// The card that they are shown in.
export const mistakesCard = (place) => card(t("Mistakes"), h("p", { class: "note" }, t("In its latest games, by proof.")), place);

const version = ({ name, games, dearest, common }) => [
  h("h3", {}, listed([name, words.gamesOf(games)])),
  table(t("Commonest mistakes of {{bot}}", { bot: name }), [t("Commonest"), `#${t("Times")}`, `#${t("Seeds lost")}`], common.map(({ kind, count, loss }) =>
    h("tr", { "data-key": kind }, h("td", { class: "wraps" }, KINDS[kind] ?? kind), number(count), number(loss)))),
  h("p", { class: "note small" }, t("The most costly:")),
  h("ol", { class: "dearest" }, ...dearest.map((each) => h("li", {}, link(gameAddress(each.game, each.ply + 1), told(each))))),
];

const told = ({ ply, opponent, pit, best, loss, kind }) => t("{{seeds}} against {{opponent}}, move {{ply}}: pit {{pit}} for pit {{best}}, {{kind}}", {
  seeds: words.seedsOf(loss), opponent, ply: ply + 1, pit: words.pitNumber(pit), best: words.pitNumber(best), kind: KINDS[kind] ?? kind,
});
