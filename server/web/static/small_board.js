// A game on a small board, as an entry of a list that leads to it.

import { gameAddress } from "./addresses.js";
import { Board } from "./board.js";
import { h, link } from "./dom.js";
import { listed, t } from "./opened.js";
import { Timeline } from "./timeline.js";
import * as words from "./words.js";

const TELLING = 0.7; // how far into a finished game its board is shown

export function small(record, called = (name) => name) {
  const names = record.players.map(({ name }) => called(name));
  const board = new Board(record.rules.pits, names);
  const timeline = new Timeline(record);
  const at = record.result ? Math.floor(TELLING * timeline.last) : timeline.last;
  board.show(timeline.steps[at].state);
  const { reason, stores } = record.result ?? {};
  const stands = record.result ? listed([words.score(stores), words.isForfeit(reason) && words.reason(reason)].filter(Boolean)) : t("live, move {{ply}}", { ply: timeline.last });
  const target = link(gameAddress(record.game), h("span", { class: "small" }, `${names.join(" – ")} · ${stands.replaceAll(" ", "\u00a0")}`), board.element);
  board.drawing.setAttribute("aria-hidden", "true");
  return h("li", { "data-key": record.game }, target);
}
